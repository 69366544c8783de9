"""The unit's `documents/` file: a row for every document of the unit, what was measured, and what became of it."""

from __future__ import annotations

import hashlib
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.schemas.document import DOCUMENT_SCHEMA, KEPT, QUARANTINED, RAW_SCHEMA, SETTLED_FIELDS
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import conform
from headrace.stages.writing.parsed import STORED, stored

Record: TypeAlias = Literal["full", "values", "reasons", "sample"]

_RAW_ONLY = frozenset(RAW_SCHEMA.names) - frozenset(DOCUMENT_SCHEMA.names)  # data, format, declared
_MEASURED = ("values.", "scores.")
_SAMPLE_ONE_IN = 64
_ROW_GROUP = 1 << 16
_ZSTD_LEVEL = 3


def documents_table(batch: UnitBatch, record: Record, *, with_text: bool) -> pa.Table:
    """Give kept documents first, in order, then the settled ones in chain order, with their verdicts.

    `with_text=False` leaves the text of kept documents out (it is in the shard). Dropped ones keep theirs under
    `record: full`, and one in 64 of them, chosen by doc_id, under `sample`. Under `reasons` nothing measured is stored.
    Under `full` each also says what it was as `parse` gave it, so that `headrace rerun` can begin there.
    """
    full = record == "full"
    kept = _with_verdict(_with_parsed(batch.documents, whole=not with_text) if full else public(batch.documents))
    if not with_text:
        kept = _text_where(kept, pa.scalar(value=False))
    shown = [_with_parsed(table, whole=False) if full else public(table) for table in batch.settled]
    gone = [_text_where(table, _text_kept(table, record)) for table in shown]
    table = pa.concat_tables([kept, *gone], promote_options="permissive")
    if record == "reasons":
        table = table.drop_columns([name for name in table.column_names if name.startswith(_MEASURED)])
    return in_order(table)


def quarantine_table(batch: UnitBatch) -> pa.Table | None:
    """Give the quarantined rows with all they hold, raw bytes included; None when the unit has none."""
    parts = [table.filter(pc.equal(table["verdict"], pa.scalar(QUARANTINED))) for table in batch.settled]
    rows = [public(part, raw=True) for part in parts if part.num_rows]
    return in_order(pa.concat_tables(rows, promote_options="permissive")) if rows else None


def public(table: pa.Table, *, raw: bool = False) -> pa.Table:
    """Give the columns that may be stored: the document's, measured ones, and a stage's own without a leading `_`."""
    hidden = frozenset[str]() if raw else _RAW_ONLY
    names = [n for n in table.column_names if not n.startswith("_") and n not in hidden]
    return conform(table.select(names))


def in_order(table: pa.Table) -> pa.Table:
    """Give the columns in one order, however the unit was cut, without metadata of earlier stages."""
    fixed, last = DOCUMENT_SCHEMA.names, [f.name for f in SETTLED_FIELDS if f.name in table.column_names]
    others = sorted({*table.column_names} - {*fixed, *last}, key=lambda name: (name.startswith(_MEASURED), name))
    names = [*fixed, *others, *last]
    fields = [pa.field(n, pa.float64() if n.startswith(_MEASURED) else table.schema.field(n).type) for n in names]
    return table.select(names).cast(pa.schema(fields))


def emptied(batch: UnitBatch) -> UnitBatch:
    """Give the batch without its rows, counts kept: they are in files now, and need not travel any further."""
    return batch.but(documents=batch.documents.schema.empty_table(), settled=())


def parquet_bytes(table: pa.Table) -> memoryview:
    """Give a Parquet file whose bytes depend on the rows alone, not on how they were chunked."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.combine_chunks(),
        sink,
        compression="zstd",
        compression_level=_ZSTD_LEVEL,
        use_dictionary=False,  # most columns hold a value once: without, files are a sixth smaller and a third faster
        row_group_size=_ROW_GROUP,
        version="2.6",
        data_page_version="1.0",
    )
    return memoryview(sink.getvalue())


def _with_parsed(table: pa.Table, *, whole: bool) -> pa.Table:
    shown, columns = public(table), stored(table, whole=whole)
    for name in STORED:
        shown = shown.append_column(name, columns[name])
    return shown


def _with_verdict(table: pa.Table) -> pa.Table:
    for field in SETTLED_FIELDS:
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    verdict = pa.repeat(pa.scalar(KEPT, pa.string()), table.num_rows)
    return table.set_column(table.schema.get_field_index("verdict"), "verdict", verdict)


def _text_kept(table: pa.Table, record: Record) -> pa.Scalar[Any] | pa.Array[Any]:
    if record != "sample":
        return pa.scalar(record == "full")
    return pa.array([in_sample(str(doc_id)) for doc_id in table["doc_id"].to_pylist()], pa.bool_())


def in_sample(doc_id: str) -> bool:
    """Say whether `record: sample` stores this dropped document's text: one in 64, by its id alone."""
    digest = hashlib.blake2b(doc_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _SAMPLE_ONE_IN == 0


def _text_where(table: pa.Table, keep: pa.Scalar[Any] | pa.Array[Any]) -> pa.Table:
    text = table["text"].combine_chunks()
    shown = pc.if_else(keep, text, pa.scalar(None, text.type))
    return table.set_column(table.schema.get_field_index("text"), "text", shown)
