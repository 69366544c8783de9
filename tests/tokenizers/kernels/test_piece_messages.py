"""Pieces read in one go are those read field by field."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tokenizers.model_bytes import (
    BYTE_PIECES,
    PIECES,
    bytes_field,
    float_field,
    model,
    number_field,
    piece_field,
    varint,
)
from tests.tokenizers.samples import small_model

from headrace.tokenizers.model_messages import MODEL, read_message
from headrace.tokenizers.model_pieces import Pieces, joined, read_leading, read_pieces


def listed(pieces: Pieces) -> list[tuple[bytes, float, int]]:
    ends = pieces.offsets.tolist()
    texts = [pieces.data[begin:end].tobytes() for begin, end in pairwise(ends)]
    return list(zip(texts, pieces.scores.tolist(), pieces.types.tolist(), strict=True))


def in_one_go(data: bytes) -> tuple[list[tuple[bytes, float, int]], int]:
    """Give the pieces, and how many of them the kernel read."""
    leading, at = read_leading(data)
    rest = read_message(data, [(at, len(data))], MODEL).spans("pieces")
    return listed(joined(leading, read_pieces(data, rest))), len(leading)


def one_by_one(data: bytes) -> list[tuple[bytes, float, int]]:
    return listed(read_pieces(data, read_message(data, [(0, len(data))], MODEL).spans("pieces")))


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_all_pieces_of_a_trained_model_are_read_in_one_go(model_type: str) -> None:
    """The kernel reads every piece of a model that the library wrote, and reads what its twin reads."""
    data = small_model(model_type)
    pieces, at_once = in_one_go(data)
    assert pieces == one_by_one(data)
    assert at_once == len(pieces)


ODD = {
    "type before text": bytes_field(1, number_field(3, 4) + float_field(2, -1.5) + bytes_field(1, "ab")),
    "text twice": bytes_field(1, bytes_field(1, "no") + bytes_field(1, "yes") + float_field(2, -1.5)),
    "no score": bytes_field(1, bytes_field(1, "ab")),
    "a field of a third party": bytes_field(1, bytes_field(1, "ab") + float_field(2, 0) + bytes_field(200, "x")),
    "a long text": piece_field("\u4e2d" * 2000, -3.25, 1),
    "a longer text": piece_field("a" * 20_000, -3.25, 1),
    "a size in more bytes than needed": b"\x0a\x89\x80\x00" + piece_field("ab", 1, 1)[2:-2],
    "nothing": b"\x0a\x00",
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_pieces_written_otherwise_are_read_too(odd: bytes) -> None:
    """A piece that the library would not write so ends the run of the kernel; it and those behind it are read."""
    data = piece_field("first", -1, 1) + odd + piece_field("last", -2, 6)
    pieces, _ = in_one_go(data)
    assert pieces == one_by_one(data)
    assert [pieces[0], pieces[-1]] == [(b"first", -1.0, 1), (b"last", -2.0, 6)]


@given(st.lists(st.tuples(st.text(max_size=200), st.floats(width=32, allow_nan=False), st.integers(1, 6))))
def test_any_pieces(pieces: list[tuple[str, float, int]]) -> None:
    """Texts, scores to the last bit and types are those written."""
    data = b"".join(piece_field(*piece) for piece in pieces)
    assert in_one_go(data)[0] == [(text.encode(), score, kind) for text, score, kind in pieces] == one_by_one(data)


def outcome(read: object, data: bytes) -> object:
    assert callable(read)
    try:
        return read(data)
    except ValueError as error:
        return str(error)


@given(st.binary(max_size=60), st.integers(0, 60))
def test_no_bytes_lead_out_of_the_file(noise: bytes, at: int) -> None:
    """Broken files give the same pieces or the same complaint in one go as one by one."""
    whole = model((*PIECES, *BYTE_PIECES[:3]))
    for data in (noise, whole[:at], whole[:at] + noise, whole[:at] + noise + whole[at:], varint(10) + noise):
        told = outcome(lambda data: in_one_go(data)[0], data)
        assert told == outcome(one_by_one, data)
