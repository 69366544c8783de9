"""What must hold between the pieces of a model: the library's own conditions, and what every path relies on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from headrace.tokenizers.model_pieces import BYTE, CONTROL, UNKNOWN, UNUSED, Pieces

_BYTE_NAME = re.compile(rb"<0x[0-9A-F]{2}>")
_BYTES = 256
_PIECE_BYTES = 8000  # the library refuses pieces from this size on
_NUL = b"\0"


def check_pieces(pieces: Pieces, *, byte_fallback: bool, one_namespace: bool) -> None:
    """Raise ValueError when a piece is empty, doubled or not text, a score no number, or <unk> or a byte is missing.

    With `one_namespace` (BPE) the piece of a byte or a control piece may not be named like a piece of text either.
    """
    ends, packed = pieces.offsets.tolist(), pieces.data.tobytes()
    texts = [packed[begin:end] for begin, end in pairwise(ends)]
    _check_texts(texts, pieces)
    _check_names(texts, pieces, one_namespace=one_namespace)
    if not np.isfinite(pieces.scores).all():
        raise ValueError(f"the score of piece {int(np.flatnonzero(~np.isfinite(pieces.scores))[0])} is not a number")
    unknown = int(np.count_nonzero(pieces.types == UNKNOWN))
    if unknown > 1 or not (unknown or byte_fallback):
        raise ValueError(f"it has {unknown} pieces for unknown text in place of one")
    _check_bytes(
        [texts[number] for number in np.flatnonzero(pieces.types == BYTE).tolist()], byte_fallback=byte_fallback
    )


def _check_texts(texts: Sequence[bytes], pieces: Pieces) -> None:
    """Raise ValueError for a piece without a character, with a NUL, with half a character, or a very long one."""
    if _all_well(texts):
        return
    for number, text in enumerate(texts):
        if not text:
            raise ValueError(f"piece {number} is empty")
        if len(text) >= _PIECE_BYTES:
            raise ValueError(f"piece {number} is longer than {_PIECE_BYTES - 1} bytes")
        if _NUL in text and not (text == _NUL and pieces.types[number] == UNUSED):
            raise ValueError(f"piece {number}, {_shown(text)}, holds a NUL")
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"piece {number}, {_shown(text)}, is not UTF-8: {error.reason}") from error


def _all_well(texts: Sequence[bytes]) -> bool:
    """Tell at once whether no piece needs a look of its own."""
    together = b"\n".join(texts)
    try:
        together.decode()
    except UnicodeDecodeError:
        return False
    return _NUL not in together and 0 < min(map(len, texts)) <= max(map(len, texts)) < _PIECE_BYTES


def _check_names(texts: Sequence[bytes], pieces: Pieces, *, one_namespace: bool) -> None:
    """Raise ValueError where two pieces that are looked up by name have the same one."""
    apart = np.isin(pieces.types, (UNKNOWN, CONTROL, BYTE)) & (not one_namespace)
    if len(set(texts)) == len(texts):
        return
    first: dict[tuple[bool, bytes], int] = {}
    for number, named in enumerate(zip(apart.tolist(), texts, strict=True)):
        other = first.setdefault(named, number)
        if other != number and texts[number] != _NUL:
            raise ValueError(f"pieces {other} and {number} are both {_shown(texts[number])}")


def _check_bytes(names: Sequence[bytes], *, byte_fallback: bool) -> None:
    if names and not byte_fallback:
        raise ValueError(f"it has a piece for a byte, {_shown(names[0])}, but byte_fallback is off")
    for name in names:
        if not _BYTE_NAME.fullmatch(name):
            raise ValueError(f"piece {_shown(name)} is to spell a byte, but its name is not <0x00> to <0xFF>")
    if byte_fallback and len(names) != _BYTES:
        raise ValueError(f"byte_fallback is on, but it has pieces for {len(names)} bytes in place of {_BYTES}")


def _shown(text: bytes) -> str:
    return repr(text.decode("utf-8", "backslashreplace"))
