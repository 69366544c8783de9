"""A rule compares a value with a bound; the first one that a document breaks is the reason why it leaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A document is dropped for a reason if a value is below the least or above the most."""

    value: str
    reason: str
    least: float | None = None
    most: float | None = None
