"""Bands and rows: how a signature is cut so that similar texts share a band and others do not."""

from __future__ import annotations

from functools import cache

import numpy as np

from headrace.schemas.arrays import Counts, Floats

_SLOTS = 128  # most values of a signature that is cut for a threshold
_MEETING = 0.9  # of two texts that are as similar as the threshold: the probability that they are compared
_TIE = 1e-12  # errors that differ by less are equal but for rounding


def meeting_probability(similarity: float, bands: int, rows: int) -> float:
    """Give how likely two texts of a Jaccard similarity share at least one band.

    >>> round(meeting_probability(0.8, 14, 8), 3)
    0.924
    """
    return float(1 - (1 - similarity**rows) ** bands)


def bands_for(threshold: float) -> tuple[int, int]:
    """Give bands and rows of at most 128 values with the most rows that still find pairs as similar as the threshold.

    Such a pair is compared with a probability of at least 0.9; fewer rows would compare more that are less similar.

    >>> bands_for(0.8), bands_for(0.5), bands_for(1.0)
    ((16, 8), (42, 3), (1, 128))
    """
    rows = next(r for r in range(_SLOTS, 0, -1) if meeting_probability(threshold, _SLOTS // r, r) >= _MEETING or r == 1)
    return _SLOTS // rows, rows


@cache
def optimal_bands(threshold: float, slots: int, weights: tuple[float, float] = (0.5, 0.5)) -> tuple[int, int]:
    """Give the bands and rows of at most `slots` values that datasketch's optimizer gives.

    They minimize the weighted sum of two areas: of meeting below the threshold, and of not meeting above it (Zhu et
    al. 2016). Among equals the fewest bands win, then the fewest rows.

    >>> optimal_bands(0.8, 128)
    (9, 13)
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"a threshold is between 0 and 1, not {threshold}")
    if slots < 1:
        raise ValueError(f"a signature has at least one slot, not {slots}")
    count = slots // 2 + 1  # exact for polynomials of twice as many degrees, and bands * rows is the degree here
    below, above = _nodes(0.0, threshold, count), _nodes(threshold, 1.0, count)
    best, least = (0, 0), float("inf")
    for bands in range(1, slots + 1):
        rows = np.arange(1, slots // bands + 1)
        errors = weights[0] * _meeting(below, bands, rows) + weights[1] * (1 - threshold - _meeting(above, bands, rows))
        place = int(np.argmin(errors))
        if errors[place] < least - _TIE:
            best, least = (bands, place + 1), float(errors[place])
    return best


def _nodes(first: float, last: float, count: int) -> tuple[Floats, Floats]:
    """Give places and weights of Gauss and Legendre's quadrature over a range."""
    places, weights = np.polynomial.legendre.leggauss(count)
    half = (last - first) / 2
    return first + half * (places + 1), half * weights


def _meeting(nodes: tuple[Floats, Floats], bands: int, rows: Counts) -> Floats:
    """Integrate the probability of meeting over the nodes, for each number of rows."""
    places, weights = nodes
    meeting: Floats = (1 - (1 - places ** rows[:, None]) ** bands) @ weights
    return meeting
