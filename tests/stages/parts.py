"""Read files the way a run does: for tests of reading, decoding and parsing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from headrace.pipeline.listing import cut_splits, resolve_source
from headrace.schemas.source import Cursor, InputFile, Source, Split
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.decode import Decode
from headrace.stages.parse import Parse
from headrace.stages.read import Part, Reader

UNIT = 1 << 20


def a_source(*paths: str, **options: Any) -> Source:
    """Give a source called `s`."""
    return Source.model_validate({"name": "s", "paths": paths or ("unused",), **options})


def a_split(folder: Path, *names: str, begin: int = 0, end: int | None = None) -> Split:
    """Give a split of files as they are now."""
    states = [(name, (folder / name).stat()) for name in names]
    files = tuple(InputFile(name, state.st_size, state.st_mtime_ns) for name, state in states)
    return Split(0, "s", str(folder), files, begin, end)


def parts_of(split: Split, source: Source, unit_bytes: int = UNIT) -> list[Part]:
    """Read a split to its end with one reader."""
    reader, cursor = Reader(), Cursor(split.index)
    parts: list[Part] = []
    while True:
        parts.append(reader.read_part(split, source, cursor, unit_bytes))
        following = parts[-1].next
        if following is None:
            reader.close()
            return parts
        cursor = following


def records_of(parts: Iterable[Part]) -> list[tuple[int, bytes]]:
    """Give offset and bytes of every record."""
    return [
        pair
        for part in parts
        for pair in zip(part.documents["offset"].to_pylist(), part.documents["data"].to_pylist(), strict=True)
    ]


def faults_of(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Give every fault as a row."""
    return [row for part in parts for row in part.faults.to_pylist()]


def parsed(batch: UnitBatch) -> UnitBatch:
    """Decode and parse."""
    return apply("parse", Parse(), apply("decode", Decode(), batch))


class Outcome:
    """All that became of a source's files: documents, settled rows with their stage, and file counts."""

    def __init__(self, folder: Path, source: Source, unit_bytes: int = UNIT) -> None:
        root, self.files = resolve_source(source, folder)
        self.documents: list[dict[str, Any]] = []
        self.settled: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}
        self.notes: dict[str, str] = {}
        self.others: dict[str, int] = {}  # records that are no documents
        for split in cut_splits(source, root, self.files, unit_bytes=unit_bytes, first_index=0):
            for part in parts_of(split, source, unit_bytes):
                self._take(part)

    def _take(self, part: Part) -> None:
        settled: tuple[pa.Table, ...] = (part.faults,) if part.faults.num_rows else ()
        batch = parsed(UnitBatch(0, part.documents, settled, (), part.files))
        self.documents += batch.documents.to_pylist()
        self.settled += [row for table in batch.settled for row in table.to_pylist()]
        for count in part.files:
            path = count.path.removeprefix("s:")
            self.counts[path] = self.counts.get(path, 0) + count.records
            self.notes[path] = count.note or self.notes.get(path, "")
            self.others[path] = self.others.get(path, 0) + sum(count.counts.values())

    def texts(self, path: str) -> list[str]:
        """Give the texts of one file."""
        return [row["text"] for row in self.documents if row["path"] == path]

    def reasons(self, path: str) -> list[str]:
        """Give why records of one file (or the file) gave no document."""
        return [row["reason"] for row in self.settled if row["path"] == path]


def outcome(folder: Path, name: str, data: bytes, **options: Any) -> Outcome:
    """Write one file and give what becomes of it."""
    (folder / name).write_bytes(data)
    return Outcome(folder, a_source(name, **options))
