"""What a user's rule says, as a tree of frozen values: comparisons joined by and, or, not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Sign: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is known", "is unknown"]
Operator: TypeAlias = Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Name:
    """A value that is looked up: a number, or a text such as the language."""

    name: str
    text: bool


@dataclass(frozen=True, slots=True)
class Literals:
    """What is written out: one number, one text, or several of one kind behind `in`."""

    values: tuple[float, ...] | tuple[str, ...]

    @property
    def text(self) -> bool:
        """Whether these are texts."""
        return isinstance(self.values[0], str)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A number made of two others."""

    left: Value
    operator: Operator
    right: Value


Value: TypeAlias = Name | Literals | Arithmetic


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values and a sign between them; `words` is how the rule writes them."""

    left: Value
    sign: Sign
    right: Value
    words: str


@dataclass(frozen=True, slots=True)
class Not:
    """True where the other is not."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Every:
    """True where all parts are."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """True where one of the parts is."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Comparison | Not | Every | Some


def is_text(value: Value) -> bool:
    """Whether a value is text; all others are numbers."""
    return not isinstance(value, Arithmetic) and value.text


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Give the comparisons of a condition, from left to right."""
    match condition:
        case Comparison():
            yield condition
        case Not(part):
            yield from comparisons(part)
        case Every(parts) | Some(parts):
            for part in parts:
                yield from comparisons(part)


def names(condition: Condition) -> Iterator[str]:
    """Give the names that a condition looks up, with repeats."""
    for comparison in comparisons(condition):
        for side in (comparison.left, comparison.right):
            yield from _names(side)


def _names(value: Value) -> Iterator[str]:
    match value:
        case Name(name):
            yield name
        case Arithmetic(left, _, right):
            yield from _names(left)
            yield from _names(right)
