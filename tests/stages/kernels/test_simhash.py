"""SimHash and the permuted tables beside their plain twins: no pair within k is missed."""

from __future__ import annotations

from math import comb

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.kernels.test_shingles import VIEWS

from headrace.schemas.arrays import text_buffers
from headrace.stages.deduplication.shingles import Shingling, shingles
from headrace.stages.deduplication.simhash import Layout, layout_for, simhashes
from headrace.stages.kernels import plain_signatures as plain
from headrace.stages.kernels.distinct import find_repeats
from headrace.stages.kernels.simhash import fingerprints

FEW_BITS = st.integers(0, (1 << 64) - 1)


@pytest.mark.parametrize("shingling", [Shingling("auto", 5), Shingling("words", 3), Shingling("characters", 5)])
def test_fingerprints_are_those_of_the_plain_twin(shingling: Shingling) -> None:
    """Views from none to thousands of shingles; repeats count once, and a bit that half of them have is not set."""
    texts = [*VIEWS, *(view * 30 for view in VIEWS), "".join(map(chr, range(0x4E00, 0x5E00)))]
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    found, hashes = simhashes(data, offsets, shingling), shingles(data, offsets, shingling)
    assert found.values.tolist() == [plain.fingerprint(hashes.of(i).tolist()) for i in range(len(texts))]
    assert found.counts.tolist() == [len(set(hashes.of(i).tolist())) for i in range(len(texts))]


def test_repeats_do_not_vote() -> None:
    """A phrase that stands there a hundred times weighs as much as one that stands there once."""
    start = "the wheel sets the pace and the channel never runs dry "
    texts = [start + "over and over " * times + "at last it stops" for times in (3, 300)]
    found = simhashes(*text_buffers(pa.array(texts, pa.large_string())), Shingling("words", 3))
    assert found.values[0] == found.values[1]


@given(st.lists(st.lists(st.integers(0, 40).map(lambda n: n << 50 | n % 3), max_size=300), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_repeats_are_those_that_came_before(texts: list[list[int]]) -> None:
    """Hashes that begin at the same place of the table, zero among them; texts in a row share a table, not hashes."""
    seen, base = np.zeros(8192, np.uint32), 1
    for text in texts:
        out = np.zeros(len(text), np.uint64)
        found = find_repeats(np.array(text, np.uint64), seen, base, out)
        assert out[:found].tolist() == [value for i, value in enumerate(text) if value in text[:i]]
        base += len(text)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 127, 128, 129, 1023, 1024, 1025, 2048, 40_000])
def test_a_bit_needs_more_than_half(count: int) -> None:
    """Bit 0 is set in just half of the hashes, bit 1 in one more, bit 2 in all, bit 3 in none, the others by chance."""
    random = np.random.default_rng(count)
    values = random.integers(0, 1 << 60, count, np.uint64) << np.uint64(4) | np.uint64(4)
    for bit, share in ((0, count // 2), (1, count // 2 + 1)):
        values[random.permutation(count)[:share]] |= np.uint64(1 << bit)
    values = np.concatenate((values, values[: count // 3]))
    out, counts = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    fingerprints(values, np.array([0, len(values)]), out, counts)
    assert int(out[0]) == plain.fingerprint(values.tolist())
    assert int(out[0]) & 15 == 0b110 and counts[0] == len(set(values.tolist()))


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_more_fingerprints_get_longer_keys(k: int) -> None:
    """The layout grows with what it is for, and covers all bits once."""
    layouts = [layout_for(k, 10**power) for power in range(1, 10)]
    blocks = [layout.blocks for layout in layouts]
    assert blocks == sorted(blocks) and blocks[0] < blocks[-1]
    for layout in layouts:
        bounds = [layout.bounds(block) for block in range(layout.blocks)]
        assert [first for first, _ in bounds] == np.cumsum([0, *(width for _, width in bounds)])[:-1].tolist()
        assert sum(width for _, width in bounds) == 64
        assert len(layout.keys) == comb(layout.blocks, k)


@pytest.mark.parametrize(("k", "blocks"), [(2, 4), (7, 9), (3, 3), (6, 40)])
def test_layouts_that_cannot_be_are_refused(k: int, blocks: int) -> None:
    """Few bits may differ, 3 to 6, and there are more blocks than k, but not thousands of tables."""
    with pytest.raises(ValueError, match="bits"):
        Layout(k, blocks)
