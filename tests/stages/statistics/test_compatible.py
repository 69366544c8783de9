"""DCLM's and dolma's formulae: kernels and plain twin agree, and give what the tests of these projects expect."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.statistics.test_count import EXTREMES, drawn
from tests.stages.statistics.test_spans import listed

from headrace.stages.filtering.gopher import Gopher
from headrace.stages.statistics import compatible, plain_compatible
from headrace.stages.statistics.shares import VALUES, Formulae
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.statistics import Statistics
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

STORY = "This is a sentence. \n  \n This is another sentence.\n\n  This is a third sentence."


def statistics(texts: list[str], formulae: Formulae) -> Statistics:
    column = pa.array(texts, pa.large_string())
    return Statistics(column, Spans().words(column), formulae)


def value(text: str, name: str, formulae: Formulae) -> float:
    return float(statistics([text], formulae)[name][0])


def test_kernels_count_what_the_plain_twin_counts() -> None:
    """On texts of all that rules look at, every count is the same."""
    pieces = ["*", "●", " . . .", ". . . .", "....", "The ", "#a…b ", "a b c d e f g ", "\n\n\n", "- x\n", "  x \n"]
    texts = drawn(11, 200) + ["".join(np.random.default_rng(seed).choice(pieces, 40)) for seed in range(200)]
    asked = statistics([*texts, "", " ", "a b " * 30, "x\n" * 9], "dclm")
    every = [text.as_py() for text in asked.column]
    letter_words = [[word for word in words if word[0].isalnum()] for words in listed(every, asked.words)]
    for document, text in enumerate(every):
        expected = (
            plain_compatible.marks(text)
            | plain_compatible.split(text, ENGLISH_STOPS)
            | plain_compatible.copies(text, "line")
            | plain_compatible.copies(text, "paragraph")
            | plain_compatible.copies(text, "raw_line")
            | plain_compatible.runs(letter_words[document], "letter")
            | plain_compatible.runs(text.split(), "spaced")
        )
        assert expected.keys() == compatible.GROUPS.keys()
        assert {name: int(asked.count(name)[document]) for name in expected} == expected, text


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [  # DCLM's test_content_filters.py
        ("Hello, World.", "repeated_piece_share", 0),
        ("Hello, World.", "repeated_piece_character_share", 0),
        ("Hello\nHello\n\n\n\nHello", "repeated_piece_share", 1),
        ("Hello\nHello\n\n\n\nHello", "repeated_piece_character_share", 1),
        ("Hello, World.\nHello, World.\n\nHello", "repeated_piece_share", 2 / 3),
        ("Hello, World.\nHello, World.\n\nHello", "repeated_piece_character_share", 26 / 31),
        ("Hello, World.\n\nHello, World.\n\nHello, World.\nHello", "repeated_paragraph_share", 2 / 3),
        ("Hello, World.\n\nHello, World.\n\nHello, World.\nHello", "repeated_paragraph_character_share", 26 / 45),
        ("hello", "top_2_gram_share", 0),
        ("hello", "repeated_5_gram_share", 0),
        ("hello world hello world hello world", "top_2_gram_share", 1),
        ("hello world hello world hello world", "top_3_gram_share", 1),
        ("hello world hello world hello world", "top_4_gram_share", 40 / 30),
        ("hello      world hello apple.... world hello\n world hello", "top_2_gram_share", 30 / 40),
        ("hello      world hello apple.... world hello\n world hello", "top_3_gram_share", 30 / 40),
        ("hello      world hello apple.... world hello\n world hello", "top_4_gram_share", 0),
        ("a b a b a b ab cd ab cd ab cd abc def abc def", "top_2_gram_share", 12 / 30),
        ("a b a b a b abc def abc def ab cd ab cd ab cd", "top_2_gram_share", 12 / 30),
        (
            "hello world hello\n world hello. apple world hello world hello world hello world",
            "repeated_5_gram_share",
            60 / 65,
        ),
    ],
)
def test_dclm_measures_repetition_as_its_tests_expect(text: str, name: str, expected: float) -> None:
    """All copies count, of several most frequent runs the longest, without spaces and punctuation."""
    assert value(text, name, "dclm") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [  # dolma's test_gopher.py
        ("This is a test.", "top_2_gram_share", 0.5),
        ("This is a test.", "top_3_gram_share", 0.5833333333333334),
        ("This is a test.", "top_4_gram_share", 1.0),
        ("This is a test.", "characters", 15),
        ("This is a test.", "words", 4),
        ("This is a test.", "mean_word_length", 3),
        ("This is a test.", "symbol_share", 0),
        ("This is a test.", "alphabetic_word_share", 1),
        ("This is a test.", "bullet_line_share", 0),
        ("This is a test.", "ellipsis_line_share", 0),
        ("This is a test.", "repeated_piece_share", 0),
        ("This is a test.", "repeated_piece_character_share", 0),
        (STORY, "top_2_gram_share", 0.3050847457627119),
        (STORY, "top_3_gram_share", 0.23728813559322035),
        (STORY, "top_4_gram_share", 0.2711864406779661),
        *((STORY, f"repeated_{size}_gram_share", 0.0) for size in range(5, 11)),
        (STORY, "characters", 79),
        (STORY, "words", 13),
        (STORY, "mean_word_length", 4),
        ("T h i s \n    \n\n\n    isoneword !!!", "words", 6),
    ],
)
def test_dolma_measures_as_its_tests_expect(text: str, name: str, expected: float) -> None:
    """To the last bit: words at white space, the median of their lengths, the first of the most frequent runs."""
    assert value(text, name, "dolma") == expected


@pytest.mark.parametrize(
    ("text", "dclm", "dolma", "ours"),
    [("The.and.that", 0, 0, 0), ("The and that", 3, 2, 2), ("the the the", 3, 3, 1), ("THE OF", 2, 0, 0)],
)
def test_stop_words_are_counted_each_time_or_once(text: str, dclm: int, dolma: int, ours: int) -> None:
    """DCLM counts all, capitals too; dolma all; Gopher's rule as datatrove and we read it, each word once."""
    found = [
        Gopher().measured(statistics([text], formulae))["gopher_stop_words"][0]
        for formulae in ("dclm", "dolma", "headrace")
    ]
    assert found == [dclm, dolma, ours]


@pytest.mark.parametrize("formulae", ["headrace", "datatrove", "dclm", "dolma"])
def test_no_formula_gives_what_is_no_number(formulae: Formulae) -> None:
    """Nothing, one character, a hundred thousand of one kind: every value is finite, and our shares are at most 1."""
    asked = statistics([*EXTREMES.values(), *drawn(12, 200)], formulae)
    for name in VALUES:
        found = asked[name]
        assert np.isfinite(found).all(), name
        assert (found >= 0).all(), name
        if formulae == "headrace" and name.endswith("_share"):
            assert (found <= 1).all(), name
