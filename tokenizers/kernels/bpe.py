"""Merges of a unit by a BPE model: always the pair with the highest score, and of equal ones the first.

Short units are merged in place; longer ones with a heap of pairs, so that a run of 50,000 letters takes n log n steps.
A merge is looked up by its two symbols: a piece, or a character that is in pieces without being one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import lean
from headrace.tokenizers.kernels.characters import Places
from headrace.tokenizers.kernels.piece_tables import (
    BASE,
    CHECK,
    FIRST_CODE,
    FREEZES,
    NO_PAIR,
    PIECE,
    SPELLED,
    UNKNOWN,
    Codes,
    Numbers,
    PieceTables,
    Words,
)
from headrace.tokenizers.kernels.spelling import spell
from headrace.tokenizers.kernels.unit_cache import WideIds

IN_PLACE = 64  # symbols up to which moving them up is cheaper than a heap
_NO_MERGE, _NO_SYMBOL, _GONE = -1, -1, -2
_WORST = 0x7FFFFFFF
_MOST_NESTED = 64  # the library looks at no more of the user-defined pieces that begin at one place
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Symbols(NamedTuple):
    """The symbols of a unit: what each is, where it begins, its neighbours, and the merge with the one behind it."""

    kinds: Numbers
    places: Numbers  # the first character
    before: Numbers
    behind: Numbers
    merges: Numbers
    ranks: Numbers
    heap: npt.NDArray[np.int64]  # rank and first symbol in one number
    sizes: Numbers  # by symbol: characters


def new_symbols(characters: int) -> Symbols:
    """Give room for units of so many characters; a unit of n symbols has at most 3 n pairs in its life."""
    room = characters + 2
    kinds, places, before, behind, merges, ranks, sizes = (np.zeros(room, np.int32) for _ in range(7))
    return Symbols(kinds, places, before, behind, merges, ranks, np.zeros(3 * room, np.int64), sizes)


@lean
def split(unit: Codes, size: int, tables: PieceTables, symbols: Symbols) -> int:
    """List a unit's characters and the pieces that nothing is merged with; gives their number."""
    kinds, places, sizes = symbols.kinds, symbols.places, symbols.sizes
    place = count = 0
    while place < size:
        length, piece = 0, _NO_SYMBOL
        if tables.facts[FREEZES]:
            length, piece = _frozen_at(unit, place, size, tables)
        kinds[count] = piece if length else tables.symbols[unit[place]]
        places[count], sizes[count] = place, -length if length else 1
        place += max(length, 1)
        count += 1
    places[count] = size
    return count


@lean
def _frozen_at(unit: Codes, place: int, size: int, tables: PieceTables) -> tuple[int, int]:
    """Give the length and the id of the longest user-defined piece at a place; length 0 if there is none."""
    nodes = tables.nodes
    node, end, length, found, met = int(unit[place]), place + 1, 0, _NO_SYMBOL, 0
    while met < _MOST_NESTED:
        piece = int(nodes[node, PIECE])
        if piece >= 0 and tables.frozen[piece]:
            length, found, met = end - place, piece, met + 1
        if node < FIRST_CODE or end >= size:
            break
        child = nodes[node, BASE] + int(unit[end])
        if nodes[child, CHECK] != node:
            break
        node, end = child, end + 1
    return length, found


@lean
def merge_place(pair: np.uint64, keys: Words) -> int:
    """Give the place where a pair is looked for first."""
    return int(np.int64((pair * _MIX) >> np.uint64(40)) & (len(keys) - 1))


@lean
def merge_of(first: int, second: int, tables: PieceTables) -> int:
    """Give the piece that two symbols are merged to, or -1."""
    if first < 0 or second < 0:
        return _NO_MERGE
    keys = tables.merge_keys
    wanted = (np.uint64(first) << np.uint64(32)) | np.uint64(second)
    place = merge_place(wanted, keys)
    while keys[place] != wanted:
        if keys[place] == NO_PAIR:
            return _NO_MERGE
        place = (place + 1) & (len(keys) - 1)
    return int(tables.merge_ids[place])


@lean
def _look(symbols: Symbols, first: int, second: int, tables: PieceTables) -> None:
    """Note the merge of a symbol with the one behind it."""
    merged = _NO_MERGE
    if symbols.sizes[first] > 0 and symbols.sizes[second] > 0:
        merged = merge_of(int(symbols.kinds[first]), int(symbols.kinds[second]), tables)
    symbols.merges[first] = merged
    symbols.ranks[first] = tables.ranks[merged] if merged >= 0 else _WORST


@lean
def merge_in_place(symbols: Symbols, count: int, tables: PieceTables) -> int:
    """Merge a few symbols, which stay side by side; gives how many are left."""
    for place in range(count - 1):
        _look(symbols, place, place + 1, tables)
    while count > 1:
        best, rank = 0, symbols.ranks[0]
        for place in range(1, count - 1):
            if symbols.ranks[place] < rank:
                best, rank = place, symbols.ranks[place]
        if rank == _WORST:
            break
        symbols.kinds[best] = symbols.merges[best]
        for place in range(best + 1, count - 1):
            symbols.kinds[place], symbols.places[place] = symbols.kinds[place + 1], symbols.places[place + 1]
            symbols.sizes[place] = symbols.sizes[place + 1]
            symbols.merges[place - 1], symbols.ranks[place - 1] = symbols.merges[place], symbols.ranks[place]
        count -= 1
        symbols.places[count] = symbols.places[count + 1]
        if best < count - 1:
            _look(symbols, best, best + 1, tables)
        if best > 0:
            _look(symbols, best - 1, best, tables)
    return count


@lean
def merge_by_heap(symbols: Symbols, count: int, tables: PieceTables) -> int:
    """Merge many symbols, and move those that are left side by side; gives how many they are."""
    kinds, before, behind, merges, ranks, heap = (
        symbols.kinds,
        symbols.before,
        symbols.behind,
        symbols.merges,
        symbols.ranks,
        symbols.heap,
    )
    size = 0
    for symbol in range(count):
        before[symbol], behind[symbol] = symbol - 1, symbol + 1
        merges[symbol], ranks[symbol] = _NO_MERGE, _WORST
    for symbol in range(count - 1):
        size = _push(symbols, symbol, symbol + 1, tables, size)
    while size:
        top = heap[0]
        size = _pop(heap, size)
        symbol = top & 0xFFFFFFFF
        if merges[symbol] < 0 or ranks[symbol] != top >> 32:
            continue  # one of the two was merged with another since
        gone = behind[symbol]
        kinds[symbol], behind[symbol] = merges[symbol], behind[gone]
        kinds[gone], merges[gone], merges[symbol] = _GONE, _NO_MERGE, _NO_MERGE
        if behind[symbol] < count:
            before[behind[symbol]] = symbol
            size = _push(symbols, symbol, int(behind[symbol]), tables, size)
        if before[symbol] >= 0:
            size = _push(symbols, int(before[symbol]), symbol, tables, size)
    return _closed_up(symbols, count)


@lean
def _closed_up(symbols: Symbols, count: int) -> int:
    left = 0
    for symbol in range(count):
        if symbols.kinds[symbol] != _GONE:
            symbols.kinds[left], symbols.places[left] = symbols.kinds[symbol], symbols.places[symbol]
            left += 1
    symbols.places[left] = symbols.places[count]
    return left


@lean
def _push(symbols: Symbols, first: int, second: int, tables: PieceTables, size: int) -> int:
    """Put the merge of two neighbours, if there is one, on the heap; gives the heap's size."""
    _look(symbols, first, second, tables)
    if symbols.merges[first] < 0:
        return size
    heap, place = symbols.heap, size
    item = np.int64(symbols.ranks[first]) << 32 | first
    while place and heap[(place - 1) >> 1] > item:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = item
    return size + 1


@lean
def _pop(heap: npt.NDArray[np.int64], size: int) -> int:
    """Take the least item away; gives the heap's size."""
    size -= 1
    item, place, child = heap[size], 0, 1
    while child < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= item:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = item
    return size


@lean
def write_symbols(
    data: Bytes, at: int, count: int, places: Places, tables: PieceTables, symbols: Symbols, out: WideIds, to: int
) -> int:
    """Write the ids of a unit's symbols; gives where the next id goes. Unknown ones may be spelled in bytes."""
    unknown, spelled = tables.facts[UNKNOWN], tables.facts[SPELLED]
    for symbol in range(count):
        kind = symbols.kinds[symbol]
        if 0 <= kind < len(tables.scores):
            out[to] = kind
            to += 1
        elif spelled:
            begin, end = places[symbols.places[symbol]], places[symbols.places[symbol + 1]]
            to = spell(data, at + begin, at + end, tables, out, to, 1)
        else:
            out[to] = unknown
            to += 1
    return to
