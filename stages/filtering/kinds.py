"""What language a document is in for a filter: which words it has, and which profile it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Column, Flags, Floats, floats, with_column
from headrace.stages.filtering.measuring import han_share
from headrace.stages.filtering.names import HAN_SHARE, VERSE_SHARE, column_of
from headrace.stages.filtering.profiles import SINITIC, UNKNOWN

CHINESE_FROM = 0.3  # share of Han among the letters from which a text without a language is Chinese


@dataclass(frozen=True, slots=True)
class LanguageFacts:
    """Facts about each document of a table."""

    languages: Sequence[str | None]
    scripts: Sequence[str | None]
    chinese: Flags  # cut by jieba
    traditional: Flags
    verse_share: Floats  # NaN where it was not measured


def kinds(table: pa.Table, prefix: str) -> LanguageFacts:
    """Read the kinds of documents from the columns language and script, and from the shares that were measured."""
    languages, scripts = (_strings(table, name) for name in ("language", "script"))
    han = floats(table, column_of(HAN_SHARE, prefix)) >= CHINESE_FROM
    chinese = np.fromiter((language in SINITIC for language in languages), np.bool_, len(languages)) | han
    traditional = np.fromiter((script == "Hant" for script in scripts), np.bool_, len(scripts)) & chinese
    return LanguageFacts(languages, scripts, chinese, traditional, floats(table, column_of(VERSE_SHARE, prefix)))


def _strings(table: pa.Table, name: str) -> list[str | None]:
    return table[name].to_pylist() if name in table.column_names else [None] * table.num_rows


def with_shares(table: pa.Table, prefix: str, *, verse: bool, plain: bool = False) -> pa.Table:
    """Measure the share of Han characters where a document has no language, and with `verse` that of Chinese verse.

    `plain` counts verse by the kernel's plain twin.
    """
    texts: Array = table["text"].combine_chunks()
    nameless = np.fromiter((name in UNKNOWN for name in _strings(table, "language")), np.bool_, table.num_rows)
    table = _with_some(table, column_of(HAN_SHARE, prefix), texts, nameless, han_share)
    if not verse:
        return table
    from headrace.stages.filtering.chinese.counted import Counted
    from headrace.stages.filtering.chinese.reference import PlainCounted
    from headrace.stages.filtering.chinese.values import verse_share

    counted = PlainCounted if plain else Counted
    chinese = kinds(table, prefix).chinese
    return _with_some(table, column_of(VERSE_SHARE, prefix), texts, chinese, lambda some: verse_share(counted(some)))


def _with_some(
    table: pa.Table, column: str, texts: Array, rows: Flags, measure: Callable[[Column], Floats]
) -> pa.Table:
    values = np.full(table.num_rows, np.nan)
    if rows.any():
        values[rows] = measure(texts.filter(pa.array(rows)))
    return with_column(table, column, pa.array(values, pa.float64(), from_pandas=True))
