"""Text columns as the two arrays that kernels work on: the bytes of all documents, and where each document begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

T = TypeVar("T", bound=np.generic)
if TYPE_CHECKING:  # generic in the stubs alone
    Array = pa.Array[Any]
    Column = pa.ChunkedArray[Any] | Array
else:
    Array, Column = pa.Array, pa.ChunkedArray | pa.Array
Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Hashes = npt.NDArray[np.uint64]
Signatures = npt.NDArray[np.uint32]
Links = npt.NDArray[np.int32]
CodePoints = npt.NDArray[np.uint32]
Classes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int32] | npt.NDArray[np.int64]  # positions inside one text


def text_buffers(column: Column) -> tuple[Bytes, Offsets]:
    """Give a text column's bytes and offsets without copying; a null counts as an empty text.

    The offsets of a slice do not begin at 0. Both arrays are read-only: writable ones would be a second type to numba
    and compile every kernel twice.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if array.type != pa.large_string():
        array = array.cast(pa.large_string())
    if array.null_count:
        array = array.fill_null("")
    _, offsets, data = array.buffers()
    text = np.frombuffer(memoryview(data), np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    bounds = np.zeros(1, np.int64)
    if offsets is not None and len(array):
        bounds = np.frombuffer(memoryview(offsets), np.int64)[array.offset : array.offset + len(array) + 1]
    return read_only(text), read_only(bounds)


def text_array(data: Bytes, offsets: Offsets) -> Array:
    """Wrap bytes and offsets as an Arrow array without copying; the bytes must be UTF-8."""
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(data.data)]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)


def with_column(table: pa.Table, name: str, array: Array) -> pa.Table:
    """Give the table with a column's content replaced at its place, or with the column appended."""
    place = table.schema.get_field_index(name)
    if place < 0:
        return table.append_column(name, array)
    return table.set_column(place, table.schema.field(place), array)


def floats(table: pa.Table, name: str) -> Floats:
    """Give a column of numbers, NaN where it is null or where the table does not have it."""
    if name not in table.column_names:
        return np.full(table.num_rows, np.nan)
    return np.asarray(table[name].to_numpy(), np.float64)


def read_only(array: npt.NDArray[T]) -> npt.NDArray[T]:
    """Give a view that cannot be written: one type for a kernel, wherever the array came from."""
    view = array.view()
    view.flags.writeable = False
    return view
