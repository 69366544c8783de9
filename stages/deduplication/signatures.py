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

from headrace.schemas.arrays import Array, Bytes, Column, Counts, Hashes, Offsets, Signatures
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.deduplication.rules import Near, Verify, scheme_of, shingling_of
from headrace.stages.deduplication.schemes import Scheme, Values, sign_pieces
from headrace.stages.deduplication.shingles import Pieces, Shingles, and_of_each, joined, pieces, sets_of
from headrace.stages.deduplication.simhash import fingerprint_pieces
from headrace.stages.deduplication.sketches import sketches_of
from headrace.stages.kernels.band_hashes import hash_bands
from headrace.stages.kernels.entries import Entries

KEY, SIGNED, SIGNATURE, SETS = "_exact", "_signed", "_signature", "_sets"
PRIVATE = (KEY, SIGNED, SIGNATURE, SETS)
_KEY_BYTES = 16
_SETS = {"exact": sets_of, "sketch": sketches_of}
N = TypeVar("N", np.uint64, np.uint32)


def exact_keys(data: Bytes, offsets: Offsets) -> Array:
    """Hash each view to 128 bits."""
    text = memoryview(data.data)
    bounds: list[int] = offsets.tolist()
    keys = [xxh3_128_digest(text[begin:end]) for begin, end in pairwise(bounds)]
    return pa.array(keys, pa.binary(_KEY_BYTES))


def near_columns(data: Bytes, offsets: Offsets, near: Near, verify: Verify) -> dict[str, Array]:
    """Give each view's signature as bytes, whether it has any shingles, and the set of these or its sketch.

    Where a sketch is compared, of a MinHash signature no more is given than hashes of its bands.
    """
    make, found = _SETS.get(verify), list[Shingles]()
    parts = pieces(data, offsets, shingling_of(near))
    values, counts = _signed(and_of_each(parts, make, found) if make else parts, len(offsets) - 1, near)
    if verify == "sketch" and isinstance(near, MinHash):
        values = _bands(values, scheme_of(near))
    columns = {SIGNED: pa.array(counts > 0), SIGNATURE: _fixed(values)}
    if make:
        every = joined(found)
        columns[SETS] = _lists(every.values, every.ends)
    return columns


def _bands(values: Values, scheme: Scheme) -> Hashes:
    hashes = np.empty((len(values), scheme.bands), np.uint64)
    hash_bands(values, scheme.rows, hashes)
    return hashes


def _signed(parts: Pieces, count: int, near: Near) -> tuple[Values, Counts]:
    if isinstance(near, SimHash):
        prints = fingerprint_pieces(parts, count)
        return prints.values.reshape(-1, 1), prints.counts
    signed = sign_pieces(parts, count, scheme_of(near))
    return signed.values, signed.counts


def to_columns(entries: Entries, names: Iterable[str]) -> dict[str, Array]:
    """Give entries as columns, those with the given names."""
    columns = {
        KEY: _fixed(entries.keys),
        SIGNED: pa.array(entries.signed),
        SIGNATURE: _fixed(entries.signatures),
        SETS: _lists(entries.sets, entries.ends),
    }
    return {name: columns[name] for name in names}


def from_columns(table: pa.Table, pieces: int) -> Entries:
    """Read entries back from a table's columns; a column that is not there gives an empty array (or False)."""
    names, count = table.column_names, table.num_rows
    keys: Hashes = values_of(table[KEY], np.uint64, 2) if KEY in names else np.zeros((0, 2), np.uint64)
    signed, signatures = np.zeros(count, np.bool_), np.zeros((count, 0), np.uint32)
    if SIGNATURE in names:
        signed = np.asarray(table[SIGNED].to_numpy(), np.bool_)
        signatures = values_of(table[SIGNATURE], np.uint32, pieces)
    if SETS not in names:
        return Entries(keys, signed, signatures, np.zeros(0, np.uint64), np.zeros(count + 1, np.int64))
    sizes = pc.list_value_length(table[SETS]).to_numpy()
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return Entries(keys, signed, signatures, pc.list_flatten(table[SETS]).to_numpy(), ends)


def _fixed(values: Hashes | Signatures) -> Array:
    width = pa.binary(values.shape[1] * values.itemsize)
    return pa.Array.from_buffers(width, len(values), [None, pa.py_buffer(np.ascontiguousarray(values).data)])


def _lists(values: Hashes, ends: Offsets) -> Array:
    items = pa.array(values, pa.uint64())
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), items)


def values_of(column: Column, kind: type[N], width: int) -> npt.NDArray[N]:
    """Give a column of fixed width as rows of `width` values, without copying."""
    array = in_one_piece(column)
    buffer = array.buffers()[1]
    flat = np.frombuffer(memoryview(buffer), kind) if buffer is not None and buffer.size else np.zeros(0, kind)
    return flat[array.offset * width : (array.offset + len(array)) * width].reshape(len(array), width)


def in_one_piece(column: Column) -> Array:
    """Give a column as one array, without copying where it is one: `combine_chunks` copies even then."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    pieces: list[Array] = column.chunks
    return pieces[0] if len(pieces) == 1 else pa.concat_arrays([pa.array([], column.type), *pieces])
