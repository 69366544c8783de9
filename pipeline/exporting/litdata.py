"""Chunks of LitData, and the `index.json` that names them.

A chunk: number of items (u32), where each begins and the last ends (u32), the items. A sequence is an item of ids
alone, which LitData's `TokensLoader` cuts into blocks: read with `StreamingDataset(DIR, item_loader=
TokensLoader(block_size=SEQUENCE_LENGTH))`. A document is an item of its size in bytes (u32) and its ids: read with
`StreamingDataset(DIR)`. The format has no checksum of its own.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

import numpy as np

from headrace.pipeline.exporting.out_folder import OutFolder
from headrace.pipeline.exporting.ragged import Ragged, arrays, little_endian, numbers, side_by_side
from headrace.pipeline.exporting.rows import Rows
from headrace.pipeline.exporting.shape import Shape

_UINT16, _INT32 = 20, 16  # LitData's numbers of torch's types; it has none for uint32
# torch's description of a value that is one tensor, in the first protocol of its pytrees
_ONE_TENSOR = '[1, {"type": null, "context": null, "children_spec": []}]'


def write_litdata(parts: Iterator[Rows], out: OutFolder, shape: Shape) -> None:
    """Write a chunk for each file's rows, and the index."""
    chunks = []
    for number, rows in enumerate(parts):
        items = arrays(rows.ids, rows.offsets)
        if not shape.packed:
            items = side_by_side([numbers(items.sizes.astype(np.uint32)), items])
        ref = out.write(f"chunk-0-{number}.bin", _head(items), items.data)
        tokens = len(rows.ids) if shape.packed else None
        chunks.append({"chunk_bytes": ref.bytes, "chunk_size": rows.count, "dim": tokens, "filename": ref.name})
    index = {"chunks": chunks, "config": _config(shape)}
    out.write("index.json", json.dumps(index, sort_keys=True).encode())


def _head(items: Ragged) -> bytes:
    count = len(items.offsets) - 1
    places = items.offsets + 4 + 4 * (count + 1)
    return struct.pack("<I", count) + little_endian(places.astype(np.uint32)).tobytes()


def _config(shape: Shape) -> dict[str, object]:
    kind = _UINT16 if shape.id_type == "uint16" else _INT32
    return {
        "chunk_bytes": shape.file_bytes,
        "chunk_size": None,
        "compression": None,
        "data_format": [f"no_header_tensor:{kind}"],
        "data_spec": _ONE_TENSOR,
        "encryption": None,
        "item_loader": "TokensLoader" if shape.packed else "PyTreeLoader",
    }
