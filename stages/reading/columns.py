"""Columns of records as numpy sees them: their bytes in one piece, and where neighbours belong together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headrace.schemas.arrays import Array, Column


def bytes_of(array: Array) -> npt.NDArray[np.uint8]:
    """Give the bytes of all values of a large binary or string array, one behind the other, without copying."""
    _, offsets, values = array.buffers()
    if offsets is None or values is None or not values.size:
        return np.zeros(0, np.uint8)
    bounds = np.frombuffer(memoryview(offsets), np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(memoryview(values), np.uint8)[bounds[0] : bounds[-1]]


def strings(column: Column) -> list[str]:
    """Give a column's values, a null as an empty string."""
    return [value or "" for value in column.to_pylist()]


def runs(table: pa.Table, *names: str) -> Iterator[pa.Table]:
    """Give neighbouring rows together that have the same values in some string columns (null is a value)."""
    if not table.num_rows:
        return
    changes = np.zeros(table.num_rows - 1, bool)
    for name in names:
        changes |= _changes(table[name])
    borders = [0, *(np.flatnonzero(changes) + 1).tolist(), table.num_rows]
    yield from (table.slice(a, b - a) for a, b in itertools.pairwise(borders))


def _changes(column: Column) -> npt.NDArray[np.bool_]:
    coded = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    codes = coded.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    return np.asarray(codes[1:] != codes[:-1], bool)
