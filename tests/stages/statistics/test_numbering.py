"""Texts get numbers in the order in which they come, whatever the sizes of the batches that bring them."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import read_only
from headrace.stages.statistics.numbering import Numbered


def test_memories_grow_with_their_texts_whatever_made_them_grow_first() -> None:
    """Few long texts make room for bytes, many short ones for entries: no array is written behind its end."""
    numbered, known = Numbered(), dict[str, int]()
    rng = np.random.default_rng(1)
    for batch in range(60):
        count, width = int(rng.integers(1, 6000)), (1, 1, 60)[batch % 3]
        words = [f"w{number}" * width for number in rng.integers(0, 300_000, count).tolist()]
        ends = np.cumsum([len(word) for word in words])
        data = read_only(np.frombuffer("".join(words).encode() + bytes(16), np.uint8))
        numbers = numbered.numbers(data, np.concatenate(([0], ends[:-1])), ends).tolist()
        for word, number in zip(words, numbers, strict=True):
            assert known.setdefault(word, len(known)) == number
        assert numbered.count == len(known) < len(numbered.offsets)
