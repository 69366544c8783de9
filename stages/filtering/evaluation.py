"""Conditions asked of all documents of a batch at once, and what of them decided about one.

What a document does not have (no language, a value that no stage before measured, a number divided by 0) is not known:
each comparison with it is false, `!=` and `not in` too; `not` turns that like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Flags, Floats
from headrace.stages.filtering.conditions import (
    Arithmetic,
    Comparison,
    Condition,
    Every,
    Literals,
    Name,
    Not,
    Some,
    Value,
    comparisons,
    is_text,
)

_NUMBERS = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater}
_NUMBERS |= {">=": np.greater_equal}
_TEXTS = {"==": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater}
_TEXTS |= {">=": pc.greater_equal}
_OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
Truths: TypeAlias = Mapping[Comparison, bool]
Sides: TypeAlias = Mapping[Value, Sequence[float | str | None]]  # NaN and None are not known


@dataclass(frozen=True, slots=True)
class Looked:
    """What names stand for, a row a document: numbers, with NaN where one is not known, and texts, with null."""

    rows: int
    numbers: Mapping[str, Floats]
    texts: Mapping[str, Array]

    def number(self, value: Value) -> Floats:
        """Give the numbers that a value is; what is not finite is not known."""
        match value:
            case Name(name):
                return self.numbers[name]
            case Literals(values):
                return np.full(self.rows, values[0], np.float64)
            case Arithmetic(left, operator, right):
                with np.errstate(all="ignore"):
                    made = _OPERATORS[operator](self.number(left), self.number(right))
                return np.where(np.isfinite(made), made, np.nan)

    def text(self, value: Value) -> Array:
        """Give the texts that a value is."""
        if isinstance(value, Name):
            return self.texts[value.name]
        given = value.values[0] if isinstance(value, Literals) else None
        return pa.repeat(pa.scalar(given, pa.string()), self.rows)


def holds(condition: Condition, looked: Looked) -> Flags:
    """Tell for which documents a condition is true."""
    match condition:
        case Comparison():
            return _compared(condition, looked)
        case Not(part):
            return ~holds(part, looked)
        case Every(parts):
            return np.asarray(np.all([holds(part, looked) for part in parts], axis=0), np.bool_)
        case Some(parts):
            return np.asarray(np.any([holds(part, looked) for part in parts], axis=0), np.bool_)


def truths(condition: Condition, looked: Looked) -> dict[Comparison, Flags]:
    """Tell for which documents each comparison of a condition is true."""
    return {comparison: _compared(comparison, looked) for comparison in comparisons(condition)}


def sides(condition: Condition, looked: Looked) -> dict[Value, Sequence[float | str | None]]:
    """Give what the comparisons of a condition compare, a row a document; what is written out is left out.

    Each is worked out once for all documents: a value of one document costs as much as those of the whole batch.
    """
    asked = (side for comparison in comparisons(condition) for side in (comparison.left, comparison.right))
    return {
        value: looked.text(value).to_pylist() if is_text(value) else looked.number(value).tolist()
        for value in dict.fromkeys(asked)
        if not isinstance(value, Literals)
    }


def _compared(comparison: Comparison, looked: Looked) -> Flags:
    left, sign, right = comparison.left, comparison.sign, comparison.right
    if is_text(left):
        found: Array = _text_compared(comparison, looked).fill_null(False)
        return np.asarray(found.to_numpy(zero_copy_only=False), np.bool_)
    one = looked.number(left)
    known: Flags = ~np.isnan(one)
    if sign in ("is known", "is unknown"):
        return known if sign == "is known" else ~known
    if sign in ("in", "not in"):
        inside: Flags = np.isin(one, right.values if isinstance(right, Literals) else ())
        return inside if sign == "in" else ~inside & known
    other = looked.number(right)
    return np.asarray(_NUMBERS[sign](one, other) & known & ~np.isnan(other), np.bool_)


def _text_compared(comparison: Comparison, looked: Looked) -> Array:
    left, sign, right = comparison.left, comparison.sign, comparison.right
    one = looked.text(left)
    if sign in ("is known", "is unknown"):
        return pc.is_valid(one) if sign == "is known" else pc.is_null(one)
    if sign not in ("in", "not in"):
        return _TEXTS[sign](one, looked.text(right))
    if isinstance(right, Literals):
        inside = pc.is_in(one, value_set=pa.array(list(right.values), pa.string()))
        known = pc.is_valid(one)
        return inside if sign == "in" else pc.and_(pc.invert(inside), known)
    part = left.values[0] if isinstance(left, Literals) else ""
    found = pc.match_substring(looked.text(right), str(part))
    return found if sign == "in" else pc.invert(found)


def deciding(condition: Condition, true: Truths) -> Iterator[Comparison]:
    """Give the comparisons that make a condition what it is for a document, from left to right.

    An `and` that is true is so by all its parts, one that is false by its first false part; an `or` the other way.
    """
    match condition:
        case Comparison():
            yield condition
        case Not(part):
            yield from deciding(part, true)
        case Every(parts) | Some(parts):
            wanted = isinstance(condition, Some)
            first = next((part for part in parts if is_true(part, true) == wanted), None)
            for part in parts if first is None else (first,):
                yield from deciding(part, true)


def is_true(condition: Condition, true: Truths) -> bool:
    """Whether a condition is true for a document, by what its comparisons are."""
    match condition:
        case Comparison():
            return true[condition]
        case Not(part):
            return not is_true(part, true)
        case Every(parts):
            return all(is_true(part, true) for part in parts)
        case Some(parts):
            return any(is_true(part, true) for part in parts)
