"""What some kept documents say about the documents of a unit, and which of two answers counts."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Classes
from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR
from headrace.stages.kernels.entries import Answers


class Fates(Answers):
    """What became of each document of a unit, as the kernels have it."""

    __slots__ = ()

    @classmethod
    def none(cls, count: int) -> Fates:
        """Give the answer of an index that holds nothing."""
        return cls(np.full(count, KEPT, np.uint8), np.full(count, -1, np.int64), np.zeros(count))


def better(one: Fates, other: Fates) -> Fates:
    """Join the answers of two sets of kept documents: equal before near, then the more similar, then the earlier.

    The first-seen rule is that of one index that holds both: any cut of an index answers alike.
    """
    first = _order(one) > _order(other)
    level = _order(one) == _order(other)
    first |= level & (one.similarities > other.similarities)
    level &= one.similarities == other.similarities
    first |= level & (one.survivors <= other.survivors)
    return Fates(
        np.where(first, one.fates, other.fates),
        np.where(first, one.survivors, other.survivors),
        np.where(first, one.similarities, other.similarities),
    )


def _order(fates: Fates) -> Classes:
    order = np.zeros(len(fates.fates), np.uint8)
    order[fates.fates == NEAR], order[fates.fates == EXACT] = 1, 2
    return order
