"""Sums up a page's tree of boxes and what boxes hand down: parents stand before their children, box 0 is the page."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Flags, Floats
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.extraction_model import Numbers

Weights = npt.NDArray[np.float64]  # of two dimensions


@kernel
def sum_up(parents: Numbers, values: Weights) -> Weights:
    """Give for each box the sums of its own values and those of all boxes in it."""
    sums = values.copy()
    for box in range(len(parents) - 1, 0, -1):
        for column in range(sums.shape[1]):
            sums[parents[box], column] += sums[box, column]
    return sums


@kernel
def join_down(parents: Numbers, bits: Numbers) -> Numbers:
    """Give for each box its own bits and those of all boxes around it."""
    joined = bits.copy()
    for box in range(1, len(parents)):
        joined[box] |= joined[parents[box]]
    return joined


@kernel
def most_down(parents: Numbers, counts: Numbers) -> Numbers:
    """Give for each box the largest number among its own and those of all boxes around it."""
    most = counts.copy()
    for box in range(1, len(parents)):
        most[box] = max(most[box], most[parents[box]])
    return most


@kernel
def depths(parents: Numbers) -> Numbers:
    """Give for each box how many boxes are around it."""
    deep = np.zeros_like(parents)
    for box in range(1, len(parents)):
        deep[box] = deep[parents[box]] + 1
    return deep


@kernel
def inside(parents: Numbers, outer: int) -> Flags:
    """Flag a box and all boxes in it."""
    flags = np.zeros(len(parents), np.bool_)
    flags[outer] = True
    for box in range(outer + 1, len(parents)):
        flags[box] = flags[parents[box]]
    return flags


@kernel
def under_pointers(homes: Numbers, parents: Numbers, pointing: Flags, headings: Flags) -> Flags:
    """Flag blocks that follow a line such as "Related" inside the same box, up to the next heading.

    `homes` is the box of each block, `pointing` flags the lines that begin such a part.
    """
    flags = np.zeros(len(homes), np.bool_)
    outer = -1  # the box whose rest is flagged
    for block in range(len(homes)):
        if pointing[block]:
            outer = parents[homes[block]]
        elif headings[block] or homes[block] < outer:
            outer = -1
        flags[block] = outer >= 0
    return flags


@kernel
def weighed(features: Weights, weights: Floats) -> Floats:
    """Give the weighted sum of each column, added up from top to bottom: the same on every machine."""
    sums = np.zeros(features.shape[1])
    for row in range(len(weights)):
        for column in range(len(sums)):
            sums[column] += features[row, column] * weights[row]
    return sums
