"""All columns of a table but the text, as one JSON object a row."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
from typing import Any

import orjson
import pyarrow as pa

from headrace.schemas.arrays import Array, Column
from headrace.stages.reading.rows import undecoded


def columns_as_json(table: pa.Table) -> Array:
    """Give one strict JSON object a row, keys sorted; null for a table without columns."""
    if not table.num_columns:
        return pa.nulls(table.num_rows, pa.string())
    names = table.column_names
    values = [_values(column) for column in table.columns]
    rows = zip(*values, strict=True)
    return pa.array([_encoded(dict(zip(names, row, strict=True))) for row in rows], pa.string())


def _values(column: Column) -> list[Any]:
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.string())  # ISO 8601; Python has no nanoseconds
    try:
        return column.to_pylist()
    except UnicodeDecodeError:  # a writer that put other bytes into a string column
        return undecoded(column).to_pylist()


def _encoded(row: dict[str, Any]) -> str:
    return orjson.dumps(row, default=_readable, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()


def _readable(value: object) -> object:
    """Give what JSON can hold for values it has no form for."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
    if isinstance(value, decimal.Decimal | dt.timedelta | int):
        return str(value)
    raise TypeError(f"a {type(value).__name__} has no JSON form")
