"""A rate that was measured on a sample, and the interval it lies in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
EXAMPLES = 3  # doc_ids of a finding
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the documents looked at have something, the share, its interval, and some of them by doc_id."""

    name: str
    documents: int
    of: int
    rate: float | None  # None: no document was looked at
    low: float | None
    high: float | None
    examples: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Give the JSON form."""
        return asdict(self)


def rate_of(name: str, doc_ids: Sequence[str], of: int, documents: int) -> Rate:
    """Give the rate of the documents `doc_ids` among `of` that were looked at, out of `documents` there are."""
    if of == 0:
        return Rate(name, 0, 0, None, None, None)
    low, high = interval(len(doc_ids), of, documents)
    return Rate(name, len(doc_ids), of, len(doc_ids) / of, low, high, tuple(doc_ids[:EXAMPLES]))


def interval(found: int, of: int, documents: int) -> tuple[float, float]:
    """Give the 95 % interval of a share by Wilson's score, or the share itself where all documents were looked at.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927), 209-212. Unlike the normal approximation it is right near 0, where rates of
    unsafe documents are: nothing found among 1,000 means less than 0.38 %, not 0.

    >>> tuple(round(bound, 5) for bound in interval(0, 1000, 10**6))
    (0.0, 0.00383)
    >>> interval(3, 12, 12)
    (0.25, 0.25)
    """
    share = found / of
    if of >= documents:
        return share, share
    spread = _Z * _Z / of
    middle, width = share + spread / 2, _Z * sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (middle - width) / (1 + spread), (middle + width) / (1 + spread)
    return (0.0 if found == 0 else low), (1.0 if found == of else high)
