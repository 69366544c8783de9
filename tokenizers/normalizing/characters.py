"""Which characters the keys of a double array begin with: what a kernel asks before it looks anything up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.tokenizers.normalizing.charsmap import Units, distances

_LABELS = np.arange(256, dtype=np.uint32)
_LABEL_BITS, _LEAF_BIT = np.uint32(0x800000FF), np.uint32(1 << 8)
_NO_CHARACTER = 4
# By first byte: how many bytes follow it; and the bits of the code point in it.
_BEHIND = np.repeat(np.array([0, _NO_CHARACTER, 1, 2, 3, _NO_CHARACTER]), [0x80, 0x42, 0x1E, 0x10, 0x05, 0x0B])
_LEAD_MASK = np.array([0x7F, 0x1F, 0x0F, 0x07, 0])


class Characters(NamedTuple):
    """Characters met behind nodes: from which node, which one, the node behind it, and whether a key ends there."""

    origins: npt.NDArray[np.int64]
    points: npt.NDArray[np.int64]
    nodes: Units
    ends: npt.NDArray[np.bool_]


def root(trie: Units) -> Units:
    """Give the node at which all keys begin."""
    return distances(trie[:1])


def characters_behind(trie: Units, nodes: Units) -> Characters:
    """Give the characters that keys have behind some nodes; ValueError where a key ends inside a character.

    What is no UTF-8 is left out: a kernel looks up every text that is none.
    """
    found: list[Characters] = []
    origins, labels, nodes, ends = _children(trie, nodes)
    behind, points = _BEHIND[labels], labels & _LEAD_MASK[_BEHIND[labels]]
    for more in range(_NO_CHARACTER):
        going = (behind > more) & (behind < _NO_CHARACTER)
        if (ends & going).any():
            raise ValueError("a rule ends inside a character")
        whole = behind == more
        found.append(Characters(origins[whole], points[whole], nodes[whole], ends[whole]))
        parents, labels, nodes, ends = _children(trie, nodes[going])
        origins, behind = origins[going][parents], behind[going][parents]
        points = points[going][parents] << 6 | labels & 0x3F
        trail = labels & 0xC0 == 0x80
        origins, behind, points, nodes, ends = (each[trail] for each in (origins, behind, points, nodes, ends))
    return Characters(*(np.concatenate(column) for column in zip(*found, strict=True)))


def has_children(trie: Units, nodes: Units) -> npt.NDArray[np.bool_]:
    """Tell behind which nodes keys go on."""
    return np.isin(np.arange(len(nodes)), _children(trie, nodes)[0])


def _children(
    trie: Units, nodes: Units
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Units, npt.NDArray[np.bool_]]:
    """Give for all children of the nodes: whose they are, their bytes, the nodes behind them, whether a key ends."""
    places = nodes[:, None] ^ _LABELS
    origins, labels = np.nonzero(trie[places] & _LABEL_BITS == _LABELS)
    at = places[origins, labels]
    return origins, labels, at ^ distances(trie[at]), trie[at] & _LEAF_BIT != 0
