"""Why documents leave: the first rule of a preset that each breaks, or the first of the user's that holds for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts, Flags, Floats
from headrace.schemas.document import DROPPED
from headrace.schemas.numerals import exact
from headrace.stages.base import judged
from headrace.stages.filtering.conditions import Comparison, Condition, Literals, Value, comparisons, is_text
from headrace.stages.filtering.evaluation import Looked, Sides, deciding, holds, sides, truths
from headrace.stages.statistics.judge import Rule

_OTHERS = 5  # further rules that a document breaks, in its detail
_LONGEST = 60  # characters of a text in a detail


class Verdicts:
    """The verdicts on a batch: what is said first of a document stays."""

    def __init__(self, rows: int) -> None:
        """Begin with none."""
        self.gone = np.zeros(rows, np.bool_)
        self._reason: list[str | None] = [None] * rows
        self._detail: list[str | None] = [None] * rows
        self._value, self._threshold = np.full(rows, np.nan), np.full(rows, np.nan)

    def by_presets(self, rules: Sequence[Rule], values: Mapping[str, Floats], rows: Counts) -> None:
        """Drop those of some rows that break a rule; `values` are those of these rows, NaN breaks none."""
        broken = np.array([breaks(rule, values[rule.value]) for rule in rules], np.bool_).reshape(len(rules), len(rows))
        for place in np.flatnonzero(broken.any(axis=0) & ~self.gone[rows]).tolist():
            first, *others = np.flatnonzero(broken[:, place]).tolist()
            rule = rules[first]
            value = float(values[rule.value][place])
            self._drop(int(rows[place]), rule.reason, value, bound(rule, value))
            told = [broke(rules[other], float(values[rules[other].value][place])) for other in others]
            self._detail[rows[place]] = "also " + "; ".join(_some(told)) if told else None

    def by_condition(self, reason: str, condition: Condition, looked: Looked) -> None:
        """Drop the documents for which a user's rule holds."""
        new = np.flatnonzero(holds(condition, looked) & ~self.gone)
        if not len(new):
            return
        inside = taken(looked, new)
        true, found = truths(condition, inside), sides(condition, inside)
        for place, row in enumerate(new.tolist()):
            facts = {comparison: bool(flags[place]) for comparison, flags in true.items()}
            decided = list(deciding(condition, facts))
            first = next((one for one in decided if not is_text(one.left)), decided[0])
            self._drop(row, reason, *compared(first, found, place))
            told = (said(one, found, place, true=facts[one]) for one in dict.fromkeys(comparisons(condition)))
            self._detail[row] = "; ".join(told)

    def _drop(self, row: int, reason: str, value: float, threshold: float) -> None:
        self.gone[row], self._reason[row] = True, reason
        self._value[row], self._threshold[row] = value, threshold

    def on(self, table: pa.Table) -> pa.Table:
        """Give the table with the verdicts."""
        verdict = pa.array(np.full(len(self.gone), DROPPED), pa.string(), mask=~self.gone)
        reason, detail = pa.array(self._reason, pa.string()), pa.array(self._detail, pa.string())
        value, threshold = (pa.array(each, from_pandas=True) for each in (self._value, self._threshold))
        return judged(table, verdict, reason, value, threshold, detail=detail)


def breaks(rule: Rule, value: Floats) -> Flags:
    """Tell where a value is beyond a bound."""
    broken = np.zeros(len(value), np.bool_)
    if rule.least is not None:
        broken |= value < rule.least
    if rule.most is not None:
        broken |= value > rule.most
    return broken


def bound(rule: Rule, value: float) -> float:
    """Give the bound that a value is beyond."""
    low = rule.most is None or (rule.least is not None and value < rule.least)
    return float((rule.least if low else rule.most) or 0)


def broke(rule: Rule, value: float) -> str:
    """Say how a rule was broken."""
    limit = bound(rule, value)
    return f"{rule.reason} {exact(value)} {'<' if value < limit else '>'} {exact(limit)}"


def _some(told: Sequence[str]) -> list[str]:
    more = len(told) - _OTHERS
    return [*told[:_OTHERS], *([f"{more} more"] if more > 0 else [])]


def taken(looked: Looked, rows: Counts) -> Looked:
    """Give some rows of what names stand for."""
    places: Array = pa.array(rows, pa.int64())
    return Looked(
        len(rows),
        {name: values[rows] for name, values in looked.numbers.items()},
        {name: values.take(places) for name, values in looked.texts.items()},
    )


def compared(comparison: Comparison, found: Sides, place: int) -> tuple[float, float]:
    """Give what was measured and what it was compared with; NaN for texts."""
    if is_text(comparison.left):
        return np.nan, np.nan
    left, right = _number(comparison.left, found, place), np.nan
    if comparison.sign not in ("in", "not in", "is known", "is unknown"):
        right = _number(comparison.right, found, place)
    return (right, left) if isinstance(comparison.left, Literals) else (left, right)


def _number(value: Value, found: Sides, place: int) -> float:
    number = value.values[0] if isinstance(value, Literals) else found[value][place]
    return np.nan if number is None else float(number)


def said(comparison: Comparison, found: Sides, place: int, *, true: bool) -> str:
    """Say what a comparison found: `characters < 500 is true: 230`."""
    asked = dict.fromkeys((comparison.left, comparison.right))
    told = [_told(found[side][place]) for side in asked if not isinstance(side, Literals)]
    return f"{comparison.words} is {'true' if true else 'false'}: {', '.join(told)}"


def _told(value: float | str | None) -> str:
    if value is None or value != value:  # NaN alone differs from itself
        return "not known"
    if isinstance(value, float):
        return exact(value)
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
