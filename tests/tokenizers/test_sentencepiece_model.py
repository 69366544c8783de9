from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tokenizers.samples import AWKWARD, TEXTS, column, small_model

from headrace.schemas.errors import FormatError
from headrace.tokenizers.base import id_type
from headrace.tokenizers.sentencepiece_model import from_bytes
from headrace.tokenizers.wire import fields

KINDS = ["unigram", "bpe"]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_the_library(kind: str) -> None:
    """The packed ids of a column are, text by text, the library's own lists of ints."""
    tokenizer = from_bytes(small_model(kind), "here")
    reference = sentencepiece.SentencePieceProcessor(model_proto=small_model(kind))
    texts = [*TEXTS[:5], *AWKWARD]
    ids, offsets = tokenizer.encode(column(texts))
    assert ids.dtype == id_type(tokenizer.vocabulary_size)
    actual = [ids[a:b].tolist() for a, b in pairwise(offsets)]
    assert actual == [reference.encode(text) for text in texts]


def ids_of(text: str, kind: str = "unigram") -> np.ndarray:
    return from_bytes(small_model(kind), "here").encode(column([text]))[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", AWKWARD)
def test_nothing_is_lost(kind: str, text: str) -> None:
    """decode(encode(x)) == x: white space, line breaks, Chinese, emoji, control characters, names of special pieces."""
    assert from_bytes(small_model(kind), "here").decode(ids_of(text, kind)) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40).filter(lambda text: "\u2581" not in text))
def test_nothing_is_lost_of_any_text(text: str) -> None:
    """The round trip holds for every text without the library's own mark for a space."""
    assert from_bytes(small_model(), "here").decode(ids_of(text)) == text


def test_the_mark_for_a_space_comes_back_as_a_space() -> None:
    """U+2581 is the one character that is lost, in the library as here."""
    assert from_bytes(small_model(), "here").decode(ids_of("a\u2581b")) == "a b"


@pytest.mark.parametrize("kind", KINDS)
def test_special_ids_never_come_out_of_text(kind: str) -> None:
    """Text that spells a special piece gives ordinary ids."""
    tokenizer = from_bytes(small_model(kind), "here")
    special = {0, tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id}
    assert len(special) == 4
    assert not special & set(ids_of("<unk><s></s><pad> ⁇ \u2047", kind).tolist())


def test_no_text_gives_no_ids() -> None:
    """An empty column gives an empty array of the right type and one offset."""
    ids, offsets = from_bytes(small_model(), "here").encode(column([]))
    assert (ids.dtype, len(ids), offsets.tolist()) == (np.uint16, 0, [0])


def test_a_tokenizer_travels_to_another_process() -> None:
    """Pickling keeps model and hash."""
    tokenizer = from_bytes(small_model(), "here")
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert copy.sha256 == tokenizer.sha256
    assert np.array_equal(copy.encode(column(TEXTS))[0], tokenizer.encode(column(TEXTS))[0])


def field_ends(model: bytes) -> list[int]:
    return [field.end for field in fields(model, 0, len(model))]


def test_a_cut_model_is_refused_wherever_it_was_cut() -> None:
    """A file that ends early is no model, even where the library itself would take it: between two pieces."""
    model = small_model(byte_fallback=False)
    ends = field_ends(model)
    assert ends[-1] == len(model)
    between_pieces = ends[49]
    assert sentencepiece.SentencePieceProcessor(model_proto=model[:between_pieces]).get_piece_size() == 50
    for cut in (0, 1, 10, between_pieces, len(model) // 2, ends[-2], len(model) - 1):
        with pytest.raises(
            FormatError, match=r"my\.model: this is not a whole SentencePiece model.*Give the .model file"
        ):
            from_bytes(model[:cut], "my.model")


@pytest.mark.parametrize("junk", [b"PK\x03\x04 a zip", b'{"version": "1.0"}', b"\x0a" * 99, b"\xff" * 99])
def test_other_files_are_refused(junk: bytes) -> None:
    """A zip, Hugging Face's JSON or noise get the same message, which names the file."""
    with pytest.raises(FormatError, match=r"tokenizer\.json: this is not"):
        from_bytes(junk, "tokenizer.json")
