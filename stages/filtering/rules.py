"""Users' rules: read once, checked when the configuration is, and asked of the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated

import pyarrow as pa
from pydantic import AfterValidator, Field, ValidationInfo

from headrace.schemas.arrays import Array, floats
from headrace.stages.filtering.conditions import Condition, names
from headrace.stages.filtering.evaluation import Looked
from headrace.stages.filtering.expressions import parsed
from headrace.stages.filtering.names import NUMBERS, PROFILE, TEXTS, column_of, every, is_earlier, is_text


@lru_cache(maxsize=1024)
def condition_of(text: str, patterns: tuple[str, ...]) -> Condition:
    """Give what a rule says, with the values of these patterns known; ExpressionError if it cannot be read."""
    return parsed(text, lambda name: is_text(name, patterns), lambda: every(patterns))


def _readable(text: str, info: ValidationInfo) -> str:
    """Refuse a rule that cannot be read; names of patterns are known if the patterns are right."""
    if "patterns" in info.data:
        condition_of(text, tuple(info.data["patterns"]))
    return text


def without_null(rules: object) -> object:
    """Give rules without those that are null: not asked, as a number of a preset that is null."""
    return {name: text for name, text in rules.items() if text is not None} if isinstance(rules, dict) else rules


RuleName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
RuleText = Annotated[str, AfterValidator(_readable)]


def looked_up(table: pa.Table, conditions: Mapping[str, Condition], keys: Sequence[str | None], prefix: str) -> Looked:
    """Give what the names in some rules stand for; what a table does not have is not known."""
    asked = dict.fromkeys(name for condition in conditions.values() for name in names(condition))
    texts = {name: _texts(table, name) for name in asked if name in TEXTS}
    if PROFILE in asked:
        texts[PROFILE] = pa.array(keys, pa.string())
    numbers = {name: floats(table, stored_in(name, prefix)) for name in asked if name not in TEXTS}
    return Looked(table.num_rows, numbers, texts)


def stored_in(name: str, prefix: str) -> str:
    """Give the column of a name that a rule asks."""
    own = not is_earlier(name) and name not in NUMBERS and name not in TEXTS
    return column_of(name, prefix) if own else name


def columns_of(conditions: Iterable[Condition], prefix: str) -> list[str]:
    """Give the columns that rules look at."""
    return [stored_in(name, prefix) for condition in conditions for name in names(condition) if name != PROFILE]


def _texts(table: pa.Table, name: str) -> Array:
    if name not in table.column_names:
        return pa.nulls(table.num_rows, pa.string())
    return table[name].combine_chunks().cast(pa.string())
