"""The documents of a run, unit by unit: only the columns that are asked for, without what is forgotten on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.pipeline.committed import Committed, reading
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.document import DOCUMENT_SCHEMA, SETTLED_FIELDS
from headrace.schemas.forgetting import NEVER
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import read_tombstones

ROW, TOKENS = "_row", "values.tokens"
_MEASURED = ("values.", "scores.")
_VERDICT = ("verdict", "stage", "reason", "value", "threshold", "survivor", "detail")
_FIXED = ("doc_id", "source", "grade", *_VERDICT, TOKENS)
_KNOWN = {field.name: field for field in (*DOCUMENT_SCHEMA, *SETTLED_FIELDS)}


@dataclass(frozen=True, slots=True)
class UnitRows:
    """Documents of a unit; the column `_row` says where in its file each one is."""

    unit: int
    table: pa.Table
    forgotten: int


def unit_rows(committed: Committed, columns: Sequence[str] | None) -> Iterator[UnitRows]:
    """Read the units in order, with the columns that stages decide by; None: all measured ones and more, no text."""
    tombstones = read_tombstones(committed.run)
    matcher = tombstones.matcher if tombstones and tombstones.requests else None
    for unit, path in committed.documents():
        with reading(path), pq.ParquetFile(path) as file:
            wanted = {*_FIXED, *(columns or ()), *(["url"] if matcher else ())}
            names = file.schema_arrow.names
            table = file.read([n for n in names if n in wanted or (columns is None and _may_be_asked(n))])
            table = _whole(table).append_column(ROW, pa.array(np.arange(table.num_rows)))
            kept = table.filter(pa.array(matcher.revisions(table) == NEVER)) if matcher else table
        yield UnitRows(unit, kept, table.num_rows - kept.num_rows)


def _may_be_asked(name: str) -> bool:
    """Whether a stage that does not say what it decides by may decide by this column."""
    long = name.startswith("parsed.") or name in ("text", "metadata", "encoding_detail")
    return not long or name.startswith(_MEASURED)


def _whole(table: pa.Table) -> pa.Table:
    """Give the columns that every documents file has, also where the file of an empty unit lacks them."""
    for name in _FIXED:
        if name not in table.column_names and name in _KNOWN:
            table = table.append_column(name, pa.nulls(table.num_rows, _KNOWN[name].type))
    return table


def texts_of(committed: Committed, places: Iterable[tuple[int, int, str]]) -> dict[str, str]:
    """Give the texts that are stored of some documents, by doc_id: from documents files, or from Parquet shards."""
    by_unit: dict[int, list[tuple[int, str]]] = {}
    for unit, row, doc_id in places:
        by_unit.setdefault(unit, []).append((row, doc_id))
    found: dict[str, str] = {}
    missing: dict[int, list[str]] = {}
    for unit, path in committed.documents():
        if unit in by_unit:
            with reading(path), pq.ParquetFile(path) as file:
                column = file.read(["text"])["text"]
                texts = [(doc_id, column[row].as_py()) for row, doc_id in by_unit[unit]]
            found.update((doc_id, text) for doc_id, text in texts if text is not None)
            missing[unit] = [doc_id for doc_id, text in texts if text is None]
    for line in committed.lines if any(missing.values()) else ():
        doc_ids = [doc_id for unit in range(line.first, line.last + 1) for doc_id in missing.get(unit, ())]
        found.update(_in_shard(committed, line.shard, doc_ids))
    return found


def _in_shard(committed: Committed, shard: ShardInfo | None, doc_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give those of the texts that a shard holds."""
    if not doc_ids or shard is None or shard.format not in OF_TEXT:
        return
    wanted = pa.array(doc_ids, pa.string())
    for table in read_shard(committed.run, shard, ["doc_id", "text"]):
        rows = table.filter(pc.is_in(table["doc_id"], wanted))
        yield from zip(map(str, rows["doc_id"].to_pylist()), map(str, rows["text"].to_pylist()), strict=True)
