"""A trie in an array: the child of node n by code c is at base[n] + c, if the check there is n (Aoe 1989)."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.tokenizers.kernels.piece_tables import BASE, CHECK, PIECE, Numbers

_LOW, _HIGH, _DEPTH, _NODE = range(4)  # columns of the queue: the keys below a node, how long it is, and its place


@kernel
def place_nodes(keys: Numbers, begins: Offsets, ids: Numbers, codes: int, nodes: Numbers, queue: Numbers) -> int:
    """Put sorted distinct keys, whose items are below `codes`, into empty nodes ; gives the places used.

    `nodes` comes with -1 in CHECK and PIECE, and `queue` with as many rows. -1 says that they are too few.
    The root is node 0 with base 0: the node of a key of one item is that item.
    """
    free, last, head, tail = codes, codes - 1, 0, 1
    queue[0, _LOW], queue[0, _HIGH], queue[0, _DEPTH], queue[0, _NODE] = 0, len(ids), 0, 0
    nodes[:codes, CHECK] = 0  # no other node may come to lie among the root's children
    while head < tail and len(ids):
        low, high, depth, node = queue[head]
        head += 1
        if begins[low + 1] - begins[low] == depth:
            nodes[node, PIECE] = ids[low]
            low += 1
        if low >= high:
            continue
        base = 0
        if node:
            while free < len(nodes) and nodes[free, CHECK] >= 0:
                free += 1
            base = _fitting_base(keys, begins, low, high, depth, max(1, free - keys[begins[low] + depth]), nodes, codes)
            if base < 0:
                return -1
        nodes[node, BASE] = base
        tail = _place_children(keys, begins, low, high, depth, node, nodes, queue, tail)
        last = max(last, base + keys[begins[high - 1] + depth])
    return int(last) + 1


@lean
def _fitting_base(
    keys: Numbers, begins: Offsets, low: int, high: int, depth: int, base: int, nodes: Numbers, codes: int
) -> int:
    """Give the first base where all children of a node come to lie on free places, -1 if the array ends before."""
    while base + codes <= len(nodes):
        child, fits = low, True
        while fits and child < high:
            fits = nodes[base + keys[begins[child] + depth], CHECK] < 0
            child = _behind(keys, begins, child, high, depth)
        if fits:
            return base
        base += 1
    return -1


@lean
def _behind(keys: Numbers, begins: Offsets, key: int, high: int, depth: int) -> int:
    """Give the first key with another item at that depth."""
    item = keys[begins[key] + depth]
    while key < high and keys[begins[key] + depth] == item:
        key += 1
    return key


@lean
def _place_children(
    keys: Numbers,
    begins: Offsets,
    low: int,
    high: int,
    depth: int,
    node: int,
    nodes: Numbers,
    queue: Numbers,
    tail: int,
) -> int:
    while low < high:
        place = nodes[node, BASE] + keys[begins[low] + depth]
        behind = _behind(keys, begins, low, high, depth)
        nodes[place, CHECK] = node
        queue[tail, _LOW], queue[tail, _HIGH], queue[tail, _DEPTH], queue[tail, _NODE] = low, behind, depth + 1, place
        low, tail = behind, tail + 1
    return tail


def double_array(keys: Numbers, begins: Offsets, ids: Numbers, codes: int) -> Numbers:
    """Give the nodes of sorted distinct keys as rows of BASE, CHECK, PIECE and an empty column; -1 is no piece.

    Behind the last node there is room for any code, so that a step from any node stays inside.
    """
    room = 2 * (len(keys) + codes) + 64
    while True:
        nodes = np.zeros((room, 4), np.int32)
        nodes[:, CHECK] = nodes[:, PIECE] = -1
        used = place_nodes(keys, begins, ids, codes, nodes, np.zeros((room, 4), np.int32))
        if used >= 0:
            return np.ascontiguousarray(nodes[: used + codes])
        room *= 2
