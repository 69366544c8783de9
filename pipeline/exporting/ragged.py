"""Columns of byte strings, and records that are such columns side by side: how rows become the bytes of a format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headrace.loader.order import IntArray
from headrace.pipeline.exporting.kernels import copy_bytes
from headrace.pipeline.exporting.rows import Ids, offsets_of
from headrace.schemas.arrays import Bytes, Column, Offsets, read_only, text_buffers

_VARINT_BYTES = 10  # of 64 bits, seven a byte


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Byte strings one behind the other: item i is data[offsets[i]:offsets[i + 1]]."""

    data: Bytes
    offsets: Offsets

    @property
    def sizes(self) -> IntArray:
        """Bytes of each item."""
        return np.diff(self.offsets)


def constant(value: bytes, count: int) -> Ragged:
    """Give the same bytes for each of so many items, which share them."""
    return Ragged(np.tile(np.frombuffer(value, np.uint8), count), np.arange(count + 1, dtype=np.int64) * len(value))


def numbers(values: npt.NDArray[np.integer]) -> Ragged:
    """Give each number as the little-endian bytes of its type."""
    data = little_endian(values)
    return Ragged(data, np.arange(len(values) + 1, dtype=np.int64) * values.dtype.itemsize)


def arrays(values: Ids | npt.NDArray[np.int32], offsets: Offsets) -> Ragged:
    """Give each array values[offsets[i]:offsets[i + 1]] as its bytes."""
    return Ragged(little_endian(values), offsets * values.dtype.itemsize)


def texts(column: Column) -> Ragged:
    """Give each text as UTF-8."""
    return Ragged(*text_buffers(column))


def varints(values: IntArray) -> Ragged:
    """Give each number, not below 0, in the variable-length code of Protocol Buffers: seven bits a byte, low first."""
    sizes = varint_sizes(values)
    offsets = offsets_of(sizes)
    data = np.empty(int(offsets[-1]), np.uint8)
    left, starts = values.astype(np.uint64), offsets[:-1]
    for byte in range(int(sizes.max(initial=0))):
        here = np.flatnonzero(sizes > byte) if byte else slice(None)
        last = sizes[here] == byte + 1
        data[starts[here] + byte] = (left[here] & np.uint64(0x7F)).astype(np.uint8) | np.where(last, 0, 0x80)
        left = left >> np.uint64(7)
    return Ragged(data, offsets)


def varint_sizes(values: IntArray) -> IntArray:
    """Give how many bytes each number takes as a varint."""
    limits = np.array([1 << 7 * k for k in range(1, _VARINT_BYTES - 1)], np.uint64)
    return 1 + np.searchsorted(limits, values.astype(np.uint64), "right").astype(np.int64)


def side_by_side(columns: Sequence[Ragged]) -> Ragged:
    """Give the items of all columns joined: item i is that of the first column, that of the second, and so on."""
    sizes = np.stack([column.sizes for column in columns])
    offsets = offsets_of(sizes.sum(axis=0))
    data = np.empty(int(offsets[-1]), np.uint8)
    targets = offsets[:-1].copy()
    for column, size in zip(columns, sizes, strict=True):
        copy_bytes(read_only(column.data), read_only(column.offsets[:-1]), targets, size, data)
        targets += size
    return Ragged(data, offsets)


def little_endian(values: npt.NDArray[np.integer]) -> Bytes:
    """Give the bytes of numbers, low byte first on every machine."""
    ordered = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(ordered).reshape(-1).view(np.uint8)
