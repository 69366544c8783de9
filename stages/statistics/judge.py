"""A rule compares a value with a bound; the first one that a document breaks is the reason why it leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Rule:
    """A document is dropped for a reason if a value is below the least or above the most."""

    value: str
    reason: str
    least: float | None = None
    most: float | None = None


def first_broken(
    values: Mapping[str, npt.NDArray[np.int64] | npt.NDArray[np.float64]], rules: Sequence[Rule], rows: int
) -> npt.NDArray[np.int64]:
    """Give for each of some documents the place of the first rule that it breaks, or -1."""
    broken = np.full(rows, -1, np.int64)
    for place in reversed(range(len(rules))):
        rule, value = rules[place], values[rules[place].value]
        below = value < rule.least if rule.least is not None else np.zeros(rows, np.bool_)
        above = value > rule.most if rule.most is not None else np.zeros(rows, np.bool_)
        broken[below | above] = place
    return broken
