"""The table of rules in a model file, checked so that a kernel can walk it without looking where it goes."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, read_only

Units = npt.NDArray[np.uint32]
_SIZE = 4  # bytes before the double array, which say how many bytes that has
_BLOCK = 1024  # the double array comes in blocks of 256 units
VALUE = np.uint32((1 << 31) - 1)  # the bits of a unit that hold the value of a key
_LEAF, _LABEL = np.uint32(1 << 31), np.uint32(0xFF)


class Charsmap(NamedTuple):
    """A double array over the bytes of what is replaced, and the zero-terminated texts that its values point at."""

    trie: Units
    replacements: Bytes


def read_charsmap(blob: bytes) -> Charsmap:
    """Read the table; ValueError where it is broken. An empty one has no rule."""
    if not blob:
        return Charsmap(read_only(np.empty(0, np.uint32)), read_only(np.empty(0, np.uint8)))
    if len(blob) <= _SIZE:
        raise ValueError("the table of rules is cut short")
    size = int(struct.unpack_from("<I", blob)[0])
    if not _BLOCK <= size < len(blob) - _SIZE or size % _BLOCK:
        raise ValueError(f"the table of rules has {len(blob)} bytes, which do not fit the {size} bytes of its index")
    trie = np.frombuffer(blob, "<u4", size // 4, _SIZE).astype(np.uint32)
    replacements = blob[_SIZE + size :]
    _check_replacements(replacements)
    _check_units(trie, np.frombuffer(replacements, np.uint8))
    return Charsmap(read_only(trie), read_only(np.frombuffer(replacements, np.uint8)))


def distances(units: Units) -> Units:
    """Give how far the children of each unit are from it."""
    return (units >> np.uint32(10)) << ((units & np.uint32(1 << 9)) >> np.uint32(6))


def _check_replacements(replacements: bytes) -> None:
    if not replacements.endswith(b"\0"):
        raise ValueError("the last replacement of its rules has no end")
    try:
        replacements.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"the replacements of its rules are not UTF-8: {error.reason}") from error


def _check_units(trie: Units, replacements: Bytes) -> None:
    """Raise ValueError where a unit points outside, as the library does, or a value at no beginning of a character."""
    inner = (trie & _LEAF) == 0
    inner[0] = True
    to = np.arange(len(trie), dtype=np.uint32) ^ distances(trie)
    if trie[0] & (_LEAF | _LABEL) or trie[0] & np.uint32(1 << 8) or not to[0]:
        raise ValueError("the index of its rules has no beginning")
    if (to[inner] | _LABEL).max() >= len(trie):
        raise ValueError("the index of its rules points outside itself")
    carriers = inner & (trie & np.uint32(1 << 8) != 0)
    leaves = trie[to[carriers]]
    if ((leaves & _LEAF) == 0).any():
        raise ValueError("the index of its rules lacks a value")
    values = trie[~inner] & VALUE
    if len(values) and values.max() >= len(replacements):
        raise ValueError("a rule points outside the replacements")
    if ((replacements[leaves & VALUE] & 0xC0) == 0x80).any():
        raise ValueError("a rule points into the middle of a character")
