"""The writer: takes units in order, and closes a shard at the unit border at which its target is reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headrace.schemas.durable import canonical_json, publish, sync_file, sync_folder
from headrace.schemas.errors import HeadraceError
from headrace.schemas.failpoints import reach
from headrace.schemas.ledger import StageCounts, appended
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import RunContext
from headrace.stages.writing.documents import Record, documents_table, emptied, parquet_bytes, quarantine_table
from headrace.stages.writing.files import Staged, commit_staged, discard, make_folders, stage_bytes, writing
from headrace.stages.writing.parsed import check_carried
from headrace.stages.writing.text_shard import TextShard


class OpenShard(Protocol):
    """The units since the last shard: what is collected of them, and when it is enough."""

    @property
    def format(self) -> str:
        """The format that the manifest names."""
        ...

    @property
    def suffix(self) -> str:
        """The ending of the file."""
        ...

    @property
    def full(self) -> bool:
        """Whether the shard closes after this unit."""
        ...

    @property
    def empty(self) -> bool:
        """Whether nothing was collected."""
        ...

    def add(self, batch: UnitBatch) -> None:
        """Take over one unit."""
        ...

    def write(self, path: Path) -> tuple[int, int]:
        """Write the shard; give its sequences (or rows) and its tokens."""
        ...

    def clear(self) -> None:
        """Begin the next shard."""
        ...


SHARDS, DOCUMENTS, LEDGER, QUARANTINE = "shards", "documents", "ledger", "quarantine"


@dataclass(frozen=True, slots=True)
class ShardClosed:
    """What one manifest line names: a range of units, all of whose files are durable under their final names."""

    first: int
    last: int
    shard: ShardInfo | None  # None when the range has no token (text) to read
    documents: tuple[FileRef, ...]
    ledgers: tuple[FileRef, ...]
    quarantine: tuple[FileRef, ...]


class WriterState:
    """Holds the open shard and the unit files that wait for it; nothing of it outlives a crash, and nothing has to."""

    def __init__(self, shard: OpenShard, record: Record, context: RunContext) -> None:
        self._run, self._stage, self._record, self._shard = context.run, context.stage, record, shard
        self._first = self._next = context.first_unit
        self._number = context.first_shard
        self._staged: list[Staged] = []
        make_folders(self._run, (SHARDS, DOCUMENTS, LEDGER, QUARANTINE))

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, ShardClosed | None]:
        """Write the unit's files and add its tokens; the report says what is durable if the unit closed the shard."""
        self._check_turn(batch.unit)
        if self._record == "full":
            check_carried(batch)
        kept = batch.documents.num_rows
        batch = batch.but(counts=appended(batch.counts, StageCounts(self._stage, kept, 0, kept)))
        batch.ledger.check()
        with self._clean_end():
            self._shard.add(batch)
            self._stage_files(batch)
            self._next += 1
            return emptied(batch), self._close() if self._shard.full else None

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Give nothing: the writer keeps no state beyond the shards that the manifest lists."""
        return ()

    def finish(self) -> ShardClosed | None:
        """Close what is open at the end of the input; None when every unit is in a closed shard."""
        with self._clean_end():
            return self._close() if self._next > self._first else None

    @contextmanager
    def _clean_end(self) -> Iterator[None]:
        """On failure remove what waits for a commit that will not come: a full disk needs the room."""
        try:
            yield
        except BaseException:
            discard(self._staged)
            raise

    def _check_turn(self, unit: int) -> None:
        if unit != self._next:
            raise HeadraceError(
                f"unit {unit} came to the writer, unit {self._next} was due",
                where=f"stage {self._stage}",
                remedy="this is a bug of the pipeline: the run goes back to its last commit when it is started again",
            )

    def _stage_files(self, batch: UnitBatch) -> None:
        stem = f"{batch.unit:08d}"
        in_shard = isinstance(self._shard, TextShard)
        table = documents_table(batch, self._record, with_text=not in_shard)
        self._stage_file(DOCUMENTS, stem, ".parquet", parquet_bytes(table))
        reach("unit.documents.written")
        quarantined = quarantine_table(batch)
        if quarantined is not None:
            self._stage_file(QUARANTINE, stem, ".parquet", parquet_bytes(quarantined))
        self._stage_file(LEDGER, stem, ".json", canonical_json(batch.ledger.to_json()) + b"\n")
        reach("unit.ledger.written")

    def _stage_file(self, folder: str, stem: str, suffix: str, data: bytes | memoryview) -> None:
        self._staged.append(stage_bytes(self._run, folder, stem, suffix, data))

    def _close(self) -> ShardClosed:
        shard = None if self._shard.empty else self._publish()
        self._shard.clear()
        commit_staged(self._run, self._staged)
        reach("unit.files.synced")
        closed = ShardClosed(
            self._first, self._next - 1, shard, self._refs(DOCUMENTS), self._refs(LEDGER), self._refs(QUARANTINE)
        )
        self._staged, self._first = [], self._next
        self._number += shard is not None
        return closed

    def _publish(self) -> ShardInfo:
        stem = f"{self._number:08d}"
        with writing(self._run / SHARDS / f"{stem}{self._shard.suffix}") as temporary:
            sequences, tokens = self._shard.write(temporary)
            reach("shard.temporary.written")
            sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
            reach("shard.temporary.synced")
            ref = publish(temporary, self._run, SHARDS, stem, self._shard.suffix)
            reach("shard.renamed")
            sync_folder(self._run / SHARDS)
            reach("shard.folder.synced")
        return ShardInfo(ref, self._shard.format, sequences, tokens)

    def _refs(self, folder: str) -> tuple[FileRef, ...]:
        return tuple(file.ref for file in self._staged if file.ref.name.startswith(f"{folder}/"))
