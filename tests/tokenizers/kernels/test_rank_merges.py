from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from headrace.schemas.arrays import Bytes, Links, Offsets
from headrace.tokenizers.kernels import rank_merges, rank_merges_plain

Merges = Callable[[Bytes, Offsets], Links]


def sizes(last_merges: Merges, tokens: list[bytes]) -> list[int]:
    offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
    return last_merges(np.frombuffer(b"".join(tokens), np.uint8), offsets).tolist()


@pytest.mark.parametrize("last_merges", [rank_merges.last_merges, rank_merges_plain.last_merges])
def test_a_token_is_cut_where_it_was_merged(last_merges: Merges) -> None:
    """Merges of lower rank go first, the leftmost of equal ones; bytes have no cut; unreachable tokens say so."""
    tokens = [b"a", b"b", b"c", b"bc", b"ab", b"abc", b"aa", b"aaa", b"ccc", b"abab", b"ababab"]
    assert sizes(last_merges, tokens) == [0, 0, 0, 1, 1, 1, 1, 2, -1, 2, 4]


def test_kernel_and_plain_python_agree() -> None:
    """On made vocabularies of a few letters, where every token can be cut in many ways, both give the same."""
    draw = np.random.default_rng(5)
    for _ in range(30):
        words = [draw.integers(97, 100, draw.integers(2, 9)).astype(np.uint8).tobytes() for _ in range(300)]
        tokens = list(dict.fromkeys([b"a", b"b", b"c", *words]))
        found = sizes(rank_merges.last_merges, tokens)
        assert found == sizes(rank_merges_plain.last_merges, tokens)
        assert -1 in found and max(found) > 2
