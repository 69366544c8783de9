"""Token shards as LMDB databases: one file, blocks of sequences, the same bytes for the same shard."""

from __future__ import annotations

import errno
import math
from pathlib import Path

import lmdb
import pyarrow as pa

from headrace.schemas.durable import canonical_json
from headrace.schemas.shard import LMDB_BLOCK_SEQUENCES

HEADER = b"header"
_MEGABYTE = 1 << 20
_PAGES_SHARE = 1.25  # the map's size over that of the values: page headers, branch pages and rests of pages
_PAGES_LEAST = 4 * _MEGABYTE


def write_lmdb(path: Path, table: pa.Table) -> None:
    """Write the table in one transaction, keys in order, without a lock file.

    The size of the map is stored in the file, so it follows from the content; pages are zeroed before use (`meminit`).
    """
    blocks = [_block(table.slice(at, LMDB_BLOCK_SEQUENCES)) for at in range(0, table.num_rows, LMDB_BLOCK_SEQUENCES)]
    try:
        with _environment(path, _map_size(sum(map(len, blocks)))) as store, store.begin(write=True) as transaction:
            for number, block in enumerate(blocks):
                transaction.put(number.to_bytes(8, "big"), block, append=True)
            transaction.put(HEADER, _header(table), append=True)
    except lmdb.Error as error:
        raise _storage_error(error, path) from error


def _environment(path: Path, map_size: int) -> lmdb.Environment:
    # sync=False: the caller syncs the finished file itself, once.
    return lmdb.open(
        str(path), map_size=map_size, subdir=False, lock=False, sync=False, metasync=False, meminit=True, max_dbs=0
    )


def _map_size(value_bytes: int) -> int:
    return math.ceil((value_bytes * _PAGES_SHARE + _PAGES_LEAST) / _MEGABYTE) * _MEGABYTE


def _block(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return memoryview(sink.getvalue())


def _header(table: pa.Table) -> bytes:
    metadata = table.schema.metadata or {}
    return canonical_json({key.decode(): value.decode() for key, value in metadata.items()})


def _storage_error(error: lmdb.Error, path: Path) -> OSError:
    """LMDB reports the system's cause as words alone."""
    full = "No space left" in str(error)
    return OSError(errno.ENOSPC if full else errno.EIO, str(error), str(path))
