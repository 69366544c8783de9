"""The index stays within the memory that its documentation states."""

from __future__ import annotations

import numpy as np

from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.rules import Rules
from headrace.stages.kernels.band_index import Entries


def test_memory_per_kept_document_is_bounded() -> None:
    """A kept document costs less than 700 bytes at 14 x 8 with exact keys, ids apart, just after the arrays grew."""
    index = FirstSeenIndex(Rules(exact=True, bands=14, rows=8, slots=112, threshold=0.8))
    chance = np.random.default_rng(0)
    sizes = []
    for _ in range(60):
        keys = chance.integers(0, 1 << 63, (1000, 2), np.uint64)
        signatures = chance.integers(0, 1 << 32, (1000, 112), np.uint32)
        fates = index.settle(
            Entries(keys, np.ones(1000, np.bool_), signatures, np.zeros(0, np.uint64), np.zeros(1001, np.int64))
        )
        assert not fates.fates.any()
        sizes.append(index.nbytes / index.count)
    assert max(sizes[20:]) < 700
    assert min(sizes) > 448 + 24 + 15 * 8


def test_a_band_that_all_share_costs_8_bytes_a_document() -> None:
    """Three thousand documents with one band in common are all kept; their other bands cost what they always do."""
    index = FirstSeenIndex(Rules(exact=False, bands=14, rows=8, slots=112, threshold=0.8))
    signatures = np.random.default_rng(0).integers(0, 1 << 32, (3000, 112), np.uint32)
    no_keys, none = np.zeros((0, 2), np.uint64), np.zeros(0, np.uint64)
    signed, ends = np.ones(3000, np.bool_), np.zeros(3001, np.int64)
    index.settle(Entries(no_keys, signed, signatures, none, ends))
    alone = index.nbytes
    signatures[:, :8] = 7
    index = FirstSeenIndex(Rules(exact=False, bands=14, rows=8, slots=112, threshold=0.8))
    assert not index.settle(Entries(no_keys, signed, signatures, none, ends)).fates.any()
    assert index.nbytes == alone + 2999 * 8
