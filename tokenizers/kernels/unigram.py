"""The best pieces of a unit by a unigram model, exactly as the library finds them in a whole text.

The library adds scores up from the beginning of the text in float32 (`unigram_model.cc` of 0.2.3), so a near tie inside
a word is decided by what rounding did before. `certified` finds the pieces of a unit alone and says behind which texts
they are the same; behind all others, `exact` adds up from the true score, which `score_after` gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Floats
from headrace.schemas.compiled import lean
from headrace.tokenizers.kernels.characters import Places
from headrace.tokenizers.kernels.piece_tables import (
    BASE,
    CHECK,
    FIRST_CODE,
    PIECE,
    SCORE,
    SPELLED,
    UNKNOWN,
    Codes,
    Numbers,
    PieceTables,
    Scores,
)
from headrace.tokenizers.kernels.spelling import spell
from headrace.tokenizers.kernels.unit_cache import LONG_BYTES, WideIds

RESET = np.float32(100_000)  # the library subtracts the score from all that are being compared once it is greater
LARGEST = 2.0**17  # no score gets there
HALF_ULP = 2.0**-8  # the greatest error of one addition below that in float32
LEVELS = 12
_NEVER = 1e300
_ZERO = np.float32(0)


class Path(NamedTuple):
    """The best way to each place between two characters: its score, its last piece, and where that begins."""

    scores: Scores
    starts: Numbers
    ids: Numbers


class Margins(NamedTuple):
    """For each place: the best score, how far behind the second best is, and most pieces on a way there."""

    scores: Floats
    gaps: Floats
    counts: npt.NDArray[np.int64]


def new_path(characters: int) -> Path:
    """Give room for units of so many characters."""
    room = characters + 2
    return Path(np.zeros(room, np.float32), np.zeros(room, np.int32), np.zeros(room, np.int32))


def new_margins() -> Margins:
    """Give room for the longest units that are certified."""
    room = LONG_BYTES + 2
    return Margins(np.zeros(room), np.zeros(room), np.zeros(room, np.int64))


@lean
def certified(unit: Codes, size: int, tables: PieceTables, path: Path, margins: Margins) -> int:
    """Find the best way through a unit, and say behind which texts it is the best one: behind any at level 0.

    At level l that is sure where all scores are below 2 ** (17 - l): there each addition is off by 2 ** -(8 + l) at
    most, half a unit in the last place, so a lead of more than 2 n of that lasts among sums of n. Only the places that
    the best way goes over count. LEVELS says that no score is small enough.
    """
    nodes, node_scores, starts = tables.nodes, tables.node_scores, path.starts
    for place in range(1, size + 1):
        starts[place], margins.counts[place] = -1, 0
    margins.scores[0], margins.counts[0] = 0.0, 0
    for start in range(size):
        node, end = int(unit[start]), start + 1
        piece, score = int(nodes[node, PIECE]), float(node_scores[node, SCORE])
        if piece < 0:
            piece, score = int(tables.facts[UNKNOWN]), float(tables.unknown[0])
        while True:
            if piece >= 0:
                _offer(path, margins, start, end, piece, margins.scores[start] + score)
            if node < FIRST_CODE or end >= size:
                break
            child = nodes[node, BASE] + int(unit[end])
            if nodes[child, CHECK] != node:
                break
            node, end = child, end + 1
            piece, score = int(nodes[node, PIECE]), float(node_scores[node, SCORE])
    return _level(size, path, margins)


@lean
def _offer(path: Path, margins: Margins, start: int, end: int, piece: int, score: float) -> None:
    """Compare a way to a place with the best one so far."""
    count = margins.counts[start] + 1
    lead = score - margins.scores[end]
    if path.starts[end] < 0:
        lead, margins.gaps[end] = _NEVER, _NEVER
    elif lead > 0:
        margins.gaps[end] = lead
    else:
        margins.gaps[end] = min(margins.gaps[end], -lead)
    margins.counts[end] = max(margins.counts[end], count)
    if lead > 0:
        margins.scores[end], path.starts[end], path.ids[end] = score, start, piece


@lean
def _level(size: int, path: Path, margins: Margins) -> int:
    end, least = size, _NEVER
    while end > 0:
        least = min(least, margins.gaps[end] / (2 * margins.counts[end]))
        end = path.starts[end]
    level, error = 0, HALF_ULP
    while level < LEVELS and least <= error:
        level, error = level + 1, error / 2
    return level


@lean
def is_small(score: np.float32, ids: int, level: int, tables: PieceTables) -> bool:
    """Tell whether all scores in a unit that is certified are small enough for a level, so many ids behind a score."""
    return abs(float(score)) + (ids + 2 * LONG_BYTES) * float(tables.unknown[1]) < LARGEST / (1 << level)


@lean
def exact(unit: Codes, size: int, score: np.float32, tables: PieceTables, path: Path) -> np.float32:
    """Find the best way through a unit behind a text with a score; gives the score after both."""
    nodes, node_scores, scores, starts = tables.nodes, tables.node_scores, path.scores, path.starts
    for place in range(1, size + 1):
        starts[place] = -1
    scores[0] = score
    reached = 0
    for start in range(size):
        _reset(path, start, reached)
        here = scores[start]
        node, end = int(unit[start]), start + 1
        piece, added = int(nodes[node, PIECE]), node_scores[node, SCORE]
        if piece < 0:
            piece, added = int(tables.facts[UNKNOWN]), tables.unknown[0]
        while True:
            if piece >= 0:
                total = np.float32(added + here)
                if starts[end] < 0 or total > scores[end]:
                    scores[end], starts[end], path.ids[end] = total, start, piece
                reached = max(reached, end)
            if node < FIRST_CODE or end >= size:
                break
            child = nodes[node, BASE] + int(unit[end])
            if nodes[child, CHECK] != node:
                break
            node, end = child, end + 1
            piece, added = int(nodes[node, PIECE]), node_scores[node, SCORE]
    return np.float32(scores[size])


@lean
def _reset(path: Path, start: int, reached: int) -> None:
    """Do as the library does once a score is too great: what is compared is counted from there."""
    offset = path.scores[start]
    if -RESET <= offset <= RESET:
        return
    for place in range(start, reached + 1):
        if place == start or path.starts[place] >= 0:
            path.scores[place] = np.float32(path.scores[place] - offset)
    path.scores[start] = _ZERO


@lean
def write_way(
    data: Bytes, at: int, size: int, places: Places, tables: PieceTables, path: Path, out: WideIds, to: int
) -> int:
    """Write the ids of the best way through a unit that begins at a place; gives where the next id goes.

    An unknown character is spelled in bytes if the model does so.
    """
    unknown, spelled = tables.facts[UNKNOWN], tables.facts[SPELLED]
    first, end = to, size
    while end > 0:
        start = path.starts[end]
        if spelled and path.ids[end] == unknown:
            to = spell(data, at + places[start], at + places[end], tables, out, to, -1)
        else:
            out[to] = path.ids[end]
            to += 1
        end = start
    low, high = first, to - 1
    while low < high:
        out[low], out[high] = out[high], out[low]
        low, high = low + 1, high - 1
    return to


@lean
def score_after(out: WideIds, first: int, end: int, score: np.float32, tables: PieceTables) -> np.float32:
    """Give the score after the ids from out[first] to out[end], which follow a text with a score.

    The bytes of an unknown character count as one piece.
    """
    number = first
    while number < end:
        if score < -RESET or score > RESET:
            score = _ZERO
        piece = out[number]
        byte = int(tables.id_bytes[piece])
        if byte >= 0:
            score = np.float32(tables.unknown[0] + score)
            number += 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        else:
            score = np.float32(tables.scores[piece] + score)
            number += 1
    return score
