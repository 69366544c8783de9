"""Texts get numbers in the order in which they come, whatever the sizes of the batches that bring them."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import read_only
from headrace.stages.statistics.numbering import Numbered


def test_memories_grow_with_their_texts_whatever_made_them_grow_first() -> None:
    """Two long texts make room for bytes and double the table; the short ones behind find room for as many entries."""
    words = [f"{number:05}" for number in range(15_000)]
    words[3000], words[5000] = "x" * 20_000, "y" * 30_000
    ends = np.cumsum([len(word) for word in words])
    data = read_only(np.frombuffer("".join(words).encode() + bytes(16), np.uint8))
    numbered = Numbered()
    numbers = numbered.numbers(data, np.concatenate(([0], ends[:-1])), ends)
    assert numbers.tolist() == list(range(len(words)))
    assert numbered.count == len(words) < len(numbered.offsets)
    assert numbered.texts[: numbered.offsets[numbered.count]].tobytes() == "".join(words).encode()
