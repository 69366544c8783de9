"""`rank_merges` in plain Python: the same results, readable, slow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from headrace.schemas.arrays import Bytes, Links, Offsets
from headrace.tokenizers.kernels.rank_merges import NO_PAIR


def last_merges(data: Bytes, offsets: Offsets) -> Links:
    """Give for each token the size of the left of the two tokens that it is made from."""
    tokens = [data[start:stop].tobytes() for start, stop in pairwise(offsets.tolist())]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return np.array([_left_size(token, ranks) if len(token) > 1 else 0 for token in tokens], np.int32)


def _left_size(token: bytes, ranks: dict[bytes, int]) -> int:
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        pairs = [(ranks.get(left + right, len(ranks)), i) for i, (left, right) in enumerate(pairwise(parts))]
        rank, at = min(pairs)
        if rank >= ranks[token]:
            return NO_PAIR
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return len(parts[0])
