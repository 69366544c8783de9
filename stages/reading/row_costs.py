"""What rows of a table weigh once they are written out, dictionaries included: known before anything is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Column

ROW_COST = 64  # bytes a row counts at least, so that a part of empty rows ends too
_NUMBER = 8  # bytes that a value without length of its own counts

Weights = npt.NDArray[np.int64]


def row_costs(table: pa.Table) -> Weights:
    """Give what each row weighs: the bytes of its strings in all columns and depths, 8 for any other value."""
    total = np.full(table.num_rows, 0, np.int64)
    for column in table.columns:
        total += np.concatenate([_weights(chunk) for chunk in column.chunks] or [total])
    return np.maximum(total, ROW_COST)


def lengths_of(text: Column) -> Weights:
    """Give the bytes of each value of a column of strings or bytes, 0 for null."""
    lengths = pc.call_function("binary_length", [text]).fill_null(0)
    return np.asarray(lengths.to_numpy(), np.int64)


def _weights(array: Array) -> Weights:
    if isinstance(array, pa.ExtensionArray):
        return _weights(array.storage)
    kind = array.type
    if isinstance(array, pa.DictionaryArray):
        codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
        values = _weights(array.dictionary)
        weights: Weights = values[codes] if len(values) else np.zeros(len(array), np.int64)
        return weights
    if isinstance(array, pa.StructArray):
        children = [_weights(child) for child in array.flatten()]
        return np.asarray(np.sum([np.zeros(len(array), np.int64), *children], axis=0), np.int64)
    if isinstance(array, pa.ListArray | pa.LargeListArray | pa.MapArray):
        return _list_weights(array.values, array.offsets)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind) or _has_length(kind):
        return np.asarray(pc.call_function("binary_length", [array]).fill_null(0), np.int64)
    return np.full(len(array), max(_NUMBER, array.nbytes // max(1, len(array))), np.int64)


def _list_weights(values: Array, offsets: Array) -> Weights:
    inner, bounds = _weights(values), np.asarray(offsets, np.int64)
    sums = np.concatenate(([0], np.cumsum(inner)))
    weights: Weights = sums[bounds[1:]] - sums[bounds[:-1]] + _NUMBER
    return weights


def _has_length(kind: pa.DataType) -> bool:
    small = pa.types.is_string(kind) or pa.types.is_binary(kind)
    return small or pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
