"""What reading one part of a split gives, and its Arrow table, built without a Python object per record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array
from headrace.schemas.document import QUARANTINED, RAW_SCHEMA
from headrace.schemas.ledger import FileCount
from headrace.schemas.source import Cursor, Source
from headrace.stages.base import judged

STAGE = "read"
TEXT_FIELD = "_text_field"  # private column: the field that parse shall take the text from
LINE = "_line"  # private column: 1-based line of the record's first byte, null where nobody counted
FILE_COST = 1024  # bytes an opened file counts at least, so that a part of empty files ends too


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a split: its records, what could not be read, how each file fared, and where the next part begins."""

    documents: pa.Table  # RAW_SCHEMA, and the private columns TEXT_FIELD and LINE
    faults: pa.Table  # RAW_SCHEMA, the verdict columns and `stage`
    files: tuple[FileCount, ...]
    next: Cursor | None  # None: the split has ended


@dataclass(frozen=True, slots=True)
class Position:
    """A place of a file: byte of the content (row of a table), where a container is entered, line feeds before it."""

    offset: int = 0
    member: int = 0
    line: int | None = 0  # None where nobody counted


BEGINNING = Position()


@dataclass(frozen=True, slots=True)
class Fault:
    """A place of a file where reading failed, or a record that was left out."""

    path: str
    offset: int
    reason: str
    detail: str
    value: float | None = None
    threshold: float | None = None
    member: str | None = None  # name inside an archive: part of doc_id
    line: int | None = None  # 1-based
    verdict: str = QUARANTINED  # dropped: nothing is wrong with it, it is only no text
    record_id: str | None = None  # WARC-Record-ID: in the column `member`, not in doc_id
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """Records of one content: their bytes, and where each begins."""

    path: str
    format: str
    declared: str | None
    data: Array  # large_binary
    offsets: npt.NDArray[np.int64]
    metadata: Array | None = None
    member: str | None = None  # name inside an archive: part of doc_id
    lines: npt.NDArray[np.int64] | None = None  # 1-based
    record_id: str | None = None  # WARC-Record-ID: in the column `member`, not in doc_id
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one file gave to a part: about `size` bytes; `next` is the place to go on from, None at the end."""

    path: str
    records: tuple[Records, ...]
    faults: tuple[Fault, ...]
    next: Position | None
    size: int
    counts: Mapping[str, int] = field(default_factory=dict)  # records that are no documents, mended faults

    @property
    def gave(self) -> int:
        """Count the records."""
        return sum(len(records.data) for records in self.records)


@dataclass(slots=True)
class Draft:
    """A part that is being read, file after file."""

    source: Source
    records: list[Records] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    files: list[FileCount] = field(default_factory=list)

    def add(self, stretch: Stretch, note: str) -> None:
        """Take what one file gave."""
        self.records.extend(records for records in stretch.records if len(records.data))
        self.faults.extend(stretch.faults)
        path = f"{self.source.name}:{stretch.path}"
        before = self.files.pop() if self.files and self.files[-1].path == path else FileCount(path, 0)
        counts = dict(Counter(before.counts) + Counter(stretch.counts))
        self.files.append(FileCount(path, before.records + stretch.gave, note or before.note, counts))

    def finished(self, after: Cursor | None) -> Part:
        """Give the part."""
        return Part(_documents(self.source, self.records), _faults(self.source, self.faults), tuple(self.files), after)


def _documents(source: Source, records: list[Records]) -> pa.Table:
    lengths = np.array([len(r.data) for r in records], np.int64)
    rows = int(lengths.sum())
    owner = np.repeat(np.arange(len(records)), lengths)
    offsets = pa.array(np.concatenate([r.offsets for r in records]) if records else np.zeros(0), pa.int64())

    def spread(values: list[str | None]) -> Array:
        return pa.array(values, pa.string()).take(owner)

    columns = {
        "doc_id": _doc_ids(spread([_content(source, r) for r in records]), offsets),
        "data": _joined([r.data for r in records], pa.large_binary()),
        "source": pa.repeat(pa.scalar(source.name), rows),
        "path": spread([r.path for r in records]),
        "offset": offsets,
        "member": spread([_member(r) for r in records]),
        "url": spread([r.url for r in records]),
        "format": spread([r.format for r in records]),
        "declared": spread([r.declared for r in records]),
        "licence": pa.repeat(pa.scalar(source.licence, pa.string()), rows),
        "authority": pa.repeat(pa.scalar(source.authority, pa.float32()), rows),
        "metadata": _joined([_metadata(r) for r in records], pa.string()),
    }
    table = pa.table([columns[name] for name in RAW_SCHEMA.names], schema=RAW_SCHEMA)
    table = table.append_column(TEXT_FIELD, pa.repeat(pa.scalar(source.text_field), rows))
    return table.append_column(LINE, _joined([_lines(r) for r in records], pa.int64()))


def _faults(source: Source, faults: list[Fault]) -> pa.Table:
    rows = len(faults)
    columns = {
        "doc_id": pa.array([f"{_content(source, f)}#{f.offset}" for f in faults], pa.string()),
        "source": pa.repeat(pa.scalar(source.name), rows),
        "path": pa.array([f.path for f in faults], pa.string()),
        "offset": pa.array([f.offset for f in faults], pa.int64()),
        "member": pa.array([_member(f) for f in faults], pa.string()),
        "url": pa.array([f.url for f in faults], pa.string()),
        "licence": pa.repeat(pa.scalar(source.licence, pa.string()), rows),
        "authority": pa.repeat(pa.scalar(source.authority, pa.float32()), rows),
    }
    table = pa.table([columns.get(f.name, pa.nulls(rows, f.type)) for f in RAW_SCHEMA], schema=RAW_SCHEMA)
    table = judged(
        table,
        [f.verdict for f in faults],
        [f.reason for f in faults],
        [_real(f.value) for f in faults],
        [_real(f.threshold) for f in faults],
        detail=[_detail(f) for f in faults],
    )
    return table.append_column("stage", pa.array([STAGE] * rows, pa.string()))


def _content(source: Source, of: Records | Fault) -> str:
    """Name the content that offsets count in: a file, or what is behind the `!` inside of one."""
    inside = "" if of.member is None else f"!{of.member}"
    return f"{source.name}:{of.path}{inside}"


def _member(of: Records | Fault) -> str | None:
    names = [name for name in (of.member, of.record_id) if name is not None]
    return "!".join(names) if names else None


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)  # what a damaged file claims may not fit into 64 bits


def _detail(fault: Fault) -> str:
    return fault.detail if fault.line is None else f"line {fault.line} (byte {fault.offset}): {fault.detail}"


def _doc_ids(prefix: Array, offsets: Array) -> Array:
    joined: Array = pc.binary_join_element_wise(prefix, offsets.cast(pa.string()), "#")  # type: ignore[call-overload]
    return joined


def _joined(arrays: list[Array], kind: pa.DataType) -> Array:
    if not arrays:
        return pa.array([], kind)
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _metadata(records: Records) -> Array:
    return pa.nulls(len(records.data), pa.string()) if records.metadata is None else records.metadata


def _lines(records: Records) -> Array:
    return pa.nulls(len(records.data), pa.int64()) if records.lines is None else pa.array(records.lines, pa.int64())
