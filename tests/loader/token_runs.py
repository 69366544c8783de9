"""A tiny writer of runs: the manifest and shards a reader sees, with contents that tell which sequence is which."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
import pyarrow as pa

from headrace.schemas.durable import canonical_json, replace_file, sha256_file
from headrace.schemas.manifest import MANIFEST, MANIFEST_VERSION, PUBLISHED, ManifestLine, ShardInfo
from headrace.schemas.shard import LMDB_BLOCK_SEQUENCES, shard_schema
from headrace.schemas.unit import FileRef

PAD, VOCABULARY = 0, 50


@dataclass
class TokenRun:
    """Appends committed shards to a run folder, as the pipeline would."""

    folder: Path
    format: str = "arrow"
    sequence_length: int = 8
    batch_rows: int = 3  # rows an Arrow record batch, so that files have several
    sequences: int = 0
    lines: list[bytes] = field(default_factory=list)

    def add(self, count: int, *, publish: bool = True) -> ShardInfo:
        """Commit a shard of so many sequences."""
        (self.folder / "shards").mkdir(parents=True, exist_ok=True)
        table = sequences(self.sequences, count, self.sequence_length)
        path = self.folder / "shards" / f"{len(self.lines):08d}.{self.format}"
        {"arrow": self._arrow, "lmdb": self._lmdb}[self.format](path, table)
        ref = FileRef(f"shards/{path.name}", sha256_file(path), path.stat().st_size)
        info = ShardInfo(ref, self.format, count, int(np.asarray(table["length"]).sum()))
        self.sequences += count
        self._append(info, end=False, publish=publish)
        return info

    def end(self) -> TokenRun:
        """Close the run."""
        self._append(None, end=True, publish=True)
        return self

    def publish(self) -> None:
        """Let readers see every line."""
        value = {"version": MANIFEST_VERSION, "lines": len(self.lines)}
        replace_file(self.folder / PUBLISHED, canonical_json(value))

    def _append(self, shard: ShardInfo | None, *, end: bool, publish: bool) -> None:
        n = len(self.lines)
        self.lines.append(ManifestLine(n, n, n, shard, (), (), (), (), (), 0, end=end).encode())
        with (self.folder / MANIFEST).open("ab") as f:  # never cut: somebody may be reading
            f.write(self.lines[-1])
        if publish:
            self.publish()

    def _arrow(self, path: Path, table: pa.Table) -> None:
        with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, table.schema) as writer:
            writer.write_table(table, max_chunksize=self.batch_rows)

    def _lmdb(self, path: Path, table: pa.Table) -> None:
        environment = lmdb.open(str(path), subdir=False, lock=False, map_size=1 << 24)
        metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        with environment, environment.begin(write=True) as transaction:
            transaction.put(b"header", json.dumps(metadata).encode())
            for block, begin in enumerate(range(0, table.num_rows, LMDB_BLOCK_SEQUENCES)):
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, table.schema) as writer:
                    writer.write_table(table.slice(begin, LMDB_BLOCK_SEQUENCES).combine_chunks())
                transaction.put(block.to_bytes(8, "big"), sink.getvalue().to_pybytes())


def make_run(folder: Path, shards: list[int], *, end: bool = True, **options: Any) -> TokenRun:
    """Write a run with so many sequences in each shard."""
    run = TokenRun(folder, **options)
    for count in shards:
        run.add(count)
    return run.end() if end else run


def sequences(first: int, count: int, length: int) -> pa.Table:
    """Give sequences number first, first + 1, ...: see `tokens_of`."""
    numbers = range(first, first + count)
    pieces = [pieces_of(n, length) for n in numbers]
    schema = shard_schema(length, VOCABULARY, PAD, "tokenizer")
    columns = {
        "tokens": [tokens_of(n, length) for n in numbers],
        "length": [ends[-1] for ends in pieces],
        "piece_ends": pieces,
        "piece_units": [[n] * len(ends) for n, ends in zip(numbers, pieces, strict=True)],
        "piece_rows": [list(range(len(ends))) for ends in pieces],
        "piece_starts": [[0] * len(ends) for ends in pieces],
    }
    return pa.table(columns, schema=schema)


def pieces_of(number: int, length: int) -> list[int]:
    """Give where the pieces of a sequence end: one to three of them, with up to two tokens of padding behind."""
    full = length - number % 3
    return sorted({full} | {full // part for part in range(2, 2 + number % 3)})


def tokens_of(number: int, length: int) -> list[int]:
    """Give the ids of a sequence: every piece counts up from the sequence's number."""
    ids: list[int] = []
    for end in pieces_of(number, length):
        ids += [1 + (number + i) % (VOCABULARY - 1) for i in range(end - len(ids))]
    return ids + [PAD] * (length - len(ids))
