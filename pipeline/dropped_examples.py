"""A few of the documents that each rule dropped from a unit, small enough to travel with its counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from headrace.pipeline.committed import where
from headrace.pipeline.wording import exact
from headrace.schemas.document import DROPPED

Example: TypeAlias = tuple[str, float | None, float | None]  # doc_id, measured value, threshold
Examples: TypeAlias = Mapping[tuple[str, str], list[Example]]  # by stage and reason
_EACH = 3
_NAMES = ("stage", "reason", "doc_id", "value", "threshold")


def some_dropped(settled: Sequence[pa.Table]) -> Examples:
    """Give the first few dropped documents of every stage and reason."""
    found: defaultdict[tuple[str, str], list[Example]] = defaultdict(list)
    for table in settled:
        dropped = where(table, "verdict", DROPPED)
        columns = (dropped[name].to_pylist() for name in _NAMES)
        for stage, reason, doc_id, value, threshold in zip(*columns, strict=True):
            if len(rows := found[stage, reason]) < _EACH:
                rows.append((doc_id, value, threshold))
    return dict(found)


def examples_words(rows: Sequence[Example]) -> str:
    """Write examples as in a message.

    >>> examples_words([("web:a.txt#0", 0.62, 0.4), ("web:b.txt#7", None, None)])
    'for example web:a.txt#0 (0.62 against 0.4), web:b.txt#7'
    """
    words = [
        f"{doc_id} ({exact(value)} against {exact(bar)})" if value is not None and bar is not None else str(doc_id)
        for doc_id, value, bar in rows
    ]
    return f"for example {', '.join(words)}" if words else ""


def with_examples(words: object, rows: Sequence[Example]) -> str:
    """Give what is said, and behind it examples if there are any.

    >>> with_examples("less than expected", [])
    'less than expected'
    """
    return "; ".join(filter(None, (str(words), examples_words(rows))))
