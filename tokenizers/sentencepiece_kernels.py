"""SentencePiece models (unigram and BPE) without the library on the way of the text: the same ids, only faster."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets, text_buffers
from headrace.schemas.errors import FormatError
from headrace.tokenizers import sentencepiece_model
from headrace.tokenizers.base import Ids, TextColumn, id_type
from headrace.tokenizers.kernels.bpe_texts import BpeRoom, bpe_ids, bpe_room
from headrace.tokenizers.kernels.piece_tables import SPELLED, PieceTables
from headrace.tokenizers.kernels.progress import ROOM, TEXTS
from headrace.tokenizers.kernels.spelling import SPELLED_IDS, join_unknown
from headrace.tokenizers.kernels.unigram_texts import UnigramRoom, unigram_ids, unigram_room
from headrace.tokenizers.kernels.unit_cache import COPIED, UnitCache, WideIds, new_cache
from headrace.tokenizers.model_file import ModelFile, read_model
from headrace.tokenizers.normalizing.normalizer import Normalizer, normalizer_of
from headrace.tokenizers.table_building import refusal
from headrace.tokenizers.table_file import tables_of

REFERENCE: Final = "0.2.3"  # the version of sentencepiece whose ids these are
_FIRST_ROOM: Final = 4096  # bytes of a unit; it grows with the longest one


@dataclass(slots=True, eq=False)
class _Workplace:
    """What encoding writes to: one at a time may use it."""

    cache: UnitCache
    room: UnigramRoom | BpeRoom
    lock: threading.Lock = field(default_factory=threading.Lock)


class KernelTokenizer:
    """A SentencePiece model whose ids come from kernels. Pickles as the model's bytes and where its tables are kept."""

    def __init__(self, model: bytes, where: str, folder: Path | None = None) -> None:
        """Read a model; FormatError names `where` if it is broken or the kernels cannot give its ids exactly.

        With a folder the tables are kept there, and mapped: processes on a machine share them.
        """
        self.parts = model, where, folder
        self.model = read_model(model, where)
        if why := refusal(self.model):
            raise FormatError(
                "the kernels cannot give this model's ids", where=where, why=why, remedy="set `engine: reference`"
            )
        self.normalizer: Normalizer = normalizer_of(self.model, where)
        self.tables: PieceTables = tables_of(self.model, folder)
        self._place = _Workplace(new_cache(), _room(self.model, _FIRST_ROOM))

    def __reduce__(self) -> tuple[type[KernelTokenizer], tuple[bytes, str, Path | None]]:
        return type(self), self.parts

    @property
    def sha256(self) -> str:
        """SHA-256 of the model's bytes."""
        return self.model.sha256

    @property
    def vocabulary_size(self) -> int:
        """Number of pieces."""
        return self.model.vocabulary_size

    @property
    def bos_id(self) -> int | None:
        """The id of the begin piece, if the model has one."""
        return self.model.bos_id

    @property
    def eos_id(self) -> int | None:
        """The id of the end piece, if the model has one."""
        return self.model.eos_id

    @property
    def pad_id(self) -> int:
        """The id of the padding piece; without one the end id, or 0."""
        return self.model.pad_id if self.model.pad_id is not None else self.model.eos_id or 0

    def encode(self, texts: TextColumn) -> tuple[Ids, Offsets]:
        """Give the ids that the library gives; texts that are not UTF-8 are read as it reads them."""
        data, offsets = text_buffers(texts)
        data, begins = self.normalizer.normalize(data, offsets, folded=self.model.normalizer.escape_whitespaces)
        with self._place.lock:
            return self._encoded(data, begins)

    def decode(self, ids: Ids) -> str:
        """Give the text of the ids, by the library."""
        return self._library.decode(ids)

    @cached_property
    def _library(self) -> sentencepiece_model.SentencePieceTokenizer:
        return sentencepiece_model.from_bytes(*self.parts[:2])

    def _encoded(self, data: Bytes, begins: Offsets) -> tuple[Ids, Offsets]:
        """Let the kernel write until it is done, with more room for units whenever one is too long."""
        out = np.empty(self._most_ids(len(data)) + COPIED, np.uint32)
        starts, progress = np.zeros(len(begins), np.int64), np.zeros(5, np.int64)
        self._run(data, begins, out, starts, progress)
        while progress[TEXTS] < len(begins) - 1:
            self._place.room = _room(self.model, 2 * int(progress[ROOM]))
            self._run(data, begins, out, starts, progress)
        if not self.tables.facts[SPELLED]:
            join_unknown(out, starts, self.tables)
        ids = np.empty(starts[-1], id_type(self.vocabulary_size))
        ids[:] = out[: len(ids)]
        return ids, starts

    def _most_ids(self, size: int) -> int:
        """Give how many ids so many bytes may have: each one its own, or three if it is a space that has no piece."""
        return size * (SPELLED_IDS if self.tables.facts[SPELLED] else 1)

    def _run(self, data: Bytes, begins: Offsets, out: WideIds, starts: Offsets, progress: Counts) -> None:
        place = self._place
        if isinstance(place.room, UnigramRoom):
            unigram_ids(data, begins, self.tables, place.cache, place.room, out, starts, progress)
        else:
            bpe_ids(data, begins, self.tables, place.cache, place.room, out, starts, progress)


def from_bytes(
    model: bytes, where: str, folder: Path | None = None
) -> KernelTokenizer | sentencepiece_model.SentencePieceTokenizer:
    """Load a model: the kernels where they give its ids exactly, else the library; FormatError if it is broken."""
    if refusal(read_model(model, where)):
        return sentencepiece_model.from_bytes(model, where)
    return KernelTokenizer(model, where, folder)


def _room(model: ModelFile, size: int) -> UnigramRoom | BpeRoom:
    return unigram_room(size) if model.algorithm == "unigram" else bpe_room(size)
