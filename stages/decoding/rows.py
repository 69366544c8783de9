"""Rows of bytes as kernels take them: one buffer, where each row lies in it, and which rows are one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Array, Bytes, Offsets, read_only


class Rows(NamedTuple):
    """Row r is `data[begins[r]:ends[r]]`; group g, judged as one, has the rows `firsts[g]` to `firsts[g + 1]`.

    The arrays are read-only: writable ones would be another type to numba and compile every kernel again.
    """

    data: Bytes
    begins: Offsets
    ends: Offsets
    firsts: Offsets
    size: int  # bytes of all rows

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.firsts) - 1

    def as_one(self) -> Rows:
        """Give the same rows as one group."""
        return self._replace(firsts=_offsets([0, len(self.begins)]))

    def part(self, first: int, last: int) -> Rows:
        """Give some neighbouring rows as one group."""
        begins, ends = self.begins[first:last], self.ends[first:last]
        return Rows(self.data, begins, ends, _offsets([0, last - first]), int((ends - begins).sum()))

    def row(self, number: int) -> bytes:
        """Give the bytes of one row."""
        return self.data[self.begins[number] : self.ends[number]].tobytes()

    def group(self, number: int) -> bytes:
        """Give the bytes of a group, its rows joined."""
        first, last = int(self.firsts[number]), int(self.firsts[number + 1])
        return b"".join(self.row(row) for row in range(first, last))

    def head(self, number: int, size: int) -> bytes:
        """Give the first bytes of a group."""
        taken, left = [], size
        for row in range(int(self.firsts[number]), int(self.firsts[number + 1])):
            taken.append(self.data[self.begins[row] : min(self.ends[row], self.begins[row] + left)].tobytes())
            left -= len(taken[-1])
            if not left:
                break
        return b"".join(taken)


def rows_of_bytes(data: bytes) -> Rows:
    """Give one row that is a group."""
    return Rows(np.frombuffer(data, np.uint8), _BEGIN, _offsets([len(data)]), _ONE_GROUP, len(data))


def rows_of_values(values: Sequence[bytes]) -> Rows:
    """Give one row a value, each a group of its own."""
    ends = np.cumsum([len(value) for value in values], dtype=np.int64)
    begins = np.concatenate((_BEGIN, ends[:-1])) if len(values) else ends
    data = np.frombuffer(b"".join(values), np.uint8)
    return Rows(data, _frozen(begins), _frozen(ends), _offsets(range(len(values) + 1)), len(data))


def rows_of_array(array: Array, firsts: Sequence[int]) -> Rows:
    """Give the rows of a large binary array without copying; a null is an empty row."""
    _, offsets, values = array.buffers()
    bounds = np.zeros(1, np.int64)
    if offsets is not None and len(array):
        bounds = np.frombuffer(memoryview(offsets), np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(memoryview(values), np.uint8) if values is not None and values.size else np.empty(0, np.uint8)
    begins, ends = bounds[:-1], bounds[1:]
    if array.null_count:
        ends = np.where(np.asarray(array.is_null().to_numpy(zero_copy_only=False)), begins, ends)
    return Rows(read_only(data), _frozen(begins), _frozen(ends), _offsets(firsts), int((ends - begins).sum()))


def _offsets(values: Sequence[int]) -> Offsets:
    return read_only(np.array(values, np.int64))


def _frozen(values: Offsets) -> Offsets:
    return read_only(np.ascontiguousarray(values))


_BEGIN, _ONE_GROUP = _offsets([0]), _offsets([0, 1])
