"""What documents were as `parse` gave them, which `record: full` keeps: of most of them a number.

Between groups of stages and in `documents/` a row holds its number among what `parse` gave (`row`), what its text was
(`text`, null: as it is now) and what its other columns were (`fields`, a JSON object of those that changed; of
`language`, `script` and `grade`, which later stages fill, of those that were not null). A text is kept as a patch: a
Zstandard frame whose dictionary is the text as it is now (RFC 8878, 5: raw content). Columns whose names begin with
`_parsed.` travel with a unit; stages never see them.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import zstandard

from headrace.schemas.arrays import Array, Column, Flags, with_column
from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import UnitBatch

HIDDEN = "_parsed."
ROW, TEXT, FIELDS, WAS = "_parsed.row", "_parsed.text", "_parsed.fields", "_parsed.was"
STORED = ("parsed.row", "parsed.text", "parsed.fields")  # as `documents/` names them
_COLUMNS = (ROW, TEXT, FIELDS)
_LATER = ("language", "script", "grade")
_OTHERS = tuple(name for name in DOCUMENT_SCHEMA.names if name not in ("doc_id", "text", *_LATER))
_ZSTD_LEVEL = 3
_OWN_BITS, _MOST_TABLE_BITS, _MOST_WINDOW_BITS = 19, 24, 27  # 512 kB; 64 MB a table; what every reader takes


def numbered(table: pa.Table) -> pa.Table:
    """Give what `parse` gave, with the columns that are to say so later."""
    rows = table.num_rows
    table = with_column(table, ROW, pa.array(np.arange(rows), pa.int32()))
    table = with_column(table, TEXT, pa.nulls(rows, pa.large_binary()))
    return with_column(table, FIELDS, _known_already(table))


def _known_already(table: pa.Table) -> Array:
    """Give as fields what later stages fill and is there already: nothing, as long as `parse` knows nothing of it."""
    names = [name for name in _LATER if table[name].null_count < table.num_rows]
    rows = table.select(names).to_pylist() if names else [{}] * table.num_rows
    known = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return pa.array([canonical_json(row).decode() if row else None for row in known], pa.string())


def _nothing(rows: int) -> list[Array]:
    return [pa.nulls(rows, pa.int32()), pa.nulls(rows, pa.large_binary()), pa.nulls(rows, pa.string())]


def carries(table: pa.Table) -> bool:
    """Say whether the rows know what they were."""
    return ROW in table.column_names


def set_aside(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Give a table as stages see it, and what they do not see of it."""
    hidden = [name for name in table.column_names if name.startswith(HIDDEN)]
    return (table.drop_columns(hidden) if hidden else table), table.select(hidden)


def put_back(table: pa.Table, aside: pa.Table) -> pa.Table:
    """Give back what was set aside; a stage gives the rows that it got, in their order."""
    for name in aside.column_names:
        table = table.append_column(aside.schema.field(name), aside[name])
    return table


def carried_on(batch: UnitBatch, before: pa.Table | None, settled: int) -> UnitBatch:
    """Give a unit whose rows say what they were, now that stages have changed them since `before`.

    `settled` is how many tables of settled rows there were then; those are as they were.
    """
    if before is None:
        return batch
    tables = [carried(before, table) if carries(table) else table for table in batch.settled[settled:]]
    return batch.but(documents=carried(before, batch.documents), settled=(*batch.settled[:settled], *tables))


def carried(before: pa.Table, after: pa.Table) -> pa.Table:
    """Give some rows of `before` as they are now, saying what they were before that; both in the order of ROW."""
    at = np.searchsorted(before[ROW].to_numpy(), after[ROW].to_numpy())
    before = before if len(at) == before.num_rows else before.take(pa.array(at, pa.int64()))
    after = with_column(after, TEXT, _patches(before, after))
    return with_column(after, FIELDS, _fields(before, after))


def as_parsed(table: pa.Table, text: str = TEXT, fields: str = FIELDS) -> pa.Table:
    """Give the rows with the columns of DOCUMENT_SCHEMA, as `parse` gave them."""
    plain = table.select(DOCUMENT_SCHEMA.names)
    whole = pa.array(_texts(table, text), pa.large_string())
    plain = with_column(plain, "text", pc.if_else(table[text].is_null(), table["text"], whole))
    rows = np.flatnonzero(table[fields].is_valid().to_numpy())
    said = map(json.loads, map(str, table[fields].drop_null().to_pylist()))
    known = list(zip(rows, said, strict=True))
    for name in sorted({*_LATER, *(name for _, value in known for name in value)}):
        values = [None] * table.num_rows
        mask: Flags = np.zeros(table.num_rows, np.bool_)
        for row, value in known:
            if name in value:
                values[row], mask[row] = value[name], True
        kind = DOCUMENT_SCHEMA.field(name).type
        said = pa.array(values, kind)
        plain = with_column(plain, name, said if name in _LATER else pc.if_else(pa.array(mask), said, plain[name]))
    return plain.cast(DOCUMENT_SCHEMA)


def stored(table: pa.Table, *, whole: bool) -> pa.Table:
    """Give the columns for `documents/`: null for what was settled before there were documents.

    `whole`: the text as it is now is not stored, so that what it was is stored as it is.
    """
    if not carries(table):
        return pa.table(_nothing(table.num_rows), names=list(STORED))
    if whole:
        table = with_column(table, TEXT, as_parsed(table)["text"].cast(pa.large_binary()).combine_chunks())
    return table.select(list(_COLUMNS)).rename_columns(list(STORED))


def check_carried(batch: UnitBatch) -> None:
    """Raise HeadraceError if a stage lost what `record: full` promises to keep."""
    if not carries(batch.documents):
        why = "an ordered stage gave new tables instead of those that it got"
        remedy = "keep the columns whose names begin with `_`, or set another `record`"
        raise HeadraceError("nothing says what the documents were", where="stage write", why=why, remedy=remedy)


def _patches(before: pa.Table, after: pa.Table) -> Array:
    """Give the patches against the texts as they are now; most texts of a run stay as they are."""
    changed = np.flatnonzero(_differ(before["text"], after["text"]))
    patches: Array = before[TEXT].combine_chunks()
    if not len(changed):
        return patches
    rows = pa.array(changed, pa.int64())
    were, now = before.select(["text", TEXT]).take(rows), after["text"].take(rows).cast(pa.large_binary())
    earlier = were["text"].cast(pa.large_binary()).to_pylist()
    found: list[bytes | None] = patches.to_pylist()
    for row, text, patch, new in zip(changed, earlier, were[TEXT].to_pylist(), now.to_pylist(), strict=True):
        parsed = text if patch is None else patched(patch, text or b"")
        found[row] = None if parsed == new else patch_of(parsed or b"", new or b"")
    return pa.array(found, pa.large_binary())


def patch_of(text: bytes, now: bytes) -> bytes:
    """Give a frame from which, and from the text as it is now, the text comes back."""
    sizes = {"source_size": max(len(text), 1), "dict_size": max(len(now), 1)}
    bits = (len(text) + len(now)).bit_length()
    if bits > _OWN_BITS:  # the level's window and tables would forget most of a long text
        tables = min(bits, _MOST_TABLE_BITS)
        sizes |= {"window_log": min(bits, _MOST_WINDOW_BITS), "hash_log": tables, "chain_log": tables}
    parameters = zstandard.ZstdCompressionParameters.from_level(_ZSTD_LEVEL, **sizes)
    return zstandard.ZstdCompressor(dict_data=_dictionary(now), compression_params=parameters).compress(text)


def patched(patch: bytes, now: bytes) -> bytes:
    """Give the text that a patch was made of."""
    return zstandard.ZstdDecompressor(dict_data=_dictionary(now)).decompress(patch)


def _dictionary(text: bytes) -> zstandard.ZstdCompressionDict | None:
    return zstandard.ZstdCompressionDict(text, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if text else None


def _texts(table: pa.Table, text: str) -> list[str | None]:
    """Give the texts that are stored apart, None for the others."""
    now = table["text"].cast(pa.large_binary()).to_pylist() if table[text].null_count < table.num_rows else ()
    if not now:
        return [None] * table.num_rows
    pairs = zip(table[text].to_pylist(), now, strict=True)
    # Without a text as it is now (it is in a shard) what it was is stored as it is.
    return [None if p is None else (p if n is None else patched(p, n)).decode() for p, n in pairs]


def _fields(before: pa.Table, after: pa.Table) -> Array:
    """Give what other columns were: those of each row that are not as they were."""
    fields: list[str | None] = before[FIELDS].to_pylist()
    changes: dict[int, dict[str, object]] = {}
    for name in _OTHERS:
        rows = np.flatnonzero(_differ(before[name], after[name]))
        if len(rows):
            values = (table[name].take(pa.array(rows, pa.int64())).to_pylist() for table in (before, after))
            for row, was, now in zip(rows.tolist(), *values, strict=True):
                known = changes[row] = changes[row] if row in changes else json.loads(fields[row] or "{}")
                if known.setdefault(name, was) == now:
                    del known[name]
    for row, known in changes.items():
        fields[row] = canonical_json(known).decode() if known else None
    return pa.array(fields, pa.string())


def _differ(a: Column, b: Column) -> Flags:
    """Say where two columns differ; null is like null."""
    b = b.cast(a.type)
    equal, absent = pc.fill_null(pc.equal(a, b), pa.scalar(value=False)), pc.and_(a.is_null(), b.is_null())
    flags: Flags = ~(np.asarray(equal) | np.asarray(absent))
    return flags
