"""A unit on disk between two stages: everything a `UnitBatch` holds, private columns included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headrace.schemas.durable import canonical_json, temporary_beside
from headrace.schemas.ledger import UnitLedger
from headrace.schemas.unit import UnitBatch

_LEDGER = b"headrace.unit"  # schema metadata: unit, counts and files
_SCHEMA = pa.schema([("table", pa.large_binary())])  # row 0: documents, then the settled tables, each an IPC stream


def save_batch(batch: UnitBatch, path: Path) -> None:
    """Write the batch; the file gets its name once it is whole."""
    streams = [_stream(table) for table in (batch.documents, *batch.settled)]
    schema = _SCHEMA.with_metadata({_LEDGER: canonical_json(batch.ledger.to_json())})
    temporary = temporary_beside(path)
    try:
        with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            for stream in streams:  # one record batch a table: no array of them all is built
                writer.write_batch(pa.record_batch([_cell(stream)], schema=schema))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def load_batch(path: Path) -> UnitBatch:
    """Read a batch back; its tables lie in the mapped file, which may be removed while they are in use."""
    with pa.memory_map(str(path)) as source:
        reader = pa.ipc.open_file(source)
        column = reader.read_all()["table"]
        metadata = reader.schema.metadata or {}
    tables = [pa.ipc.open_stream(_buffer(column[row])).read_all() for row in range(len(column))]
    ledger = UnitLedger.from_json(json.loads(metadata[_LEDGER]))
    return UnitBatch(ledger.unit, tables[0], tuple(tables[1:]), ledger.stages, ledger.files)


def _stream(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return sink.getvalue()


def _cell(stream: pa.Buffer) -> pa.Array[Any]:
    """Give the bytes as a column of one row, over the same memory."""
    ends = pa.py_buffer(np.array([0, stream.size], np.int64).tobytes())
    return pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, stream])


def _buffer(value: Any) -> pa.Buffer:
    buffer: pa.Buffer = value.as_buffer()
    return buffer
