"""Rows of a shard, whatever its format: for looking at runs, not for training (the loader maps shards into memory)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import lmdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import zstandard

from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import FormatError
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.shard import ARROW, JSONL, LMDB, SHARD_VERSION, VERSION_KEY

_HEADER = b"header"
_ROWS = 1000  # of JSON lines at a time
_PIECES = ("piece_ends", "piece_units", "piece_rows", "piece_starts")


@dataclass(frozen=True, slots=True)
class Piece:
    """Where tokens of a document lie: [begin, end) of a sequence of the shard; `start` of its tokens come before."""

    sequence: int
    begin: int
    end: int
    start: int


def read_shard(run: Path, shard: ShardInfo, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Give the rows of a shard in order, piece by piece; FormatError if it is damaged or of another version."""
    path = run / shard.file.name
    try:
        if shard.format == ARROW:
            tables = _arrow(path)
        elif shard.format == LMDB:
            tables = _lmdb(path)
        elif shard.format == JSONL:
            tables = _jsonl(path)
        else:
            tables = _parquet(path, columns)
        for table in tables:
            yield table.select(list(columns)) if columns is not None else table
    except (pa.ArrowException, lmdb.Error, zstandard.ZstdError, KeyError, ValueError, OSError) as error:
        why = f"{type(error).__name__}: {error}"
        raise FormatError(
            "the shard cannot be read", where=shard.file.name, why=why, remedy="run `headrace verify`"
        ) from error


def pieces_of(run: Path, shard: ShardInfo, unit: int, row: int) -> list[Piece]:
    """Find the pieces of one document (row of its unit's documents file) in a token shard."""
    found: list[Piece] = []
    before = 0
    for table in read_shard(run, shard, _PIECES):
        ends, units, rows, starts = (table[name].combine_chunks() for name in _PIECES)
        sequences = pc.list_parent_indices(ends).to_numpy()
        flat = [pc.list_flatten(column).to_numpy() for column in (ends, units, rows, starts)]
        for at in ((flat[1] == unit) & (flat[2] == row)).nonzero()[0].tolist():
            first = at == 0 or sequences[at - 1] != sequences[at]
            begin = 0 if first else int(flat[0][at - 1])
            found.append(Piece(before + int(sequences[at]), begin, int(flat[0][at]), int(flat[3][at])))
        before += table.num_rows
    return sorted(found, key=lambda piece: piece.start)


def _arrow(path: Path) -> Iterator[pa.Table]:
    with pa.memory_map(str(path)) as mapped, pa.ipc.open_file(mapped) as file:
        _check_version((file.schema.metadata or {}).get(VERSION_KEY))
        for number in range(file.num_record_batches):
            yield pa.Table.from_batches([file.get_batch(number)])


def _lmdb(path: Path) -> Iterator[pa.Table]:
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False) as environment, environment.begin() as reading:
        header = json.loads(reading.get(_HEADER) or b"{}")
        _check_version(str(header.get(VERSION_KEY.decode())).encode())
        for key, value in reading.cursor():
            if key != _HEADER:
                with pa.ipc.open_stream(pa.py_buffer(value)) as stream:
                    yield stream.read_all()


def _parquet(path: Path, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, None if columns is None else list(columns))


def _jsonl(path: Path) -> Iterator[pa.Table]:
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        lines = io.BufferedReader(stream, 1 << 20)
        while rows := [json.loads(line) for line in islice(lines, _ROWS)]:
            yield _documents(rows)


def _documents(rows: Sequence[dict[str, object]]) -> pa.Table:
    """Give JSON objects as the columns that Parquet would have: those of a document, measured ones, and others."""
    for row in rows:
        if "metadata" in row:
            row["metadata"] = canonical_json(row["metadata"]).decode()
    others = {name: _type_of(name, value) for row in rows for name, value in row.items()}
    own = {name: kind for name, kind in others.items() if name not in DOCUMENT_SCHEMA.names}
    return pa.Table.from_pylist(list(rows), pa.schema([*DOCUMENT_SCHEMA, *map(pa.field, own, own.values())]))


def _type_of(name: str, value: object) -> pa.DataType:
    return pa.float64() if name.startswith(("values.", "scores.")) else pa.infer_type([value], [False])


def _check_version(found: bytes | None) -> None:
    if found != str(SHARD_VERSION).encode():
        raise ValueError(f"shard version {found!r} is not known")
