"""What must hold between the pieces of a model: the library's own conditions, and what every path relies on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from headrace.tokenizers.model_pieces import BYTE, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Pieces

_BYTE_NAME = re.compile(rb"<0x[0-9A-F]{2}>")
_BYTES = 256


def check_pieces(pieces: Pieces, *, byte_fallback: bool) -> None:
    """Raise ValueError when a piece is empty, doubled or not text, a score no number, or <unk> or a byte is missing."""
    _check_texts(pieces)
    if not np.isfinite(pieces.scores).all():
        raise ValueError(f"the score of piece {int(np.flatnonzero(~np.isfinite(pieces.scores))[0])} is not a number")
    unknown = int(np.count_nonzero(pieces.types == UNKNOWN))
    if unknown != 1:
        raise ValueError(f"it has {unknown} pieces for unknown text in place of one")
    names = [_text(pieces, number) for number in np.flatnonzero(pieces.types == BYTE).tolist()]
    _check_bytes(names, byte_fallback=byte_fallback)


def _check_texts(pieces: Pieces) -> None:
    ends, packed = pieces.offsets.tolist(), pieces.data.tobytes()
    texts = [packed[begin:end] for begin, end in pairwise(ends)]
    _check_whole(texts, packed)
    for wanted in (True, False):  # text pieces and the others are two sets of names
        of_text = np.isin(pieces.types, (NORMAL, USER_DEFINED, UNUSED)) == wanted
        numbers = np.flatnonzero(of_text).tolist()
        first: dict[bytes, int] = {}
        for number in numbers:
            other = first.setdefault(texts[number], number)
            if other != number:
                raise ValueError(f"pieces {other} and {number} are both {_shown(texts[number])}")


def _check_whole(texts: Sequence[bytes], packed: bytes) -> None:
    """Raise ValueError for a piece without a character, with a NUL, or with half a character."""
    if b"" in texts:
        raise ValueError(f"piece {texts.index(b'')} is empty")
    if b"\0" in packed:
        number = next(number for number, text in enumerate(texts) if b"\0" in text)
        raise ValueError(f"piece {number} holds a NUL, at which the library ends pieces")
    for number, text in enumerate(texts):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"piece {number}, {_shown(text)}, is not UTF-8: {error.reason}") from error


def _check_bytes(names: Sequence[bytes], *, byte_fallback: bool) -> None:
    if names and not byte_fallback:
        raise ValueError(f"it has a piece for a byte, {_shown(names[0])}, but byte_fallback is off")
    for name in names:
        if not _BYTE_NAME.fullmatch(name):
            raise ValueError(f"piece {_shown(name)} is to spell a byte, but its name is not <0x00> to <0xFF>")
    if byte_fallback and len(names) != _BYTES:
        raise ValueError(f"byte_fallback is on, but it has pieces for {len(names)} bytes in place of {_BYTES}")


def _text(pieces: Pieces, number: int) -> bytes:
    return pieces.data[pieces.offsets[number] : pieces.offsets[number + 1]].tobytes()


def _shown(text: bytes) -> str:
    return repr(text.decode("utf-8", "backslashreplace"))
