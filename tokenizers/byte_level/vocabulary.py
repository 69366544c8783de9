"""The bytes of every token, for decoding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from headrace.schemas.arrays import Bytes, Offsets
from headrace.tokenizers.base import Ids


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Token `id` is data[offsets[id]:offsets[id + 1]]; special tokens and unused ids have no bytes."""

    data: Bytes
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def decode(self, ids: Ids) -> str:
        """Give the text of the ids; bytes that are no UTF-8 (a cut document) become U+FFFD."""
        starts = self.offsets[ids]
        sizes = self.offsets[ids.astype(np.int64) + 1] - starts
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)
        text: bytes = self.data[places].tobytes()
        return text.decode("utf-8", "replace")


def packed(tokens: Mapping[int, bytes], special: Iterable[int], size: int) -> Vocabulary:
    """Give the vocabulary of `size` ids; the bytes of special ids are left out."""
    left_out = frozenset(special)
    pieces = [b"" if token in left_out else tokens.get(token, b"") for token in range(size)]
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    return Vocabulary(np.frombuffer(b"".join(pieces), np.uint8), offsets)
