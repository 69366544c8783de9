"""Between rows of Arrow tables and the `Document` values that users' stages receive."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from headrace.schemas.document import DOCUMENT_SCHEMA, DROPPED, QUARANTINED, Document, Drop
from headrace.stages.base import DocumentStage, judged

_FIELDS = tuple(DOCUMENT_SCHEMA.names)


def process_documents(stage: DocumentStage, table: pa.Table) -> pa.Table:
    """Run a user's stage over every row; a row whose document raises is quarantined with the exception."""
    results: list[Document] = []
    verdicts: list[tuple[str | None, str | None, float | None, float | None, str | None, str | None]] = []
    for document in to_documents(table):
        try:
            outcome = stage.process(document)
        except Exception as error:
            detail = f"{type(error).__name__}: {error}".replace("\n", " ")
            results.append(document)
            verdicts.append((QUARANTINED, "exception", None, None, None, detail))
            continue
        if isinstance(outcome, Drop):
            results.append(document)
            verdicts.append((DROPPED, outcome.reason, outcome.value, outcome.threshold, outcome.survivor, None))
        elif isinstance(outcome, Document):
            results.append(outcome)
            verdicts.append((None,) * 6)
        else:
            detail = f"process gave {type(outcome).__name__}, not a Document or a Drop"
            results.append(document)
            verdicts.append((QUARANTINED, "exception", None, None, None, detail))
    changed = from_documents(results, table)
    return judged(changed, *([v[i] for v in verdicts] for i in range(6)))


def to_documents(table: pa.Table) -> list[Document]:
    """Give the rows as values; `values.*` and `scores.*` columns become mappings without the nulls."""
    rows = table.to_pylist()
    return [_document(row) for row in rows]


def _document(row: dict[str, Any]) -> Document:
    fixed = {name: row[name] for name in _FIELDS}
    values = {k[7:]: v for k, v in row.items() if k.startswith("values.") and v is not None}
    scores = {k[7:]: v for k, v in row.items() if k.startswith("scores.") and v is not None}
    return Document(**fixed, values=values, scores=scores)


def from_documents(documents: list[Document], template: pa.Table) -> pa.Table:
    """Give a table with the template's columns, changed fields taken over and new values and scores appended."""
    columns: dict[str, pa.Array] = {
        f.name: pa.array([getattr(d, f.name) for d in documents], f.type) for f in DOCUMENT_SCHEMA
    }
    for prefix, maps in (("values.", [d.values for d in documents]), ("scores.", [d.scores for d in documents])):
        known = {name[7:] for name in template.column_names if name.startswith(prefix)}
        for name in sorted(known.union(*maps)):
            columns[prefix + name] = pa.array([m.get(name) for m in maps], pa.float64())
    for name in template.column_names:
        columns.setdefault(name, template[name])
    return pa.table(columns)
