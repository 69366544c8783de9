"""The index stays within the memory that its documentation states."""

from __future__ import annotations

import numpy as np

from headrace.stages.deduplication.index import FirstSeenIndex, Rules
from headrace.stages.kernels.band_index import Entries


def test_memory_per_kept_document_is_bounded() -> None:
    """A kept document costs less than 1,100 bytes at 14 x 8 with exact keys, ids apart, just after the arrays grew."""
    index = FirstSeenIndex(Rules(exact=True, bands=14, rows=8, threshold=0.8, sets=False))
    chance = np.random.default_rng(0)
    sizes = []
    for _ in range(60):
        keys = chance.integers(0, 1 << 63, (1000, 2), np.uint64)
        signatures = chance.integers(0, 1 << 32, (1000, 112), np.uint32)
        fates = index.settle(Entries(keys, signatures, np.zeros(0, np.uint32), np.zeros(1001, np.int64)))
        assert not fates.fates.any()
        sizes.append(index.nbytes / index.count)
    assert max(sizes[20:]) < 1100
    assert min(sizes) > 448 + 56 + 16
