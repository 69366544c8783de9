"""What a text is cut into, and what the ordered half is told of it: keys of lines or paragraphs, and their letters."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import (
    Array,
    Bytes,
    Column,
    Counts,
    Flags,
    Hashes,
    Links,
    Offsets,
    text_array,
    text_buffers,
)
from headrace.stages.kernels.characters import classes
from headrace.stages.view import views

Unit = Literal["line", "paragraph"]
NUMBERS, LETTERS, KEYS = "_line_numbers", "_line_letters", "_line_keys"
PRIVATE = (NUMBERS, LETTERS, KEYS)
_KEY = pa.binary(16)


class Pieces(NamedTuple):
    """The pieces of texts, one behind the other: `bounds[i]:bounds[i + 1]`; `firsts` numbers each document's first."""

    bounds: Offsets
    firsts: Offsets
    lines: Offsets  # the first line of each, among all lines


class Asked(NamedTuple):
    """What is known of a unit's pieces: the arrays of `ask_once`, with letters and keys."""

    numbers: Links  # of a piece among the keys of its document, -1: it is left alone
    letters: Counts  # of a piece
    firsts: Offsets  # a document's pieces begin there
    keys: Array  # 16 bytes each
    begins: Offsets  # a document's keys begin there


def cut(data: Bytes, offsets: Offsets, unit: Unit) -> Pieces:
    """Cut texts into lines, or into paragraphs: lines up to blank ones, with these."""
    from headrace.stages.kernels.lines import line_bounds, trim

    bounds, firsts = line_bounds(data, offsets)
    if unit == "line":
        return Pieces(bounds, firsts, np.arange(len(bounds) - 1))
    blank = trim(data, bounds, classes())[1] == 0
    begin = np.zeros(len(blank) + 1, np.bool_)
    begin[1:] = blank
    begin[:-1] &= ~blank
    begin[firsts] = True
    lines = np.flatnonzero(begin[:-1])
    return Pieces(np.append(bounds[lines], bounds[-1]), np.searchsorted(lines, firsts), lines)


def asked_columns(texts: Column, unit: Unit, spare: Collection[str], *, each: bool) -> dict[str, Array]:
    """Give, per document, a list of its pieces' numbers, one of their letters, and one of the keys that are asked for.

    With `each` every copy in a document is asked for, else the first of them for all.
    """
    from headrace.stages.kernels.line_fates import ask_once
    from headrace.stages.kernels.line_keys import letter_counts, line_keys

    data, offsets = text_buffers(texts)
    pieces = cut(data, offsets, unit)
    forms = views(text_array(data, pieces.bounds))
    letters, keys = letter_counts(*forms, classes()), line_keys(*forms)
    asked = (letters > 0) & ~_spared(data, offsets, pieces, spare)
    numbers, first, begins = ask_once(keys, pieces.firsts, asked, each)
    return {
        NUMBERS: _lists(pa.array(numbers, pa.int32()), pieces.firsts),
        LETTERS: _lists(pa.array(letters, pa.int32()), pieces.firsts),
        KEYS: _lists(_fixed(keys[first]), begins),
    }


def _spared(data: Bytes, offsets: Offsets, pieces: Pieces, spare: Collection[str]) -> Flags:
    """Flag the pieces that hold a line of code or of a table, where these are spared."""
    from headrace.stages.kernels.line_fates import spared_lines
    from headrace.stages.kernels.lines import line_bounds

    lines = spared_lines(data, *line_bounds(data, offsets), "code" in spare, "tables" in spare)
    return np.logical_or.reduceat(lines, pieces.lines) if len(pieces.lines) else lines


def asked_of(table: pa.Table) -> Asked:
    """Read the columns back."""
    numbers, firsts = _flat(table[NUMBERS])
    letters, _ = _flat(table[LETTERS])
    keys, begins = _flat(table[KEYS])
    return Asked(np.asarray(numbers.to_numpy(), np.int32), letters.to_numpy().astype(np.int64), firsts, keys, begins)


def _lists(values: Array, ends: Offsets) -> Array:
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), values)


def _fixed(keys: Hashes) -> Array:
    return pa.Array.from_buffers(_KEY, len(keys), [None, pa.py_buffer(np.ascontiguousarray(keys).data)])


def _flat(column: Column) -> tuple[Array, Offsets]:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    sizes = pc.list_value_length(whole).to_numpy()
    return pc.list_flatten(whole), np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
