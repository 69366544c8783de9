"""Compare ways of reading one file: they have to agree on documents, on faults and on their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.stages.parts import a_split, parts_of

from headrace.schemas.source import Cursor, Source, Split
from headrace.stages.read import Part, read_part

Everything = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], Counter[str]]
_DOCUMENT = ("doc_id", "data", "member", "url", "format", "declared", "metadata", "_line")
_FAULT = ("doc_id", "member", "url", "verdict", "reason", "detail", "value", "threshold")


def everything(parts: Iterable[Part]) -> Everything:
    """Give all that parts say: rows, faults (in an order of their own), and counts of what are no documents."""
    documents: list[tuple[Any, ...]] = []
    faults: list[tuple[Any, ...]] = []
    counts: Counter[str] = Counter()
    for part in parts:
        documents += zip(*(part.documents[name].to_pylist() for name in _DOCUMENT), strict=True)
        faults += zip(*(part.faults[name].to_pylist() for name in _FAULT), strict=True)
        for file in part.files:
            counts.update(file.counts)
    return documents, faults, counts


def read_whole(folder: Path, name: str, source: Source, unit_bytes: int) -> Everything:
    """Read a file with one reader."""
    return everything(parts_of(a_split(folder, name), source, unit_bytes))


def read_by_cursors(split: Split, source: Source, unit_bytes: int) -> Everything:
    """Read a file with a fresh reader for each part."""
    parts: list[Part] = []
    cursor: Cursor | None = Cursor(split.index)
    while cursor is not None:
        parts.append(read_part(split, source, cursor, unit_bytes))
        cursor = parts[-1].next
    return everything(parts)
