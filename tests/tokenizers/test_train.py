from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys

import pytest
import sentencepiece
from tests.tokenizers.samples import CHINESE, ENGLISH, TEXTS, column, small_model

from headrace.schemas.errors import HeadraceError
from headrace.tokenizers.options import TrainOptions
from headrace.tokenizers.train import characters_allowed, train, training_lines

PROGRAM = """
import hashlib, sys
from tests.tokenizers.samples import small_model
print(hashlib.sha256(small_model(sys.argv[1])).hexdigest())
"""


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_the_same_sample_gives_the_same_bytes_in_any_process(kind: str) -> None:
    """Two processes with other hash seeds train the model that this one trains, byte by byte."""
    expected = hashlib.sha256(small_model(kind)).hexdigest()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, kind], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected


def test_the_model_names_no_file_and_no_time() -> None:
    """Nothing of this machine is in the model: no path, no date."""
    text = small_model().decode("latin-1")
    assert not re.search(r"/\w+/|\.(txt|model|vocab)|20\d\d-\d\d", text)


def test_how_the_sample_is_cut_into_columns_changes_nothing() -> None:
    """The model depends on the texts in order, not on the units they came in."""
    options = TrainOptions(vocab_size=400)
    pieces = [column(TEXTS[:7]), column([]), column(TEXTS[7:])]
    assert train(pieces, options).model == small_model()


def test_training_lines_are_whole_lines_without_control_characters() -> None:
    """Lines are split at line feeds, control characters fall out, tabs stay, empty lines are left out."""
    lines = list(training_lines([column(["a\x00b\r\n\nc\td\x85e\n", "f"])], 100))
    assert lines == [b"ab", b"c\td\xc2\x85e".replace(b"\xc2\x85", b""), b"f"]


def test_long_lines_are_cut_between_characters() -> None:
    """No piece is longer than allowed, none splits a character, and nothing is left out."""
    text = ("水" * 50 + "é" * 11 + "a" * 33 + "𠮷" * 20) * 3
    pieces = list(training_lines([column([text])], 16))
    assert b"".join(pieces).decode() == text
    assert max(map(len, pieces)) <= 16
    assert [piece.decode() for piece in pieces]
    assert min(map(len, pieces[:-1])) >= 13


def test_more_characters_than_ids_are_no_error() -> None:
    """The most frequent characters get ids, at most half of the free ones; the rest is spelled in bytes, and said."""
    options = TrainOptions(vocab_size=400)
    frequent, rare = "的一是了" * 2000, "".join(chr(0x4E00 + i) for i in range(2000))
    trained = train([column([frequent + rare])], options)
    engine = sentencepiece.SentencePieceProcessor(model_proto=trained.model)
    pieces = [engine.id_to_piece(i) for i in range(engine.get_piece_size())]
    assert characters_allowed(options) == 69
    assert sum(len(piece) == 1 and piece > "\u4dff" for piece in pieces) == 69
    assert trained.character_coverage == pytest.approx((8000 + 2 + 65) / 10_000)  # 一 and 了 are among the 2,000
    assert engine.decode(engine.encode(frequent + rare)) == frequent + rare


def test_a_small_sample_gives_a_smaller_vocabulary() -> None:
    """A vocabulary that the sample cannot fill is no error."""
    model = train([column([ENGLISH, CHINESE])], TrainOptions(vocab_size=30_000)).model
    assert 262 < sentencepiece.SentencePieceProcessor(model_proto=model).get_piece_size() < 1000


@pytest.mark.parametrize("texts", [[], [""], ["\n\n", "\x00"]])
def test_no_text_is_an_error_that_says_where_the_text_went(texts: list[str]) -> None:
    """Without a single character there is nothing to train on, and the message says so."""
    with pytest.raises(
        HeadraceError, match=r"no text to train a tokenizer on: no document was kept.*See in the report"
    ):
        train([column(texts)], TrainOptions())


def test_what_the_library_refuses_is_said_with_a_remedy() -> None:
    """A sample of one repeated letter gives the library's own words and what to change."""
    with pytest.raises(HeadraceError, match=r"could not be trained: .*Lower `vocab_size`"):
        train([column(["a" * 50])], TrainOptions(vocab_size=400))
