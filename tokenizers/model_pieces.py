"""The pieces of a SentencePiece model file, packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from headrace.tokenizers.model_messages import PIECE, Span, refuse_newer
from headrace.tokenizers.wire import fields, float_of

NORMAL: Final = 1  # a piece that text is cut into
UNKNOWN: Final = 2  # stands for what no piece spells
CONTROL: Final = 3  # never comes out of text
USER_DEFINED: Final = 4  # comes out of text whenever it is there
UNUSED: Final = 5  # is never chosen
BYTE: Final = 6  # spells one byte


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Bytes of all pieces one after the other, where each begins, and their scores and types; read-only arrays."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float32]
    types: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.scores)


def read_pieces(data: bytes, spans: Sequence[Span]) -> Pieces:
    """Read the piece messages at the given spans of the file; ValueError where one is broken or newer."""
    texts: list[bytes] = []
    scores = np.zeros(len(spans), np.float32)
    types = np.full(len(spans), NORMAL, np.uint8)
    for number, (begin, end) in enumerate(spans):
        text, scores[number], types[number] = _piece(data, begin, end)
        texts.append(text)
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    packed = np.frombuffer(b"".join(texts), np.uint8)
    for array in (offsets, scores, types):
        array.flags.writeable = False
    return Pieces(packed, offsets, scores, types)


def without_nul(pieces: Pieces) -> Pieces:
    """Make pieces that are a single NUL unused, as the library does where bytes have pieces of their own.

    Converters write such a piece beside <0x00> (sentencepiece issue 1308).
    """
    single = np.flatnonzero(np.diff(pieces.offsets) == 1)
    nul = single[pieces.data[pieces.offsets[single]] == 0]
    types = pieces.types.copy()
    types[nul] = UNUSED
    types.flags.writeable = False
    return Pieces(pieces.data, pieces.offsets, pieces.scores, types)


def _piece(data: bytes, begin: int, end: int) -> tuple[bytes, float, int]:
    text, score, kind = b"", 0.0, NORMAL
    for field in fields(data, begin, end):
        if field.number not in PIECE.known:
            refuse_newer(PIECE, field.number)
            continue
        name, wire, _ = PIECE.known[field.number]
        if field.wire != wire:
            raise ValueError(f"field {name} of a piece is of another kind than in a model")
        if name == "piece":
            text = data[field.begin : field.end]
        elif name == "score":
            score = float_of(data, field)
        elif NORMAL <= field.value <= BYTE:
            kind = field.value
        else:
            raise ValueError(f"piece {text.decode(errors='replace')!r} is of type {field.value}, which is unknown")
    return text, score, kind
