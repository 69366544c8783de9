"""MDS, the format of MosaicML's streaming: numbered shards and an `index.json` that names them with their SHA-256.

A shard: number of samples (u32), where each begins and the last ends (u32), the columns as JSON, the samples. A sample:
the sizes (u32) of the columns that have no fixed one, then the columns in the order of their names. Read with
`streaming.StreamingDataset`, whose `validate_hash="sha256"` checks the hashes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

import numpy as np

from headrace.loader.order import IntArray
from headrace.pipeline.exporting.out_folder import OutFolder
from headrace.pipeline.exporting.ragged import Ragged, arrays, little_endian, numbers, side_by_side, texts
from headrace.pipeline.exporting.rows import DOC_ID, Rows, offsets_of
from headrace.pipeline.exporting.shape import Shape
from headrace.schemas.unit import FileRef

Config = dict[str, object]
_VERSION = 2
_OF_SHAPE = ((0, 1), (1, 2), (2, 4))  # code of the type of an array's length, and its bytes: u8, u16, u32


def write_mds(parts: Iterator[Rows], out: OutFolder, shape: Shape) -> None:
    """Write a shard for each file's rows, and the index."""
    config = _config(shape)
    shards = []
    for number, rows in enumerate(parts):
        samples = _samples(rows, shape)
        ref = out.write(f"shard.{number:05}.mds", *_head(samples, config), samples.data)
        shards.append({**config, "raw_data": _described(ref), "samples": rows.count, "zip_data": None})
    out.write("index.json", _json({"shards": shards, "version": _VERSION}))


def _config(shape: Shape) -> Config:
    """Describe the columns, in the order of their names."""
    length, kind = shape.layout.sequence_length, shape.id_type
    size = np.dtype(kind).itemsize
    packed = [
        ("document_ends", "ndarray:int32", None),
        ("length", "int", 8),
        ("tokens", f"ndarray:{kind}:{length}", size * length),
    ]
    columns = packed if shape.packed else [("doc_id", "str", None), ("tokens", f"ndarray:{kind}", None)]
    names, encodings, sizes = zip(*columns, strict=True)
    return {
        "column_encodings": encodings,
        "column_names": names,
        "column_sizes": sizes,
        "compression": None,
        "format": "mds",
        "hashes": ["sha256"],
        "size_limit": shape.file_bytes,
        "version": _VERSION,
    }


def _samples(rows: Rows, shape: Shape) -> Ragged:
    if shape.packed:
        ends = _arrays_of_any_length(arrays(rows.ends, rows.end_offsets), np.diff(rows.end_offsets))
        return side_by_side([_sizes(ends), ends, numbers(rows.lengths), arrays(rows.ids, rows.offsets)])
    names = texts(rows.origins[DOC_ID])
    ids = _arrays_of_any_length(arrays(rows.ids, rows.offsets), rows.lengths)
    return side_by_side([_sizes(names), _sizes(ids), names, ids])


def _sizes(column: Ragged) -> Ragged:
    return numbers(column.sizes.astype(np.uint32))


def _arrays_of_any_length(values: Ragged, lengths: IntArray) -> Ragged:
    """Put before each array how long it is: a byte (dimensions << 2 | code of the type), then the length."""
    heads = np.zeros((len(lengths), 5), np.uint8)
    codes = np.searchsorted([1 << 8, 1 << 16], lengths, "right")
    heads[:, 0] = 1 << 2 | codes
    heads[:, 1:] = lengths.astype("<u4").view(np.uint8).reshape(-1, 4)
    sizes = 1 + np.array([size for _, size in _OF_SHAPE])[codes]
    used = np.arange(5) < sizes[:, None]
    return side_by_side([Ragged(heads[used], offsets_of(sizes)), values])


def _head(samples: Ragged, config: Config) -> tuple[bytes, bytes]:
    described = _json(config)
    count = len(samples.offsets) - 1
    begin = 4 + 4 * (count + 1) + len(described)
    places = little_endian((samples.offsets + begin).astype(np.uint32)).tobytes()
    return struct.pack("<I", count) + places, described


def _described(ref: FileRef) -> Config:
    return {"basename": ref.name, "bytes": ref.bytes, "hashes": {"sha256": ref.sha256}}


def _json(value: Config) -> bytes:
    return json.dumps(value, sort_keys=True).encode()
