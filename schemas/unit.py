"""The unit: the only grain of replay, and what travels through the chain for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from headrace.schemas.ledger import FileCount, StageCounts, UnitLedger
from headrace.schemas.source import Cursor


@dataclass(frozen=True, slots=True)
class UnitRequest:
    """A unit that was admitted: its place in the global order, and where its text begins."""

    unit: int
    lane: int
    cursor: Cursor


@dataclass(frozen=True, slots=True)
class UnitBatch:
    """One unit inside the chain: live documents, settled ones, and the counts so far.

    `documents` has RAW_SCHEMA until parse and DOCUMENT_SCHEMA (plus appended columns) after it; `settled` holds one
    table per stage that took documents out, in chain order, with the verdict columns.
    """

    unit: int
    documents: pa.Table
    settled: tuple[pa.Table, ...] = ()
    counts: tuple[StageCounts, ...] = ()
    files: tuple[FileCount, ...] = ()

    def but(self, **changes: Any) -> UnitBatch:
        """Give a copy with some fields replaced."""
        return replace(self, **changes)

    @property
    def ledger(self) -> UnitLedger:
        """The counts as a ledger, unchecked."""
        return UnitLedger(self.unit, self.counts, self.files)

    def __reduce__(self) -> tuple[object, ...]:
        """Travel as one Arrow stream a table: pickled by columns, each of some 40 costs a Python call."""
        settled = tuple(_stream(table) for table in self.settled)
        return _unpacked, (self.unit, _stream(self.documents), settled, self.counts, self.files)


def _stream(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return sink.getvalue()


def _unpacked(
    unit: int,
    documents: pa.Buffer,
    settled: tuple[pa.Buffer, ...],
    counts: tuple[StageCounts, ...],
    files: tuple[FileCount, ...],
) -> UnitBatch:
    tables = tuple(pa.ipc.open_stream(buffer).read_all() for buffer in settled)
    return UnitBatch(unit, pa.ipc.open_stream(documents).read_all(), tables, counts, files)


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file of the run: path relative to the run folder, SHA-256 of its content in hex, size in bytes."""

    name: str
    sha256: str
    bytes: int

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form used in manifest lines."""
        return {"name": self.name, "sha256": self.sha256, "bytes": self.bytes}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> FileRef:
        """Read the JSON form back."""
        return cls(value["name"], value["sha256"], value["bytes"])
