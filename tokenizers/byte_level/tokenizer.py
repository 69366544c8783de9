"""Byte-level models from `tokenizer.json` and rank files: the ids of their library, from the fastest engine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headrace.schemas.arrays import Bytes, Flags, text_buffers
from headrace.tokenizers.base import Ids, Offsets, TextColumn, id_type
from headrace.tokenizers.byte_level.engines import Engine, WideIds
from headrace.tokenizers.byte_level.options import ByteLevelOptions, EngineChoice
from headrace.tokenizers.byte_level.special_tokens import SpecialIds
from headrace.tokenizers.byte_level.unicode_changes import changed_texts


@dataclass(frozen=True, slots=True)
class Source:
    """What a tokenizer is loaded from; it pickles as this."""

    data: bytes
    where: str
    options: ByteLevelOptions
    engine: EngineChoice

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, and of the options that change ids."""
        key = self.options.key().encode()
        return hashlib.sha256(self.data + (b"\0" + key if key else b"")).hexdigest()


@dataclass(frozen=True, slots=True)
class Engines:
    """What runs a model. `path` says which library gives the ids, and why it is not the fast one."""

    path: str
    fast: Engine | None
    composed: bool  # the fast engine brings texts to NFC
    open_library: Callable[[], Engine]


@dataclass(frozen=True)
class ByteLevelTokenizer:
    """A loaded model."""

    source: Source
    vocabulary_size: int
    specials: SpecialIds
    engines: Engines
    decode_ids: Callable[[Ids], str]

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the model's file, and of the options that change ids, in hex."""
        return self.source.sha256

    @property
    def path(self) -> str:
        """Which library gives the ids, and why it is not the fast one."""
        return self.engines.path

    @property
    def bos_id(self) -> int | None:
        """The id that begins a document, if the model has one."""
        return self.specials.bos

    @property
    def eos_id(self) -> int | None:
        """The id that ends a document, if the model has one."""
        return self.specials.eos

    @property
    def pad_id(self) -> int:
        """The id of the padding token; without one the end id, or 0."""
        return self.specials.pad

    @cached_property
    def reference(self) -> Engine:
        """The reference; beside a fast engine it is loaded when the first text needs it."""
        return self.engines.open_library()

    def encode(self, texts: TextColumn) -> tuple[Ids, Offsets]:
        """Give the library's ids; texts with characters that the fast engine knows otherwise go through the library."""
        data, offsets = text_buffers(texts)
        fast = self.engines.fast
        if fast is None:
            ids, bounds = self.reference.encode(data, offsets)
            return self._narrow(ids), bounds
        ids, bounds = fast.encode(data, offsets)
        changed = changed_texts(data, offsets, composed=self.engines.composed)
        if changed.any():
            ids, bounds = _replaced(ids, bounds, changed, *self.reference.encode(*_chosen(data, offsets, changed)))
        return self._narrow(ids), bounds

    def _narrow(self, ids: WideIds) -> Ids:
        return ids.astype(np.uint16) if id_type(self.vocabulary_size) is np.uint16 else ids

    def decode(self, ids: Ids) -> str:
        """Give the text; special ids are left out, broken characters (a cut document) become U+FFFD."""
        return self.decode_ids(ids)

    def __reduce__(self) -> tuple[object, ...]:
        from headrace.tokenizers.byte_level.opening import open_source

        return open_source, (self.source,)


def _chosen(data: Bytes, offsets: Offsets, wanted: Flags) -> tuple[Bytes, Offsets]:
    """Give the wanted texts alone."""
    rows = np.flatnonzero(wanted)
    bounds = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(offsets[rows + 1] - offsets[rows], out=bounds[1:])
    return np.concatenate([data[offsets[row] : offsets[row + 1]] for row in rows]), bounds


def _replaced(
    ids: WideIds, offsets: Offsets, rows: Flags, new_ids: WideIds, new_offsets: Offsets
) -> tuple[WideIds, Offsets]:
    """Put new ids in the place of those of some rows."""
    sizes = np.diff(offsets)
    old = np.repeat(rows, sizes)
    sizes[rows] = np.diff(new_offsets)
    bounds = np.zeros(len(offsets), np.int64)
    np.cumsum(sizes, out=bounds[1:])
    new = np.repeat(rows, sizes)
    mixed = np.empty(bounds[-1], np.uint32)
    mixed[new], mixed[~new] = new_ids, ids[~old]
    return mixed, bounds
