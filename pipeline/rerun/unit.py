"""A unit of a finished run, as `parse` gave it there: documents, what was settled before, and the counts so far."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.schemas.arrays import Column
from headrace.schemas.document import DOCUMENT_SCHEMA, RAW_SCHEMA, SETTLED_FIELDS
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.ledger import UnitLedger
from headrace.schemas.source import Split
from headrace.schemas.unit import UnitBatch
from headrace.stages.writing.parsed import STORED, WAS, as_parsed, numbered

BEFORE = ("read", "decode", "parse")  # what they settled stays settled
FORGET = "forget"
_ROW, _TEXT, _FIELDS = STORED
_RAW = [field.name for field in RAW_SCHEMA if field.name not in DOCUMENT_SCHEMA.names]
_SETTLED = [field.name for field in SETTLED_FIELDS]


def read_unit(unit: int, split: Split, unchanged: Mapping[str, str]) -> UnitBatch:
    """Give the unit that a rerun's split stands for, as it was behind `parse`; FormatError if a file was changed.

    `unchanged` are stages that are to judge as they did, by their names in the run and in its rerun: what they said of
    each document travels with it.
    """
    ledger, documents, *quarantine = (_content(split, place) for place in range(len(split.files)))
    counted = UnitLedger.from_json(json.loads(ledger))
    table = pq.read_table(pa.BufferReader(documents))
    early = table.filter(pc.is_in(table["stage"], pa.array(BEFORE)))
    raw = pq.read_table(pa.BufferReader(quarantine[0])) if quarantine else None
    return UnitBatch(
        unit,
        _documents(table, unchanged),
        tuple(_settled(early, raw)),
        tuple(c for c in counted.stages if c.stage in BEFORE),
        counted.files,
    )


def _content(split: Split, place: int) -> bytes:
    path = Path(split.root) / split.files[place].path
    remedy = "restore the run that is run again (`headrace verify` names what is damaged)"
    try:
        data = path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(
            "a file of the run that is run again is gone", where=str(path), why=why, remedy=remedy
        ) from error
    if hashlib.sha256(data).hexdigest() != split.hashes[place]:
        raise FormatError(
            "a file of the run that is run again was changed", where=str(path), why="its SHA-256 differs", remedy=remedy
        )
    return data


def _documents(table: pa.Table, unchanged: Mapping[str, str]) -> pa.Table:
    """Give what `parse` gave, in its order: rows that were kept, and those that later stages took out."""
    rows = table.filter(table[_ROW].is_valid())
    rows = rows.take(pc.array_sort_indices(rows[_ROW].combine_chunks()))
    documents = numbered(as_parsed(rows, _TEXT, _FIELDS))
    return documents.append_column(pa.field(WAS, pa.string()), _said(rows, unchanged))


def _said(rows: pa.Table, unchanged: Mapping[str, str]) -> Column:
    """Give what stages that are to judge as before said of each row; null where they let it go on."""
    names = pa.array(list(unchanged), pa.string())
    now = pa.array(list(unchanged.values()), pa.string())
    stage = now.take(pc.index_in(rows["stage"].combine_chunks(), names))
    words = (stage, rows["verdict"].combine_chunks(), rows["reason"].combine_chunks())
    said: Column = pc.call_function("binary_join_element_wise", [*words, pa.scalar(" ")])
    return said


def _settled(early: pa.Table, raw: pa.Table | None) -> list[pa.Table]:
    """Give a table for each early stage that took rows out, with the raw columns of those that are quarantined."""
    tables = []
    for stage in BEFORE:
        rows = _of(early, stage)
        if rows.num_rows:
            tables.append(_with_raw(rows.select([*DOCUMENT_SCHEMA.names, *_SETTLED]), raw, stage))
    return tables


def _with_raw(rows: pa.Table, raw: pa.Table | None, stage: str) -> pa.Table:
    names = [] if raw is None else [name for name in _RAW if name in raw.column_names]
    if raw is None or not names:
        return rows
    quarantined = np.asarray(pc.equal(rows["verdict"], pa.scalar("quarantined")))
    place = np.where(quarantined, np.cumsum(quarantined) - 1, -1)  # the quarantine file has these rows in this order
    at = pa.array(place, pa.int64(), mask=~quarantined)
    for name in names:
        rows = rows.append_column(raw.schema.field(name), _of(raw, stage)[name].take(at))
    return rows


def _of(table: pa.Table, stage: str) -> pa.Table:
    return table.filter(pc.equal(table["stage"], pa.scalar(stage)))


def check_verdicts(batch: UnitBatch, unchanged: Mapping[str, str]) -> None:
    """Raise HeadraceError if a stage that is as it was judged a document otherwise than in the run before."""
    for table in (batch.documents, *batch.settled):
        if WAS in table.column_names and (found := _difference(table, frozenset(unchanged.values()))):
            doc_id, was, now = found
            raise HeadraceError(
                "a stage that was not changed judges a document otherwise than before",
                where=doc_id,
                why=f"in the run it was {_words(was)}, and now it is {_words(now)}",
                remedy="name the first stage that may judge otherwise by --from, or run the pipeline again",
            )


def _difference(table: pa.Table, unchanged: frozenset[str]) -> tuple[str, str | None, str | None] | None:
    columns = [table[name].to_pylist() if name in table.column_names else [None] * table.num_rows for name in _JUDGED]
    for doc_id, was, stage, verdict, reason in zip(*columns, strict=True):
        now = f"{stage} {verdict} {reason}" if stage in unchanged else None
        forgotten = stage is not None and now is None and stage.partition(".")[0] == FORGET
        if was != now and not forgotten:
            return doc_id, was, now
    return None


_JUDGED = ("doc_id", WAS, "stage", "verdict", "reason")


def _words(said: str | None) -> str:
    if said is None:
        return "let through"
    stage, verdict, reason = said.split(" ", 2)
    return f"{verdict} by {stage} as {reason}"
