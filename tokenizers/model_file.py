"""What a SentencePiece model file holds, read without the library: pieces, scores, types, rules and flags.

The file is the protocol buffer `ModelProto` of sentencepiece 0.2.3 (`sentencepiece_model.proto`). A field that this
version does not know might change ids: such a file is refused, where the library would leave the field out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from headrace.schemas.errors import FormatError
from headrace.tokenizers.model_checks import check_pieces
from headrace.tokenizers.model_messages import MODEL, RULES, TRAINER, Message, Span, read_message
from headrace.tokenizers.model_pieces import (
    CONTROL,
    UNKNOWN,
    USER_DEFINED,
    Pieces,
    joined,
    read_leading,
    read_pieces,
    without_nul,
)

Algorithm: TypeAlias = Literal["unigram", "bpe", "word", "char"]
_ALGORITHMS: Final[dict[int, Algorithm]] = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
_MESSAGES = ("trainer_spec", "normalizer_spec")
_RETRAIN = "give the .model file that the training wrote, or leave `model` out and set `train`"


@dataclass(frozen=True, slots=True)
class Rules:
    """How text is rewritten before it is cut (or, the denormalizer's, after decoding).

    `charsmap` is the library's table: four bytes with the size of a double array, the array, and the zero-terminated
    replacements. Empty, as for `identity`, it changes nothing.
    """

    name: str
    charsmap: bytes
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool


@dataclass(frozen=True, slots=True, eq=False)
class ModelFile:
    """A SentencePiece model. Piece i is piece_bytes[piece_offsets[i]:piece_offsets[i + 1]]; all arrays are read-only.

    `types` holds NORMAL to BYTE of model_pieces. The ids are None where the model has no such piece; as in the library
    they are found by the pieces' names, not by the numbers the training was given. Without a piece for unknown text,
    which only byte_fallback allows, `unk_id` is -1. An UNUSED piece may be a single NUL: it is in no look-up.
    """

    sha256: str
    algorithm: Algorithm
    piece_bytes: NDArray[np.uint8]
    piece_offsets: NDArray[np.int64]
    scores: NDArray[np.float32]
    types: NDArray[np.uint8]
    unk_id: int
    bos_id: int | None
    eos_id: int | None
    pad_id: int | None
    unk_surface: str
    byte_fallback: bool
    treat_whitespace_as_suffix: bool
    normalizer: Rules
    denormalizer: Rules | None

    @property
    def vocabulary_size(self) -> int:
        """Number of pieces; every id is smaller."""
        return len(self.scores)

    def piece(self, number: int) -> bytes:
        """Give the UTF-8 bytes of a piece."""
        return self.piece_bytes[self.piece_offsets[number] : self.piece_offsets[number + 1]].tobytes()

    @property
    def user_defined(self) -> tuple[bytes, ...]:
        """The pieces that text is cut at before anything else, in the order of their ids."""
        return tuple(self.piece(number) for number in np.flatnonzero(self.types == USER_DEFINED).tolist())


def read_model(data: bytes, where: str) -> ModelFile:
    """Read a model's bytes; FormatError names `where` when they are cut short, broken or of a newer version."""
    try:
        return _model(data)
    except (ValueError, UnicodeDecodeError) as error:
        raise FormatError(
            "this is not a whole SentencePiece model that can be used",
            where=where,
            why=f"{error} ({len(data)} bytes)",
            remedy=_RETRAIN,
        ) from error


def _model(data: bytes) -> ModelFile:
    leading, at = read_leading(data)
    top = read_message(data, [(at, len(data))], MODEL)
    pieces = joined(leading, read_pieces(data, top.spans("pieces")))
    for name, found in (("pieces", len(pieces)), *((name, len(top.spans(name))) for name in _MESSAGES)):
        if not found:
            raise ValueError(f"it has no {name}: it is empty, was cut short or is another kind of file")
    trainer = read_message(data, top.spans("trainer_spec"), TRAINER)
    algorithm, byte_fallback = _algorithm(trainer), trainer.flag("byte_fallback")
    if byte_fallback:
        pieces = without_nul(pieces)
    check_pieces(pieces, byte_fallback=byte_fallback, one_namespace=algorithm == "bpe")
    denormalizer = top.spans("denormalizer_spec")
    return ModelFile(
        sha256=hashlib.sha256(data).hexdigest(),
        algorithm=algorithm,
        piece_bytes=pieces.data,
        piece_offsets=pieces.offsets,
        scores=pieces.scores,
        types=pieces.types,
        unk_id=next(iter(np.flatnonzero(pieces.types == UNKNOWN).tolist()), -1),
        bos_id=_control(pieces, trainer.text("bos_piece") or "<s>"),
        eos_id=_control(pieces, trainer.text("eos_piece") or "</s>"),
        pad_id=_control(pieces, trainer.text("pad_piece") or "<pad>"),
        unk_surface=trainer.text("unk_surface"),
        byte_fallback=byte_fallback,
        treat_whitespace_as_suffix=trainer.flag("treat_whitespace_as_suffix"),
        normalizer=_rules(data, top.spans("normalizer_spec")),
        denormalizer=_rules(data, denormalizer) if denormalizer else None,
    )


def _algorithm(trainer: Message) -> Algorithm:
    number = trainer.number("model_type")
    if number not in _ALGORITHMS:
        raise ValueError(f"its model type {number} is unknown: known are {_ALGORITHMS}")
    return _ALGORITHMS[number]


def _rules(data: bytes, spans: Sequence[Span]) -> Rules:
    spec = read_message(data, spans, RULES)
    return Rules(
        name=spec.text("name"),
        charsmap=spec.data("precompiled_charsmap"),
        add_dummy_prefix=spec.flag("add_dummy_prefix"),
        remove_extra_whitespaces=spec.flag("remove_extra_whitespaces"),
        escape_whitespaces=spec.flag("escape_whitespaces"),
    )


def _control(pieces: Pieces, name: str) -> int | None:
    """Give the id of the control piece of that name; a piece of another type is none."""
    wanted = name.encode()
    sizes = np.diff(pieces.offsets)
    for number in np.flatnonzero((pieces.types == CONTROL) & (sizes == len(wanted))).tolist():
        if pieces.data[pieces.offsets[number] : pieces.offsets[number + 1]].tobytes() == wanted:
            return int(number)
    return None
