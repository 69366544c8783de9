"""The document: what one row means, as an Arrow schema and as the value a user's stage receives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

# What `read` yields: bytes and hints, one row a record.
RAW_SCHEMA = pa.schema(
    [
        ("doc_id", pa.string()),  # source:relative/path#offset
        ("data", pa.large_binary()),
        ("source", pa.string()),
        ("path", pa.string()),
        ("offset", pa.int64()),  # first byte of the record in its decompressed container
        ("member", pa.string()),  # name inside an archive
        ("format", pa.string()),  # how parse treats the record: text, json, jsonl, csv, html, row (already text)
        ("declared", pa.string()),  # charset by configuration or container
        ("licence", pa.string()),
        ("authority", pa.float32()),
        ("metadata", pa.string()),  # JSON object
    ]
)

# What `parse` yields and every later stage receives; stages may append columns named values.*, scores.*, or of their own.
DOCUMENT_SCHEMA = pa.schema(
    [
        ("doc_id", pa.string()),
        ("text", pa.large_string()),
        ("source", pa.string()),
        ("path", pa.string()),
        ("offset", pa.int64()),
        ("member", pa.string()),
        ("url", pa.string()),
        ("language", pa.string()),
        ("script", pa.string()),
        ("encoding", pa.string()),
        ("encoding_method", pa.string()),  # bom, escape, utf-8, declared, detected, native
        ("encoding_confidence", pa.float32()),
        ("damage", pa.float32()),  # share of characters that could not be decoded
        ("licence", pa.string()),
        ("authority", pa.float32()),
        ("grade", pa.string()),  # A, B, C or D
        ("metadata", pa.string()),  # JSON object
    ]
)

# What a stage adds to name the documents it takes out; null in `verdict` = the document goes on.
VERDICT_SCHEMA = pa.schema(
    [
        ("verdict", pa.string()),  # dropped | quarantined
        ("reason", pa.string()),  # stable name of the rule or of the fault
        ("value", pa.float64()),  # what was measured
        ("threshold", pa.float64()),  # what it was compared with
        ("survivor", pa.string()),  # doc_id of the kept document that this one repeats
        ("detail", pa.string()),  # the error's own words
    ]
)
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
