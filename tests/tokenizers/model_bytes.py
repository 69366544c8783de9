"""Model files written by hand, field by field, so that a test can give one any rules, pieces and flags."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import sentencepiece

from headrace.tokenizers.model_messages import MODEL, RULES, read_message

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
Piece = tuple[str | bytes, float, int]
BYTE_PIECES: tuple[Piece, ...] = tuple((f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256))
PIECES: tuple[Piece, ...] = (
    ("<unk>", 0.0, UNKNOWN),
    ("<s>", 0.0, CONTROL),
    ("</s>", 0.0, CONTROL),
    ("\u2581", -2.0, NORMAL),
    ("a", -3.0, NORMAL),
)


class Flags(NamedTuple):
    """What a model says of white space."""

    prefix: bool = True
    squeeze: bool = True
    escape: bool = True
    suffix: bool = False


def varint(number: int) -> bytes:
    """Write a number; negative ones as the 64 bits that protocol buffers make of them."""
    number &= (1 << 64) - 1
    groups = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def bytes_field(number: int, value: str | bytes) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    return varint(number << 3 | 5) + struct.pack("<f", value)


def piece_field(text: str | bytes, score: float, kind: int) -> bytes:
    return bytes_field(1, bytes_field(1, text) + float_field(2, score) + number_field(3, kind))


def rules(
    charsmap: bytes = b"",
    *,
    name: str = "identity",
    prefix: bool = True,
    squeeze: bool = True,
    escape: bool = True,
) -> bytes:
    """Give the message with the normalization rules."""
    flags = b"".join(number_field(number, flag) for number, flag in ((3, prefix), (4, squeeze), (5, escape)))
    return bytes_field(1, name) + bytes_field(2, charsmap) + flags


def trainer(*, algorithm: int = 1, suffix: bool = False, byte_fallback: bool = False, more: bytes = b"") -> bytes:
    """Give the message with the training options."""
    flags = number_field(3, algorithm) + number_field(24, suffix) + number_field(35, byte_fallback)
    return flags + more


def model(
    pieces: Iterable[Piece] = PIECES,
    *,
    normalizer: bytes = rules(),
    training: bytes = trainer(),
    more: bytes = b"",
) -> bytes:
    """Give a whole model file."""
    listed = b"".join(piece_field(*piece) for piece in pieces)
    return listed + bytes_field(2, training) + bytes_field(3, normalizer) + more


def with_symbols(symbols: Sequence[str]) -> tuple[Piece, ...]:
    """Give pieces that hold the user-defined symbols."""
    taken = {piece[0] for piece in PIECES}
    return (*PIECES, *((symbol, 0.0, USER_DEFINED) for symbol in symbols if symbol not in taken))


def with_flags(charsmap: bytes, symbols: Sequence[str], flags: Flags) -> bytes:
    """Give a whole model with these rules, user-defined symbols and flags."""
    spec = rules(charsmap, prefix=flags.prefix, squeeze=flags.squeeze, escape=flags.escape)
    return model(with_symbols(symbols), normalizer=spec, training=trainer(suffix=flags.suffix))


@cache
def charsmap(rule_name: str) -> bytes:
    """Give the library's own table of a rule it knows by name."""
    return _charsmap(sentencepiece.SentencePieceNormalizer(rule_name=rule_name))


def made_charsmap(pairs: dict[str, str]) -> bytes:
    """Give the table that the library makes of rules: what is replaced, and by what."""
    return _charsmap(sentencepiece.SentencePieceNormalizer(norm_map=list(pairs.items())))


def _charsmap(normalizer: sentencepiece.SentencePieceNormalizer) -> bytes:
    data = bytes(normalizer.serialized_model_proto())
    spans = read_message(data, [(0, len(data))], MODEL).spans("normalizer_spec")
    return read_message(data, spans, RULES).data("precompiled_charsmap")
