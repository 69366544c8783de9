"""Is a candidate a near duplicate? The similarity of pairs: estimated from signatures or sketches, or measured."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Floats, Offsets
from headrace.stages.deduplication.schemes import Values
from headrace.stages.deduplication.shingles import Shingles
from headrace.stages.kernels.pair_similarity import equal_shares, jaccard_similarities, sketched_similarities


def estimated(one: Values, other: Values, pairs: Offsets) -> Floats:
    """Estimate the Jaccard similarity of pairs: the share of equal slots of their signatures.

    Pair k is row `pairs[k, 0]` of one array and row `pairs[k, 1]` of the other. The standard error of MinHash is
    sqrt(s * (1 - s) / slots) at a similarity of s, 0.038 at 0.8 with 112 slots. Signatures of texts without shingles
    say nothing; leave those out.
    """
    _check(len(one), len(other), pairs)
    if one.dtype != other.dtype or one.shape[1:] != other.shape[1:]:
        raise ValueError(
            f"signatures of two schemes: {one.dtype} of {one.shape[1:]}, {other.dtype} of {other.shape[1:]}"
        )
    return equal_shares(one, other, pairs)


def measured(one: Shingles, other: Shingles, pairs: Offsets) -> Floats:
    """Give the exact Jaccard similarity of pairs of shingle sets, as `shingle_sets` gives them; of two empty ones 0."""
    _check(len(one.ends) - 1, len(other.ends) - 1, pairs)
    return jaccard_similarities(one.values, one.ends, other.values, other.ends, pairs)


def sketched(one: Shingles, other: Shingles, pairs: Offsets) -> Floats:
    """Estimate the Jaccard similarity of pairs by their sketches, as `sketches_of` gives them.

    The standard error at a similarity of 0.8 is 0.006 or less; similarities far below 0.5 are known less well.
    """
    _check(len(one.ends) - 1, len(other.ends) - 1, pairs)
    return sketched_similarities(one.values, one.ends, other.values, other.ends, pairs)


def _check(ones: int, others: int, pairs: Offsets) -> None:
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs have two columns, not the shape {pairs.shape}")
    if len(pairs) and not (np.all(pairs >= 0) and np.all(pairs < (ones, others))):
        raise ValueError(f"a pair names a text that is not there: there are {ones} and {others}")
