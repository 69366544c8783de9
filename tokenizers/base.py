"""What a tokenizer is: a packed column of texts in, one flat array of ids and offsets out."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]
Offsets: TypeAlias = NDArray[np.int64]
TextColumn: TypeAlias = Any  # a pa.Array of large_string without nulls; the stubs know no such array


class Tokenizer(Protocol):
    """Text to ids and back. Special ids never come out of text: `encode` gives none of them, whatever the text says."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the model's bytes in hex: two tokenizers with the same one give the same ids."""
        ...

    @property
    def vocabulary_size(self) -> int:
        """Number of ids; every id is smaller."""
        ...

    @property
    def pad_id(self) -> int:
        """The id that fills sequences up. Models without one use their end id, or 0: `length` says what is padding."""
        ...

    @property
    def bos_id(self) -> int | None:
        """The id that begins a document, if the model has one."""
        ...

    @property
    def eos_id(self) -> int | None:
        """The id that ends a document, if the model has one."""
        ...

    def encode(self, texts: TextColumn) -> tuple[Ids, Offsets]:
        """Give the ids of all texts ; those of text i are ids[offsets[i]:offsets[i + 1]]."""
        ...

    def decode(self, ids: Ids) -> str:
        """Give the text of one document's ids."""
        ...


def id_type(vocabulary_size: int) -> type[np.uint16] | type[np.uint32]:
    """Give the smallest type all ids fit in: two bytes a token up to 65,536 ids, else four."""
    return np.uint16 if vocabulary_size <= 1 << 16 else np.uint32


def with_ends(ids: Ids, offsets: Offsets, bos: int | None, eos: int | None) -> tuple[Ids, Offsets]:
    """Give ids and offsets with the begin and end ids put around every text."""
    extra = (bos is not None) + (eos is not None)
    if not extra:
        return ids, offsets
    texts = len(offsets) - 1
    ends = offsets + np.arange(texts + 1, dtype=np.int64) * extra
    wide = np.empty(len(ids) + texts * extra, ids.dtype)
    inside = np.ones(len(wide), np.bool_)
    if bos is not None:
        inside[ends[:-1]] = False
        wide[ends[:-1]] = bos
    if eos is not None:
        inside[ends[1:] - 1] = False
        wide[ends[1:] - 1] = eos
    wide[inside] = ids
    return wide, ends
