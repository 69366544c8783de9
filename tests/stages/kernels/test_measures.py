"""The counts of single texts, by name."""

from __future__ import annotations

import pyarrow as pa
import pytest

from headrace.schemas.arrays import text_buffers
from headrace.stages.cleaning import values
from headrace.stages.kernels import measures as m
from headrace.stages.kernels.characters import classes


def counts(text: str, words: tuple[str, ...] = tuple(values.FUNCTION_WORDS.split())) -> list[int]:
    data, offsets = text_buffers(pa.array([text], pa.large_string()))
    table = m.hash_table(words)
    return list(m.measure(data, offsets, classes(), values.consonants(), values.keys(), table)[0])


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("It is 好.\n \n2 é", m.LINES, 2),
        ("It is 好.\n \n2 é", m.CHARACTERS, 8),
        ("It is 好.\n \n2 é", m.LETTERS, 6),
        ("It is 好.\n \n2 é", m.LATIN_LETTERS, 5),
        ("It is 好.\n \n2 é", m.DIGITS, 1),
        ("锟斤拷锟斤", m.DAMAGED, 5),
        ("naï¿½ve \ufffd", m.DAMAGED, 4),
        ("naïve ¿½", m.DAMAGED, 0),
        ("ï¿½ï¿½", m.DAMAGED, 6),
        ("ÊýÂëÏ", m.DAMAGED, 0),
        ("ÊýÂëÏà", m.DAMAGED, 6),
        ("烫烫", m.DAMAGED, 0),
        ("烫烫烫烫", m.DAMAGED, 4),
        ("aaaa AAAAA 哈哈哈哈哈哈 ------", m.RUNS, 11),
        ("strengths", m.NOISE, 0),
        ("bcdfgh", m.NOISE, 6),
        ("bcdéfgh", m.NOISE, 0),
        ("asd ASDF poiuy", m.NOISE, 9),
        ("a b\n水车 x\r\n", m.LONGEST, 4),
        ("", m.LONGEST, 0),
        ("x", m.WORDS, 1),
        ("It's", m.WORDS, 2),
        ("", m.WORDS, 0),
    ],
)
def test_a_count_is_what_its_name_says(text: str, name: int, expected: int) -> None:
    """Lines, characters by kind, damage, runs and noise, each where it begins to count and just before."""
    assert counts(text)[name] == expected


def test_function_words_are_found_in_any_case_and_no_others() -> None:
    """Every word of the list is known, also at a text's end and as capitals; a part or a neighbour of one is not."""
    known = tuple(values.FUNCTION_WORDS.split())
    assert counts(" ".join(known))[m.FUNCTION_WORDS] == len(known)
    assert counts("THE Of")[m.FUNCTION_WORDS] == 2
    assert counts("thee th hte teh", ("the",))[m.FUNCTION_WORDS] == 0


def test_words_that_share_a_place_in_the_table_are_all_found() -> None:
    """A table that wraps around at its end finds what was pushed past it, and nothing when it is empty."""
    words = tuple(f"{a}{b}" for a in "abcdefghij" for b in "klmnopqrst")
    assert len({m.word_hash(word) % 512 for word in words}) < len(words)
    assert counts(" ".join(words), words)[m.FUNCTION_WORDS] == len(words)
    assert counts("the words", ())[m.FUNCTION_WORDS] == 0
