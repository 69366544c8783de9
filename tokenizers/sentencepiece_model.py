"""SentencePiece models (unigram and BPE) through the library itself: the reference for ids."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import sentencepiece

from headrace.schemas.errors import FormatError
from headrace.tokenizers.base import Ids, Offsets, TextColumn, id_type
from headrace.tokenizers.model_file import read_model


@dataclass(frozen=True, slots=True)
class SentencePieceTokenizer:
    """A loaded model; `sha256` is that of its file. Pickles as the model's bytes."""

    engine: sentencepiece.SentencePieceProcessor
    sha256: str

    @property
    def vocabulary_size(self) -> int:
        """Number of pieces."""
        return int(self.engine.get_piece_size())

    @property
    def bos_id(self) -> int | None:
        """The id of the begin piece, if the model has one."""
        return _present(self.engine.bos_id())

    @property
    def eos_id(self) -> int | None:
        """The id of the end piece, if the model has one."""
        return _present(self.engine.eos_id())

    @property
    def pad_id(self) -> int:
        """The id of the padding piece; without one the end id, or 0."""
        pad = _present(self.engine.pad_id())
        return pad if pad is not None else self.eos_id or 0

    def encode(self, texts: TextColumn) -> tuple[Ids, Offsets]:
        """Give the ids the library gives; its int32 buffers are copied once, straight into the narrow array."""
        utf8: list[bytes] = texts.cast(pa.large_binary()).to_pylist()
        # One thread: a worker has one core, and replicas give the parallelism.
        parts = self.engine.encode(utf8, return_type="numpy", num_threads=1) if utf8 else []
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        ids = np.empty(offsets[-1], id_type(self.vocabulary_size))
        if parts:
            np.concatenate(parts, out=ids, casting="unsafe")  # int32 to unsigned: ids are never negative
        return ids, offsets

    def decode(self, ids: Ids) -> str:
        """Give the text of the ids; U+2581, the library's mark for a space, comes back as a space."""
        return str(self.engine.decode(ids.tolist()))


def from_bytes(model: bytes, where: str) -> SentencePieceTokenizer:
    """Load a model from its bytes; FormatError names `where` when they are not a whole model.

    The library itself accepts a file that was cut between two fields, and leaves out what it does not know.
    """
    sha256 = read_model(model, where).sha256
    try:
        engine = sentencepiece.SentencePieceProcessor(model_proto=model)
    except (ValueError, RuntimeError, OSError) as error:
        raise FormatError(
            "sentencepiece does not load this model",
            where=where,
            why=str(error),
            remedy="give the .model file that the training wrote, or leave `model` out and set `train`",
        ) from error
    return SentencePieceTokenizer(engine, sha256)


def from_file(path: Path) -> SentencePieceTokenizer:
    """Load a .model file; FormatError when it is missing, cut short or something else."""
    try:
        model = path.read_bytes()
    except OSError as error:
        raise FormatError(
            "the tokenizer model cannot be read",
            where=str(path),
            why=error.strerror or str(error),
            remedy="correct `model` in the tokenize stage, or leave it out and set `train`",
        ) from error
    return from_bytes(model, str(path))


def _present(piece: int) -> int | None:
    return piece if piece >= 0 else None
