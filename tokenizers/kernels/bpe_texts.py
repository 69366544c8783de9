"""The ids of many texts by a BPE model: most units from the cache, the few others by merges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.tokenizers.kernels.bpe import (
    IN_PLACE,
    Symbols,
    merge_by_heap,
    merge_in_place,
    new_symbols,
    split,
    write_symbols,
)
from headrace.tokenizers.kernels.characters import Places, read_unit
from headrace.tokenizers.kernels.piece_tables import Codes, PieceTables
from headrace.tokenizers.kernels.progress import IDS, MISSES, NOT_ENOUGH, ROOM, TEXTS
from headrace.tokenizers.kernels.unit_cache import (
    ABSENT,
    LONG_BYTES,
    LONG_IDS,
    SHORT_IDS,
    UnitCache,
    WideIds,
    copy_long,
    copy_short,
    find_places,
    keep_long,
    keep_short,
    long_place,
    long_row,
    short_row,
)
from headrace.tokenizers.kernels.units import IN_TABLE, KNOWN, Block, list_units, new_block


class BpeRoom(NamedTuple):
    """Where units are worked on; the longest one that fits has as many bytes as `unit` has items, less two."""

    block: Block
    unit: Codes
    places: Places
    symbols: Symbols


def bpe_room(size: int) -> BpeRoom:
    """Give room for units of so many bytes."""
    unit, places = np.zeros(size + 2, np.uint16), np.zeros(size + 2, np.int32)
    return BpeRoom(new_block(), unit, places, new_symbols(size))


@kernel
def bpe_ids(
    data: Bytes,
    begins: Offsets,
    tables: PieceTables,
    cache: UnitCache,
    room: BpeRoom,
    out: WideIds,
    starts: Offsets,
    progress: Counts,
) -> None:
    """Write the ids of the texts as `unigram_texts.unigram_ids` does."""
    text, to = progress[TEXTS], progress[IDS]
    while text < len(begins) - 1:
        starts[text] = to
        end = _bpe_text(data, begins[text], begins[text + 1], tables, cache, room, out, to, progress)
        if end < 0:
            break
        text, to = text + 1, end
    starts[text] = to
    progress[TEXTS], progress[IDS] = text, to


@lean
def _bpe_text(
    data: Bytes,
    at: int,
    end: int,
    tables: PieceTables,
    cache: UnitCache,
    room: BpeRoom,
    out: WideIds,
    to: int,
    progress: Counts,
) -> int:
    block = room.block
    while at < end:
        units = list_units(data, at, end, tables, block)
        find_places(data, units, block, cache)
        for unit in range(units):
            fate = block.fates[unit]
            if fate <= KNOWN:
                out[to] = KNOWN - fate
                to += 1
                continue
            row = ABSENT
            if fate >= IN_TABLE:
                row = short_row(cache, fate, block.low_keys[unit], block.high_keys[unit])
            if row >= 0:
                to += copy_short(cache, row, out, to)
                continue
            to = _bpe_unit(data, unit, tables, cache, room, out, to, progress)
            if to < 0:
                return NOT_ENOUGH
        at = block.begins[units]
    return to


@lean
def _bpe_unit(
    data: Bytes,
    unit: int,
    tables: PieceTables,
    cache: UnitCache,
    room: BpeRoom,
    out: WideIds,
    to: int,
    progress: Counts,
) -> int:
    """Write the ids of a unit that is not in the short table, and keep them; gives where the next id goes."""
    block = room.block
    at, fate = block.begins[unit], block.fates[unit]
    size = block.begins[unit + 1] - at
    place = ABSENT
    if size <= LONG_BYTES:
        place = long_place(data, at, size, cache)
        row = long_row(data, at, size, cache, place)
        if row >= 0:
            return to + copy_long(cache, row, out, to)
    elif size + 2 > len(room.unit):
        progress[ROOM] = size
        return NOT_ENOUGH
    progress[MISSES] += 1
    characters = read_unit(data, at, at + size, tables.codes, room.unit, room.places)
    left = split(room.unit, characters, tables, room.symbols)
    if left <= IN_PLACE:
        left = merge_in_place(room.symbols, left, tables)
    else:
        left = merge_by_heap(room.symbols, left, tables)
    end = write_symbols(data, at, left, room.places, tables, room.symbols, out, to)
    if fate >= IN_TABLE and end - to <= SHORT_IDS:
        keep_short(cache, fate, block.low_keys[unit], block.high_keys[unit], end - to, out, to)
    elif place >= 0 and end - to <= LONG_IDS:
        keep_long(data, at, size, cache, place, end - to, out, to)
    return end
