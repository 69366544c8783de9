"""The columns that dedup needs of each document, computed in the stateless workers: key, signature, shingle set."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_128_digest

from headrace.stages.deduplication.options import MinHash
from headrace.stages.kernels.arrays import Array, Bytes, Column, Counts, Hashes, Offsets, Signatures
from headrace.stages.kernels.band_index import Entries
from headrace.stages.kernels.characters import classes
from headrace.stages.kernels.minhash import permutations, shingle_sets, sign_documents

KEY, SIGNATURE, SHINGLES = "_exact", "_minhash", "_shingles"
_KEY_BYTES = 16
N = TypeVar("N", np.uint64, np.uint32)
_UNITS = ("auto", "characters", "words")


def exact_keys(data: Bytes, offsets: Offsets) -> Array:
    """Hash each view to 128 bits."""
    text = memoryview(data.data)
    bounds: list[int] = offsets.tolist()
    keys = [xxh3_128_digest(text[begin:end]) for begin, end in pairwise(bounds)]
    return pa.array(keys, pa.binary(_KEY_BYTES))


def signatures(data: Bytes, offsets: Offsets, options: MinHash) -> tuple[Array, Counts]:
    """Give each view's signature as bytes, and its number of shingles."""
    a, b = permutations(options.bands * options.rows, options.seed)
    unit = _UNITS.index(options.shingle)
    values, counts = sign_documents(data, offsets, classes(), unit, options.shingle_size, a, b)
    return _fixed(values), counts


def sets_of_shingles(data: Bytes, offsets: Offsets, options: MinHash, counts: Counts) -> Array:
    """Give each view's set of shingle hashes, sorted."""
    unit = _UNITS.index(options.shingle)
    values, ends = shingle_sets(data, offsets, classes(), unit, options.shingle_size, counts)
    return _lists(values, ends)


def to_columns(entries: Entries, names: Iterable[str]) -> dict[str, Array]:
    """Give entries as columns, those with the given names."""
    columns = {
        KEY: _fixed(entries.keys),
        SIGNATURE: _fixed(entries.signatures),
        SHINGLES: _lists(entries.shingles, entries.ends),
    }
    return {name: columns[name] for name in names}


def from_columns(table: pa.Table, slots: int) -> Entries:
    """Read entries back from a table's columns; a column that is not there gives an empty array."""
    names = table.column_names
    keys: Hashes = _values(table[KEY], np.uint64, 2) if KEY in names else np.zeros((0, 2), np.uint64)
    signed: Signatures = np.zeros((table.num_rows, 0), np.uint32)
    if SIGNATURE in names:
        signed = _values(table[SIGNATURE], np.uint32, slots)
    if SHINGLES not in names:
        return Entries(keys, signed, np.zeros(0, np.uint32), np.zeros(table.num_rows + 1, np.int64))
    sizes = pc.list_value_length(table[SHINGLES]).to_numpy()
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return Entries(keys, signed, pc.list_flatten(table[SHINGLES]).to_numpy(), ends)


def _fixed(values: Hashes | Signatures) -> Array:
    width = pa.binary(values.shape[1] * values.itemsize)
    return pa.Array.from_buffers(width, len(values), [None, pa.py_buffer(np.ascontiguousarray(values).data)])


def _lists(values: Signatures, ends: Offsets) -> Array:
    items = pa.array(values, pa.uint32())
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), items)


def _values(column: Column, kind: type[N], width: int) -> npt.NDArray[N]:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    buffer = array.buffers()[1]
    flat = np.frombuffer(memoryview(buffer), kind) if buffer is not None and buffer.size else np.zeros(0, kind)
    return flat[array.offset * width : (array.offset + len(array)) * width].reshape(len(array), width)
