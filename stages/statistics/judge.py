"""The first rule that a document breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from headrace.stages.statistics.presets import Rule


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
