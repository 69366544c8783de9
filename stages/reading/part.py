"""What reading one part of a split gives, and its Arrow table, built without a Python object per record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.document import QUARANTINED, RAW_SCHEMA
from headrace.schemas.ledger import FileCount
from headrace.schemas.source import Cursor, Source
from headrace.stages.base import judged

STAGE = "read"
TEXT_FIELD = "_text_field"  # private column: the field that parse shall take the text from
FILE_COST = 1024  # bytes an opened file counts at least, so that a part of empty files ends too


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a split: its records, what could not be read, how each file fared, and where the next part begins."""

    documents: pa.Table  # RAW_SCHEMA, and the private column TEXT_FIELD
    faults: pa.Table  # RAW_SCHEMA, the verdict columns and `stage`
    files: tuple[FileCount, ...]
    next: Cursor | None  # None: the split has ended


@dataclass(frozen=True, slots=True)
class Fault:
    """A place of a file where reading failed, or a record that was left out."""

    path: str
    offset: int
    reason: str
    detail: str
    value: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """Records of one file: their bytes and where in the content each begins."""

    path: str
    format: str
    declared: str | None
    data: pa.Array[Any]  # large_binary
    offsets: npt.NDArray[np.int64]
    metadata: pa.Array[Any] | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one file gave to a part: about `size` bytes; `next` is the content offset to go on from, None at the end."""

    records: Records
    faults: tuple[Fault, ...]
    next: int | None
    size: int


@dataclass(slots=True)
class Draft:
    """A part that is being read, file after file."""

    source: Source
    records: list[Records] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    files: list[FileCount] = field(default_factory=list)

    def add(self, stretch: Stretch, note: str) -> None:
        """Take what one file gave."""
        if len(stretch.records.data):
            self.records.append(stretch.records)
        self.faults.extend(stretch.faults)
        path = f"{self.source.name}:{shown(stretch.records.path)}"
        before = self.files.pop() if self.files and self.files[-1].path == path else FileCount(path, 0)
        self.files.append(FileCount(path, before.records + len(stretch.records.data), note or before.note))

    def finished(self, after: Cursor | None) -> Part:
        """Give the part."""
        return Part(_documents(self.source, self.records), _faults(self.source, self.faults), tuple(self.files), after)


def shown(path: str) -> str:
    """Give a path as text even where the file system's name is not UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _documents(source: Source, records: list[Records]) -> pa.Table:
    lengths = np.array([len(r.data) for r in records], np.int64)
    rows = int(lengths.sum())
    owner = np.repeat(np.arange(len(records)), lengths)
    offsets = pa.array(np.concatenate([r.offsets for r in records]) if records else np.zeros(0), pa.int64())

    def spread(values: list[str | None]) -> pa.Array[Any]:
        return pa.array(values, pa.string()).take(owner)

    paths: list[str | None] = [shown(r.path) for r in records]
    columns = {
        "doc_id": _doc_ids(spread([f"{source.name}:{p}" for p in paths]), offsets),
        "data": _joined([r.data for r in records], pa.large_binary()),
        "source": pa.repeat(pa.scalar(source.name), rows),
        "path": spread(paths),
        "offset": offsets,
        "member": pa.nulls(rows, pa.string()),
        "format": spread([r.format for r in records]),
        "declared": spread([r.declared for r in records]),
        "licence": pa.repeat(pa.scalar(source.licence, pa.string()), rows),
        "authority": pa.repeat(pa.scalar(source.authority, pa.float32()), rows),
        "metadata": _joined([_metadata(r) for r in records], pa.string()),
    }
    table = pa.table([columns[name] for name in RAW_SCHEMA.names], schema=RAW_SCHEMA)
    return table.append_column(TEXT_FIELD, pa.repeat(pa.scalar(source.text_field), rows))


def _faults(source: Source, faults: list[Fault]) -> pa.Table:
    rows = len(faults)
    paths = [shown(f.path) for f in faults]
    columns = {
        "doc_id": pa.array([f"{source.name}:{p}#{f.offset}" for p, f in zip(paths, faults, strict=True)], pa.string()),
        "source": pa.repeat(pa.scalar(source.name), rows),
        "path": pa.array(paths, pa.string()),
        "offset": pa.array([f.offset for f in faults], pa.int64()),
        "licence": pa.repeat(pa.scalar(source.licence, pa.string()), rows),
        "authority": pa.repeat(pa.scalar(source.authority, pa.float32()), rows),
    }
    table = pa.table([columns.get(f.name, pa.nulls(rows, f.type)) for f in RAW_SCHEMA], schema=RAW_SCHEMA)
    table = judged(
        table,
        [QUARANTINED] * rows,
        [f.reason for f in faults],
        [f.value for f in faults],
        [f.threshold for f in faults],
        detail=[f.detail for f in faults],
    )
    return table.append_column("stage", pa.array([STAGE] * rows, pa.string()))


def _doc_ids(prefix: pa.Array[Any], offsets: pa.Array[Any]) -> pa.Array[Any]:
    joined: pa.Array[Any] = pc.binary_join_element_wise(prefix, offsets.cast(pa.string()), "#")  # type: ignore[call-overload]
    return joined


def _joined(arrays: list[pa.Array[Any]], kind: pa.DataType) -> pa.Array[Any]:
    if not arrays:
        return pa.array([], kind)
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _metadata(records: Records) -> pa.Array[Any]:
    return pa.nulls(len(records.data), pa.string()) if records.metadata is None else records.metadata
