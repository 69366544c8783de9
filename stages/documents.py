"""Between rows of Arrow tables and the `Document` values that users' stages receive."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headrace.schemas.document import DOCUMENT_SCHEMA, DROPPED, QUARANTINED, VERDICT_SCHEMA, Document, Drop
from headrace.schemas.errors import HeadraceError
from headrace.stages.base import DocumentStage, Stage, judged

_FIELDS = tuple(DOCUMENT_SCHEMA.names)
_IDENTITY = ("doc_id", "source", "path", "offset", "member")  # decided by the input alone
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


def process_documents(stage: DocumentStage, table: pa.Table) -> pa.Table:
    """Run a user's stage over every row; a row whose document raises, or comes back unusable, is quarantined."""
    before = to_documents(table)
    outcomes = [_outcome(stage, document) for document in before]
    try:
        return _table(before, outcomes, table)
    except _UNSTORABLE:
        pairs = enumerate(zip(before, outcomes, strict=True))
        return _table(before, [_storable(d, o, table.slice(row, 1)) for row, (d, o) in pairs], table)


def _storable(document: Document, outcome: Document | Verdict, row: pa.Table) -> Document | Verdict:
    """Give the outcome, or the verdict on one whose fields hold what no column can."""
    try:
        _table([document], [outcome], row)
    except _UNSTORABLE as error:
        return Verdict(QUARANTINED, "exception", detail=f"what process gave cannot be stored: {said(error)}")
    return outcome


def _table(before: list[Document], outcomes: list[Document | Verdict], table: pa.Table) -> pa.Table:
    changed = [o if isinstance(o, Document) else d for d, o in zip(before, outcomes, strict=True)]
    gone = [o if isinstance(o, Verdict) else Verdict() for o in outcomes]
    columns = {name: [getattr(verdict, name) for verdict in gone] for name in VERDICT_SCHEMA.names}
    return judged(from_documents(changed, table), **columns)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row of the verdict columns; all null = the document goes on."""

    verdict: str | None = None
    reason: str | None = None
    value: float | None = None
    threshold: float | None = None
    survivor: str | None = None
    detail: str | None = None


_UNSTORABLE = (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError)
NOT_THE_DOCUMENT = (HeadraceError, ImportError)  # no document is to blame for these: the stage cannot run at all


def unusable(stage: Stage, error: BaseException) -> HeadraceError:
    """Give the error that ends the run: the stage's own, or one that names the package that is not installed."""
    if isinstance(error, HeadraceError):
        return error
    why = str(error).replace("\n", " ")
    remedy = "install what it names, on every node, and run the same command again"
    return HeadraceError("the stage cannot run here", where=f"stage {stage.kind}", why=why, remedy=remedy)


def _outcome(stage: DocumentStage, document: Document) -> Document | Verdict:
    try:
        outcome: object = stage.process(document)
    except NOT_THE_DOCUMENT as error:
        raise unusable(stage, error) from error
    except Exception as error:  # noqa: BLE001  # whatever a user's stage raises costs one document
        return Verdict(QUARANTINED, "exception", detail=said(error))
    fault = _fault(document, outcome)
    if fault is not None:
        return Verdict(QUARANTINED, "exception", detail=fault)
    if isinstance(outcome, Document):
        return outcome
    drop: Any = outcome
    return Verdict(DROPPED, drop.reason, drop.value, drop.threshold, drop.survivor)


def _fault(before: Document, outcome: object) -> str | None:
    """Say what is wrong with what `process` gave; columns find the rest, such as words among `values`."""
    if isinstance(outcome, Drop):
        reason: object = outcome.reason
        named = isinstance(reason, str) and reason != ""
        return None if named else f"process gave a Drop with the reason {reason!r}, which is no name"
    if not isinstance(outcome, Document):
        return f"process gave {type(outcome).__name__}, not a Document or a Drop"
    text: object = outcome.text
    if not isinstance(text, str):
        return f"process gave a text of type {type(text).__name__}"
    changed = [name for name in _IDENTITY if getattr(outcome, name) != getattr(before, name)]
    return f"process changed {', '.join(changed)}: where a document comes from never changes" if changed else None


def said(error: BaseException) -> str:
    """Give an exception's words on one line, the same in every process: without addresses, storable as UTF-8."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001  # an exception of the user's own may fail at its own words
        words = "it has no words"
    line = f"{type(error).__name__}: {words}".replace("\n", " ")
    return _ADDRESS.sub("0x...", line).encode("utf-8", "backslashreplace").decode()


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
    columns: dict[str, Any] = {
        f.name: pa.array([getattr(d, f.name) for d in documents], f.type) for f in DOCUMENT_SCHEMA
    }
    for prefix, maps in (("values.", [d.values for d in documents]), ("scores.", [d.scores for d in documents])):
        known = {name[7:] for name in template.column_names if name.startswith(prefix)}
        for name in sorted(known.union(*maps)):
            columns[prefix + name] = pa.array([m.get(name) for m in maps], pa.float64())
    for name in template.column_names:
        columns.setdefault(name, template[name])
    return pa.table(columns)
