"""The record that a document was read from: its file, where it begins, and where the next one does."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from headrace.pipeline.committed import Committed, read_columns, unit_of

_PLACE = ("source", "path", "member", "offset", "encoding")
_COLUMNS = ("doc_id", "url", "text", *_PLACE)


@dataclass(frozen=True, slots=True)
class Record:
    """Where a record begins, and where the next one does, in the unpacked content of its file."""

    source: str
    path: str
    member: str | None
    offset: int
    encoding: str | None
    following: int | None  # None behind the last one

    def to_json(self) -> dict[str, object]:
        """Give the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Stored:
    """What the run has stored of a document; no text where the write stage was told so."""

    doc_id: str
    url: str | None
    text: str | None
    record: Record


def stored(committed: Committed, unit: int, row: int) -> Stored:
    """Read a document's row."""
    files = {unit_of(ref): committed.run / ref.name for line in committed.lines for ref in line.documents}
    table = read_columns(files[unit], _COLUMNS)
    doc_id, url, text, source, path, member, offset, encoding = (table[name][row].as_py() for name in _COLUMNS)
    later = (files[n] for n in range(unit, unit + 1 + _lanes(committed)) if n in files)
    offsets = (_next_offset(file, source, path, offset or 0) for file in later)
    following = next((found for found in offsets if found is not None), None)
    return Stored(doc_id, url, text, Record(source, path, member, offset or 0, encoding, following))


def _lanes(committed: Committed) -> int:
    """Give how many units there may be from one part of a file to the next: the lanes take turns."""
    lanes = committed.plan.get("lanes")
    return len(lanes) if lanes else 1


def _next_offset(file: Path, source: str, path: str, offset: int) -> int | None:
    """Give where the first record behind an offset begins, among those of one unit."""
    table = read_columns(file, ["source", "path", "offset"])
    here = pc.and_(
        pc.equal(table["source"], pa.scalar(source, pa.string())), pc.equal(table["path"], pa.scalar(path, pa.string()))
    )
    behind = pc.and_(here, pc.greater(table["offset"], pa.scalar(offset, pa.int64())))
    found: int | None = pc.min(table["offset"].filter(behind)).as_py()
    return found
