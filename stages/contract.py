"""What a batch stage owes the chain: the same rows in the same order, whole columns, and verdicts with names."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.document import DOCUMENT_SCHEMA, DROPPED, QUARANTINED, VERDICT_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.stages.base import BatchStage

_MEASURED = ("values.", "scores.")


def check_result(stage: BatchStage, before: pa.Table, after: object) -> None:
    """Raise HeadraceError if a stage broke its promise: no document is to blame, and every unit would go wrong."""
    if not isinstance(after, pa.Table):
        raise _broken(stage, f"it gave {type(after).__name__}, not a table")
    fault = _columns(before, after) or _rows(stage, before, after) or _verdicts(after)
    if fault:
        raise _broken(stage, fault)


def _columns(before: pa.Table, after: pa.Table) -> str | None:
    doubled = [name for name, n in Counter(after.column_names).items() if n > 1]
    if doubled:
        return f"column {doubled[0]} is there twice"
    lost = [n for n in DOCUMENT_SCHEMA.names if n in before.column_names and n not in after.column_names]
    if lost:
        return f"column {lost[0]} is gone"
    for name in after.column_names:
        kind = after.schema.field(name).type
        if name.startswith(_MEASURED) and not (_number(kind) or pa.types.is_null(kind)):
            return f"column {name} holds {kind}, and what was measured is a number"
    return _types(after)


def _types(after: pa.Table) -> str | None:
    for field in DOCUMENT_SCHEMA:
        if field.name not in after.column_names:
            continue
        kind = after.schema.field(field.name).type
        if kind != field.type and not (_texts(kind) and _texts(field.type)) and not pa.types.is_null(kind):
            return f"column {field.name} holds {kind}, and should hold {field.type}"
    return None


def _rows(stage: BatchStage, before: pa.Table, after: pa.Table) -> str | None:
    if stage.adds_rows:
        return None  # rows that are lost show in the ledger
    if after.num_rows != before.num_rows:
        return f"it got {before.num_rows} documents and gave {after.num_rows}; name those that leave with `judged`"
    if not after["doc_id"].equals(before["doc_id"]):
        return "the documents came back in another order, or with other doc_ids"
    if "text" in before.column_names and after["text"].null_count > before["text"].null_count:
        return "documents lost their text"
    return None


def _verdicts(after: pa.Table) -> str | None:
    if "verdict" not in after.column_names:
        return None
    lost = [name for name in VERDICT_SCHEMA.names if name not in after.column_names]
    if lost:
        return f"a verdict comes without the column {lost[0]}; `judged` gives them all"
    unknown = {v for v in pc.unique(after["verdict"]).to_pylist() if v not in (None, DROPPED, QUARANTINED)}
    if unknown:
        return f"the verdict {min(unknown)!r} is neither {DROPPED!r} nor {QUARANTINED!r}"
    nameless = pc.and_(pc.is_valid(after["verdict"]), pc.is_null(after["reason"]))
    return "a verdict comes without a reason" if pc.any(nameless).as_py() else None


def _number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _texts(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _broken(stage: BatchStage, fault: str) -> HeadraceError:
    remedy = "give the same rows in the same order, changed, with `judged` for those that leave; then start again"
    return HeadraceError("the stage broke its contract", where=f"stage {stage.kind}", why=fault, remedy=remedy)
