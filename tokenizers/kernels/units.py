"""Where text can be cut without a question: between two characters that no piece holds side by side.

No piece goes over such a cut, so each unit between two cuts can be looked up or tokenized alone. For ASCII the cuts
come from classes of characters, for all else from a bitmap of pairs; both may miss a cut, which makes a unit longer,
and never invent one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import lean
from headrace.schemas.text_lanes import bits_from, eight_bytes, lowest_bit, lowest_bits
from headrace.tokenizers.kernels.characters import character_at
from headrace.tokenizers.kernels.piece_tables import CLASSES, Codes, Numbers, PieceTables, Words
from headrace.tokenizers.kernels.wide_reads import bits_between, word_at

UNITS = 512  # of a block: enough to load the cache's rows ahead, few enough to stay near
IN_TABLE, LONG, KNOWN = 0, -1, -2  # fates: a place in the cache or more, too long for it, and from KNOWN down an id
_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_HIGH_BITS = np.uint64(0x8080808080808080)


class Block(NamedTuple):
    """Units one after the other: unit i is the text from begins[i] to begins[i + 1]."""

    begins: Offsets
    fates: npt.NDArray[np.int64]
    low_keys: Words
    high_keys: Words


def new_block() -> Block:
    """Give room for a block; at most 64 units more than UNITS are listed."""
    size = UNITS + 80
    return Block(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    )


@lean
def list_units(data: Bytes, at: int, end: int, tables: PieceTables, block: Block) -> int:
    """List the units from a place on, where one begins, to a full block or the end of the text; gives their number."""
    begins, fates = block.begins, block.fates
    units = 0
    begins[0] = at
    while at < end and units < UNITS:
        size = min(end - at, 64)
        ascii_size = min(size, lowest_bit(bits_from(data, at, 0x80)))
        if ascii_size:
            cuts = _ascii_cuts(data, at, begins[units], tables.bridges) & lowest_bits(ascii_size)
            while cuts != _NONE:
                fates[units] = IN_TABLE
                units += 1
                begins[units] = at + lowest_bit(cuts)
                cuts &= cuts - _ONE
        at += ascii_size
        if ascii_size < size:
            units = _list_wide(data, at, end, tables.codes, tables.pairs, tables.singles, block, units)
            at = begins[units]
    if at >= end and begins[units] < end:
        fates[units] = IN_TABLE
        units += 1
        begins[units] = end
    return units


@lean
def _ascii_cuts(data: Bytes, at: int, begin: int, bridges: Words) -> np.uint64:
    """Tell which of 64 bytes, if all are ASCII, begin a unit behind the one that begins at a place."""
    letters = bits_between(data, at, 0x41, 0x5A) | bits_between(data, at, 0x61, 0x7A)
    digits, spaces, controls = (
        bits_between(data, at, 0x30, 0x39),
        bits_between(data, at, 0x20, 0x20),
        bits_between(data, at, 0x00, 0x1F),
    )
    signs = ~(letters | digits | spaces | controls)
    joined = (letters << _ONE) & _after(0, letters, digits, spaces, controls, signs, bridges)
    joined |= (digits << _ONE) & _after(1, letters, digits, spaces, controls, signs, bridges)
    joined |= (spaces << _ONE) & _after(2, letters, digits, spaces, controls, signs, bridges)
    joined |= (controls << _ONE) & _after(3, letters, digits, spaces, controls, signs, bridges)
    joined |= (signs << _ONE) & _after(4, letters, digits, spaces, controls, signs, bridges)
    if at == begin:
        return ~(joined | _ONE)  # that unit has begun
    before = _class_of(int(data[at - 1]))
    return ~(joined | (_ONE & _after(before, letters, digits, spaces, controls, signs, bridges)))


@lean
def _after(
    before: int,
    letters: int,
    digits: int,
    spaces: int,
    controls: int,
    signs: int,
    bridges: Words,
) -> int:
    """Tell which bytes can follow a byte of a class inside a piece."""
    row = before * CLASSES
    joined: int = (letters & bridges[row]) | (digits & bridges[row + 1]) | (spaces & bridges[row + 2])
    joined |= (controls & bridges[row + 3]) | (signs & bridges[row + 4])
    return joined


def ascii_class(byte: int) -> int:
    """Give the class of an ASCII character: letter, digit, space, control, or sign."""
    if 0x61 <= byte | 0x20 <= 0x7A:
        return 0
    if 0x30 <= byte <= 0x39:
        return 1
    return 2 if byte == 0x20 else 3 if byte < 0x20 else 4


_class_of = lean(ascii_class)


@lean
def pair_bit(before: int, after: int, bits: int) -> int:
    """Give the bit of a bitmap of so many bits, a power of two, that stands for two codes side by side."""
    return (((before * 0x9E3779B1) ^ (after * 0x85EBCA77)) >> 7) & (bits - 1)


@lean
def _list_wide(
    data: Bytes, stop: int, end: int, codes: Codes, pairs: Words, singles: Numbers, block: Block, units: int
) -> int:
    """List units from the open one on, over the other characters at `stop`, until only ASCII is ahead."""
    begins, fates, bits = block.begins, block.fates, len(pairs) * 64
    at = begins[units]
    character = character_at(data, at, codes)
    while units < UNITS:
        first, alone = character >> 3, True
        at += character & 7
        while at < end:
            code, character = character >> 3, character_at(data, at, codes)
            bit = pair_bit(code, character >> 3, bits)
            if not (word_at(pairs, bit >> 6) >> np.uint64(bit & 63)) & _ONE:
                break
            at += character & 7
            alone = False
        known = singles[first] if alone else -1
        fates[units] = KNOWN - known if known >= 0 else IN_TABLE
        units += 1
        begins[units] = at
        if at >= end or (at > stop and at + 8 <= end and not eight_bytes(data, at) & _HIGH_BITS):
            break
    return units
