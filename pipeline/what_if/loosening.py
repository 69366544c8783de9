"""The settings by which a dropped document would have passed the stage that dropped it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from headrace.pipeline.committed import reading
from headrace.pipeline.what_if.settings import stored_stage
from headrace.pipeline.wording import exact
from headrace.schemas.document import VERDICT_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.stages.base import NOT_ASKED, Decides, Loosens, Stage

_MOST = 8  # rules that one document fails in one stage


def loosened(run: Path, stage: str, file: str, row: int) -> list[str]:
    """Give settings for `headrace what-if` by which a document would pass the stage that dropped it.

    `row` is its place in the documents file. Empty where nothing that is stored says it: a stage that compares, a run
    that stores no values, another release.
    """
    try:
        known = stored_stage(run, stage)
    except HeadraceError:
        return []
    if known is None:
        return []
    with reading(run / file), pq.ParquetFile(run / file) as documents:
        names = [name for name in documents.schema_arrow.names if name not in ("text", *VERDICT_SCHEMA.names)]
        table = documents.read(names).slice(row, 1)
    return [f"{stage}.{option}={_typed(value)}" for option, value in _settings(known, table).items()]


def _settings(stage: Stage, table: pa.Table) -> dict[str, object]:
    """Loosen one rule after the other until the document passes; empty if it never does."""
    settings: dict[str, object] = {}
    for _ in range(_MOST):
        if not isinstance(stage, Decides):
            return {}
        (row,) = stage.decided(table).to_pylist()
        if row["verdict"] is None:
            return settings
        changed = _changed(stage, row)
        if changed is None:
            return {}
        option, value, stage = changed
        settings[option] = value
    return {}


def _changed(stage: Stage, row: Mapping[str, object]) -> tuple[str, object, Stage] | None:
    """Give the option to change for a verdict, its new value, and the stage with it."""
    reason, measured, bar = str(row["reason"]), row["value"], row["threshold"]
    option, value = (stage.loosened(reason, row) if isinstance(stage, Loosens) else None) or (reason, None)
    options = stage.model_dump()
    *way, last = option.split(".")
    try:
        inner = options
        for step in way:
            inner = inner[step]
        if value is None:
            if not isinstance(measured, float) or inner[last] != bar:
                return None  # the reason is no option
            value = _beside(measured, least=measured < inner[last])
            if value is None:
                return None
        inner[last] = None if value == NOT_ASKED else value
        return option, value, type(stage).model_validate(options)
    except (KeyError, TypeError, ValidationError):
        return None


def _beside(value: float, *, least: bool) -> float | None:
    """Give a bound with two digits that a value does not pass; None if there is no finite one.

    >>> _beside(0.4138, least=False), _beside(87.0, least=True), _beside(-1234.0, least=True)
    (0.42, 87, -1300)
    """
    if not math.isfinite(value):
        return None
    exponent = math.floor(math.log10(abs(value))) - 1 if value else 0
    step = Decimal(1).scaleb(exponent)
    steps = (Decimal(value) / step).to_integral_value(ROUND_FLOOR if least else ROUND_CEILING)
    bound = float(steps * step)
    if math.isinf(bound):
        return None
    return int(bound) if bound.is_integer() else bound


def _typed(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return exact(value) if isinstance(value, float) else str(value)
