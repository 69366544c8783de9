"""Token shards as Arrow IPC files: uncompressed, so that readers map them into memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

_BATCH_SEQUENCES = 256  # one record batch is about 1 MB at 2,048 two-byte tokens


def write_arrow(path: Path, table: pa.Table) -> None:
    """Write the table as one IPC file with a record batch for every 256 sequences."""
    options = pa.ipc.IpcWriteOptions(compression=None)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks(), max_chunksize=_BATCH_SEQUENCES)
