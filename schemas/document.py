"""The document: what one row means, as an Arrow schema and as the value a user's stage receives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

# What `read` yields: bytes and hints, one row a record.
_RAW: list[pa.Field[Any]] = [
    pa.field("doc_id", pa.string()),  # source:relative/path#offset, or source:relative/path!member#offset
    pa.field("data", pa.large_binary()),
    pa.field("source", pa.string()),
    pa.field("path", pa.string()),
    pa.field("offset", pa.int64()),  # first byte of the record in its decompressed container (archive: in its member)
    pa.field("member", pa.string()),  # name inside an archive, WARC-Record-ID inside a WARC
    pa.field("url", pa.string()),  # where the container says that the record was fetched
    pa.field("format", pa.string()),  # how parse treats it: text, json, jsonl, csv, html, row (already text)
    pa.field("declared", pa.string()),  # charset by configuration or container
    pa.field("licence", pa.string()),
    pa.field("authority", pa.float32()),
    pa.field("metadata", pa.string()),  # JSON object
]
RAW_SCHEMA = pa.schema(_RAW)

# What `parse` yields and every later stage receives; stages append columns named values.*, scores.*, or private _*.
_DOCUMENT: list[pa.Field[Any]] = [
    pa.field("doc_id", pa.string()),
    pa.field("text", pa.large_string()),
    pa.field("source", pa.string()),
    pa.field("path", pa.string()),
    pa.field("offset", pa.int64()),
    pa.field("member", pa.string()),
    pa.field("url", pa.string()),
    pa.field("language", pa.string()),
    pa.field("script", pa.string()),
    pa.field("encoding", pa.string()),
    pa.field("encoding_method", pa.string()),  # bom, escape, utf-8, declared, detected, lines, forced, native
    pa.field("encoding_confidence", pa.float32()),
    pa.field("damage", pa.float32()),  # share of characters that could not be decoded
    pa.field("encoding_detail", pa.string()),  # which lines are damaged or in another charset; mostly null
    pa.field("licence", pa.string()),
    pa.field("authority", pa.float32()),
    pa.field("grade", pa.string()),  # A, B, C or D
    pa.field("metadata", pa.string()),  # JSON object
]
DOCUMENT_SCHEMA = pa.schema(_DOCUMENT)

# What a stage adds to name the documents it takes out; null in `verdict` = the document goes on.
_VERDICT: list[pa.Field[Any]] = [
    pa.field("verdict", pa.string()),  # dropped | quarantined
    pa.field("reason", pa.string()),  # stable name of the rule or of the fault
    pa.field("value", pa.float64()),  # what was measured
    pa.field("threshold", pa.float64()),  # what it was compared with
    pa.field("survivor", pa.string()),  # doc_id of the kept document that this one repeats
    pa.field("detail", pa.string()),  # the error's own words
]
VERDICT_SCHEMA = pa.schema(_VERDICT)

# Rows that left the chain: the document's columns, the verdict, and the stage that decided.
SETTLED_FIELDS = [*VERDICT_SCHEMA, pa.field("stage", pa.string())]

DROPPED, QUARANTINED, KEPT = "dropped", "quarantined", "kept"


@dataclass(frozen=True, slots=True)
class Document:
    """One document, as `DocumentStage.process` receives it. `document.but(text=...)` gives a changed copy."""

    doc_id: str
    text: str
    source: str
    path: str
    offset: int = 0
    member: str | None = None
    url: str | None = None
    language: str | None = None
    script: str | None = None
    encoding: str | None = None
    encoding_method: str | None = None
    encoding_confidence: float | None = None
    damage: float | None = None
    encoding_detail: str | None = None
    licence: str | None = None
    authority: float | None = None
    grade: str | None = None
    metadata: str | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)

    def but(self, **changes: Any) -> Document:
        """Give a copy with some fields replaced."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Drop:
    """Why a document leaves the chain: a stable rule name, the measured value and the threshold."""

    reason: str
    value: float | None = None
    threshold: float | None = None
    survivor: str | None = None
