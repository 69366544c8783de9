from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.tokenizers.base import id_type, with_ends

DOCUMENTS = st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=6)


@given(DOCUMENTS, st.sampled_from([None, 100]), st.sampled_from([None, 101]))
def test_ends_are_put_around_every_text(documents: list[list[int]], bos: int | None, eos: int | None) -> None:
    """Every text, an empty one too, comes back between its begin and end id."""
    lengths = [len(d) for d in documents]
    ids = np.array([i for d in documents for i in d], np.uint16)
    wide, offsets = with_ends(ids, np.cumsum([0, *lengths]), bos, eos)
    expected = [[bos] * (bos is not None) + d + [eos] * (eos is not None) for d in documents]
    actual = [wide[a:b].tolist() for a, b in pairwise(offsets)]
    assert (actual, wide.dtype) == (expected, np.uint16)


@pytest.mark.parametrize(("size", "expected"), [(259, np.uint16), (65_536, np.uint16), (65_537, np.uint32)])
def test_ids_are_as_narrow_as_the_vocabulary_allows(size: int, expected: type) -> None:
    """Two bytes hold 65,536 ids, no more."""
    assert id_type(size) is expected
