"""The similarity of candidates, estimated and exact."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import text_buffers
from headrace.stages.deduplication.schemes import SCHEMES, signatures
from headrace.stages.deduplication.shingles import Shingles, Shingling, shingle_sets
from headrace.stages.deduplication.sketches import sketches_of
from headrace.stages.deduplication.verify import estimated, measured, sketched
from headrace.stages.kernels.plain_signatures import mix64

sets = st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=6)


def packed(rows: list[set[int]]) -> Shingles:
    values = np.array([value for row in rows for value in sorted(row)], np.uint64)
    return Shingles(values, np.cumsum([0, *map(len, rows)]))


@given(sets, sets)
@settings(max_examples=80, deadline=None)
def test_measured_is_the_jaccard_similarity(ones: list[set[int]], others: list[set[int]]) -> None:
    """Sizes of intersection and union, over all pairs; two empty sets have nothing in common."""
    pairs = [(i, j) for i in range(len(ones)) for j in range(len(others))]
    wanted = [len(ones[i] & others[j]) / max(1, len(ones[i] | others[j])) for i, j in pairs]
    assert measured(packed(ones), packed(others), np.array(pairs)).tolist() == wanted


@pytest.mark.parametrize("name", ["datasketch", "datatrove", "fss"])
def test_estimated_is_the_share_of_equal_slots(name: str) -> None:
    """Equal texts have 1, strangers next to 0, and one changed word in the middle what it is by numpy."""
    base = " ".join(f"word{i}" for i in range(200))
    texts = [base, base, base.replace("word100", "other"), " ".join(f"else{i}" for i in range(200))]
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    values = signatures(data, offsets, SCHEMES[name]).values
    found = estimated(values, values, np.array([[0, 1], [0, 2], [0, 3]]))
    assert found.tolist() == [1.0, (values[0] == values[2]).mean(), (values[0] == values[3]).mean()]
    assert found[2] < 0.05
    exact = measured(*[shingle_sets(data, offsets, Shingling())] * 2, np.array([[0, 2]]))
    assert exact[0] == 191 / 201
    assert found[1] == pytest.approx(exact[0], abs=0.08)


@given(sets, sets)
@settings(max_examples=80, deadline=None)
def test_sketched_is_the_similarity_of_small_sets(ones: list[set[int]], others: list[set[int]]) -> None:
    """A dozen members fall on a dozen bits of 2,048, here no two on one: the estimate is exact."""
    ones, others = ([{mix64(value) for value in row} for row in rows] for rows in (ones, others))
    pairs = np.array([(i, j) for i in range(len(ones)) for j in range(len(others))])
    exact = measured(packed(ones), packed(others), pairs)
    assert sketched(sketches_of(packed(ones)), sketches_of(packed(others)), pairs).tolist() == exact.tolist()


def test_no_pairs_no_similarities() -> None:
    """Nothing asked, nothing answered."""
    none = np.zeros((0, 2), np.int64)
    assert measured(packed([{1}]), packed([{1}]), none).tolist() == []


def test_what_cannot_be_compared_is_refused() -> None:
    """A text that is not there, signatures of two schemes, and pairs of three."""
    narrow, wide = np.ones((2, 4), np.uint32), np.ones((2, 4), np.uint64)
    with pytest.raises(ValueError, match="not there"):
        estimated(narrow, narrow, np.array([[0, 2]]))
    with pytest.raises(ValueError, match="two schemes"):
        estimated(narrow, wide, np.array([[0, 1]]))
    with pytest.raises(ValueError, match="two columns"):
        measured(packed([{1}]), packed([{1}]), np.array([[0, 0, 0]]))
