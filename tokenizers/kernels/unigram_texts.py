"""The ids of many texts by a unigram model: most units from the cache, the few others from the model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.tokenizers.kernels.characters import Places, read_unit
from headrace.tokenizers.kernels.piece_tables import Codes, PieceTables
from headrace.tokenizers.kernels.progress import EXACT, IDS, MISSES, NOT_ENOUGH, ROOM, TEXTS
from headrace.tokenizers.kernels.unigram import (
    LEVELS,
    RESET,
    Margins,
    Path,
    certified,
    exact,
    is_small,
    new_margins,
    new_path,
    score_after,
    write_way,
)
from headrace.tokenizers.kernels.unit_cache import (
    ABSENT,
    COUNT_MASK,
    DEPENDS,
    LEVEL,
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


class UnigramRoom(NamedTuple):
    """Where units are worked on; the longest one that fits has as many bytes as there are items in `unit`, less two."""

    block: Block
    unit: Codes
    places: Places
    path: Path
    margins: Margins


def unigram_room(size: int) -> UnigramRoom:
    """Give room for units of so many bytes."""
    unit, places = np.zeros(size + 2, np.uint16), np.zeros(size + 2, np.int32)
    return UnigramRoom(new_block(), unit, places, new_path(size), new_margins())


@kernel
def unigram_ids(
    data: Bytes,
    begins: Offsets,
    tables: PieceTables,
    cache: UnitCache,
    room: UnigramRoom,
    out: WideIds,
    starts: Offsets,
    progress: Counts,
) -> None:
    """Write the ids of the texts from number progress[TEXTS] on, until one has a unit that needs more room.

    `out` has a place for each byte, or SPELLED_IDS if bytes are spelled, and `unit_cache.COPIED` more.
    """
    text, to = progress[TEXTS], progress[IDS]
    while text < len(begins) - 1:
        starts[text] = to
        end = _unigram_text(data, begins[text], begins[text + 1], tables, cache, room, out, to, progress)
        if end < 0:
            break
        text, to = text + 1, end
    starts[text] = to
    progress[TEXTS], progress[IDS] = text, to


@lean
def _unigram_text(
    data: Bytes,
    at: int,
    end: int,
    tables: PieceTables,
    cache: UnitCache,
    room: UnigramRoom,
    out: WideIds,
    to: int,
    progress: Counts,
) -> int:
    """Write the ids of a text; the score is that at out[anchor], and up to `limit` ids it cannot have been reset."""
    block = room.block
    anchor, score = to, np.float32(0)
    limit = to + _safe_ids(score, tables)
    while at < end:
        units = list_units(data, at, end, tables, block)
        find_places(data, units, block, cache)
        for unit in range(units):
            fate = block.fates[unit]
            if fate <= KNOWN:
                out[to] = KNOWN - fate
                to += 1
                continue
            kept = ABSENT
            if to < limit:
                if fate >= IN_TABLE:
                    row = short_row(cache, fate, block.low_keys[unit], block.high_keys[unit])
                    if row >= 0:
                        kept = copy_short(cache, row, out, to)
                if kept == ABSENT:
                    kept = _unigram_unit(data, unit, tables, cache, room, out, to, progress)
            if kept > 0 and (kept <= COUNT_MASK or is_small(score, to - anchor, kept >> LEVEL, tables)):
                to += kept & COUNT_MASK
                continue
            if block.begins[unit + 1] - block.begins[unit] + 2 > len(room.unit):
                progress[ROOM] = block.begins[unit + 1] - block.begins[unit]
                return NOT_ENOUGH
            score = score_after(out, anchor, to, score, tables)
            to, score = _exact_unit(data, unit, tables, room, out, to, score, progress)
            anchor, limit = to, to + _safe_ids(score, tables)
        at = block.begins[units]
    return to


@lean
def _safe_ids(score: np.float32, tables: PieceTables) -> int:
    """Give the number of ids behind a score up to which no place in a unit that is certified is near the reset."""
    return int((float(RESET) - abs(float(score))) / float(tables.unknown[1])) - 2 * LONG_BYTES


@lean
def _unigram_unit(
    data: Bytes,
    unit: int,
    tables: PieceTables,
    cache: UnitCache,
    room: UnigramRoom,
    out: WideIds,
    to: int,
    progress: Counts,
) -> int:
    """Write the ids of a unit that is not in the short table, keep them, and give their number with the level."""
    block = room.block
    at, fate = block.begins[unit], block.fates[unit]
    size = block.begins[unit + 1] - at
    if size > LONG_BYTES:
        return DEPENDS
    place = long_place(data, at, size, cache)
    row = long_row(data, at, size, cache, place)
    if row >= 0:
        return copy_long(cache, row, out, to)
    progress[MISSES] += 1
    characters = read_unit(data, at, at + size, tables.codes, room.unit, room.places)
    level = certified(room.unit, characters, tables, room.path, room.margins)
    count = write_way(data, at, characters, room.places, tables, room.path, out, to) - to
    kept = count | level << LEVEL if level < LEVELS else DEPENDS
    if fate >= IN_TABLE and count <= SHORT_IDS:
        keep_short(cache, fate, block.low_keys[unit], block.high_keys[unit], kept, out, to)
    elif count <= LONG_IDS:
        keep_long(data, at, size, cache, place, kept, out, to)
    return kept


@lean
def _exact_unit(
    data: Bytes,
    unit: int,
    tables: PieceTables,
    room: UnigramRoom,
    out: WideIds,
    to: int,
    score: np.float32,
    progress: Counts,
) -> tuple[int, np.float32]:
    """Write the ids of a unit behind a score; gives where the next id goes, and the score there."""
    progress[EXACT] += 1
    at = room.block.begins[unit]
    characters = read_unit(data, at, room.block.begins[unit + 1], tables.codes, room.unit, room.places)
    score = exact(room.unit, characters, score, tables, room.path)
    return write_way(data, at, characters, room.places, tables, room.path, out, to), score
