"""The pieces of a SentencePiece model file, packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from headrace.schemas.arrays import read_only
from headrace.tokenizers.kernels.piece_messages import read_run
from headrace.tokenizers.model_messages import PIECE, Span, refuse_newer
from headrace.tokenizers.wire import fields, float_of

NORMAL: Final = 1  # a piece that text is cut into
UNKNOWN: Final = 2  # stands for what no piece spells
CONTROL: Final = 3  # never comes out of text
USER_DEFINED: Final = 4  # comes out of text whenever it is there
UNUSED: Final = 5  # is never chosen
BYTE: Final = 6  # spells one byte
_SMALLEST = 10  # bytes of a piece of one letter


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Bytes of all pieces one after the other, where each begins, and their scores and types; read-only arrays."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float32]
    types: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.scores)


def read_leading(data: bytes) -> tuple[Pieces, int]:
    """Read the pieces at the beginning of a file, as far as the library might have written them; and where they end."""
    most = len(data) // _SMALLEST + 1
    begins, ends = np.zeros(most, np.int64), np.zeros(most, np.int64)
    bits, types = np.zeros(most, np.uint32), np.zeros(most, np.uint8)
    source = np.frombuffer(data, np.uint8)
    count, at = read_run(source, begins, ends, bits, types)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(ends[:count] - begins[:count], out=offsets[1:])
    places = np.arange(offsets[-1]) + np.repeat(begins[:count] - offsets[:-1], np.diff(offsets))
    return _frozen(source[places], offsets, bits[:count].view(np.float32), types[:count].copy()), at


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
    return _frozen(np.frombuffer(b"".join(texts), np.uint8), offsets, scores, types)


def joined(first: Pieces, second: Pieces) -> Pieces:
    """Give the pieces of both, one behind the other."""
    if not len(second):
        return first
    return _frozen(
        np.concatenate([first.data, second.data]),
        np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]]),
        np.concatenate([first.scores, second.scores]),
        np.concatenate([first.types, second.types]),
    )


def _frozen(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], scores: NDArray[np.float32], types: NDArray[np.uint8]
) -> Pieces:
    return Pieces(read_only(data), read_only(offsets), read_only(scores), read_only(types))


def without_nul(pieces: Pieces) -> Pieces:
    """Make pieces that are a single NUL unused, as the library does where bytes have pieces of their own.

    Converters write such a piece beside <0x00> (sentencepiece issue 1308).
    """
    single = np.flatnonzero(np.diff(pieces.offsets) == 1)
    nul = single[pieces.data[pieces.offsets[single]] == 0]
    types = pieces.types.copy()
    types[nul] = UNUSED
    return _frozen(pieces.data, pieces.offsets, pieces.scores, types)


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
