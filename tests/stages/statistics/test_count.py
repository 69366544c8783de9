"""Counts and shares of documents: kernels and plain twin agree, and no text makes a share NaN or more than 1."""

from __future__ import annotations

import random

import jieba
import numpy as np
import pyarrow as pa
import pytest
import spacy
from tests.stages.statistics.test_spans import listed

from headrace.stages.statistics import plain
from headrace.stages.statistics.count import NAMES, C4Settings, Settings, c4_counts, counts
from headrace.stages.statistics.shares import shares
from headrace.stages.statistics.spans import Spans, Words
from headrace.stages.statistics.stop_words import MANDARIN_STOPS

PIECES = (
    *"ab.:;()-'D/# \x00",
    *("the", " of ", "\r\n", "\n", "\n\n", "\t", "中", "“", "…", "...", "\u2028", "\x0b", "\x1f", "a\u00a0b", "• "),
    *("[1]", "[edit]", "[citation needed]", "[", "]", "{", "JavaScript", "coo\u212aie policy", "lorem ipsum"),
    "Use Cookies",
    *("?", "!", "This is a line.", "\nThis is it.\n", "- so it goes...\n", "w" * 1001, " one two three.", "\u0663]"),
)
EXTREMES = {
    "empty": "",
    "one character": "水",
    "one space": " ",
    "line feeds": "\n" * 5000,
    "a long line": "水流下山" * 60_000,
    "marks": "()" * 60_000,
    "hashes": "#" * 100_000,
    "emoji": "😀" * 50_000,
    "one word again": "a " * 100_000,
    "scripts": "Wasser 水 вода ماء पानी 물 " * 5000,
    "brackets": "[1" * 50_000,
    "lines": "x\n" * 50_000,
}


def of_lists(lists: list[list[str]]) -> Words:
    """Give the bounds of words that some package gave as strings, white space left out."""
    begins, ends, firsts = [], [], [0]
    for words in lists:
        at = 0
        for word in words:
            end = at + len(word.encode())
            if not word.isspace():
                begins.append(at)
                ends.append(end)
            at = end
        firsts.append(len(begins))
    kinds = np.zeros(len(begins), np.uint8)
    return Words(np.array(firsts), np.array(begins, np.int32), np.array(ends, np.int32), kinds)


def drawn(seed: int, count: int) -> list[str]:
    """Give texts of random pieces."""
    draw = random.Random(seed)
    return ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 70))) for _ in range(count)]


def rows(found: dict[str, np.ndarray], texts: list[str]) -> list[dict[str, int]]:
    """Give the counts of each text."""
    return [{name: int(found[name][d]) for name in NAMES} for d in range(len(texts))]


def test_kernels_count_what_the_plain_twin_counts() -> None:
    """On texts of all that rules look at, every count is the same."""
    texts = [*drawn(4, 700), "x: a bc d e f g. xa b c d e fg", "ab c " * 30, "a b\n\n\n a b \n\n a b"]
    column = pa.array(texts, pa.large_string())
    words = Spans().words(column)
    expected = [plain.counts(text, own, Settings()) for text, own in zip(texts, listed(texts, words), strict=True)]
    assert rows(counts(column, words, Settings()), texts) == expected


@pytest.mark.parametrize("settings", [C4Settings(), C4Settings(ended=False)])
def test_c4_takes_the_lines_that_the_plain_twin_takes(settings: C4Settings) -> None:
    """Reasons in the same order, and the same text of the lines kept."""
    texts = drawn(5, 700)
    found, kept = c4_counts(pa.array(texts, pa.large_string()), Spans().words, settings)
    for document, text in enumerate(texts):
        reasons, lines = plain.c4(text, settings)
        names = [name for name in found if name not in ("c4_lines", "c4_fatal", "c4_sentences")]
        assert {name: found[name][document] for name in names} == {name: reasons[name] for name in names}
        assert kept[document].as_py() == "".join(line + "\n" for line in lines)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is so. And more is here!", 2),
        ("It is so.  And more is here!", 2),  # the second begins with a space
        ("Is it (so?) and more.", 2),
        ("What?! He said “no.” And left.", 3),
        ("It is so.\nIt is so.", 2),
        ("See e.g. this one.", 1),
        ("A line [1] here.[2]", 1),
    ],
)
def test_sentences_are_those_of_spacys_sentencizer(text: str, sentences: int) -> None:
    """Sentences are counted in the words of the lines that stay."""
    found, kept = c4_counts(pa.array([text, "x"], pa.large_string()), Spans().words, C4Settings())
    language = spacy.blank("en")
    language.add_pipe("sentencizer")
    lines = kept[0].as_py().splitlines()
    assert sum(len(list(language(line).sents)) for line in lines) == found["c4_sentences"][0] == sentences


@pytest.mark.parametrize(
    "unit", ["a b ab ba aab", "aaaaaaa aaaaaaaa aaaaaaaaa", "水 水流 流水水水水水 水水水水水 x", "a .", "中"]
)
def test_runs_of_words_that_are_said_again_are_found(unit: str) -> None:
    """Words of all sizes up to twenty bytes, parted in different ways: the same runs as the plain twin finds."""
    draw = random.Random(unit)
    stems = [*unit.split(), *("z" * size for size in (7, 8, 9, 15, 16, 17, 20))]
    lists = [draw.choices(stems, k=draw.randint(0, 60)) for _ in range(150)]
    lists += [words * 3 for words in lists[:40]]
    texts = ["".join(words) for words in lists]
    expected = [plain.counts(text, words, Settings()) for text, words in zip(texts, lists, strict=True)]
    assert rows(counts(pa.array(texts, pa.large_string()), of_lists(lists), Settings()), texts) == expected


def test_sentences_by_the_words_of_the_document_are_those_of_the_lines() -> None:
    """With the words of the documents, or without, C4's counts and the lines kept are the same."""
    texts = [
        *drawn(8, 700),
        "It is so. [1]\nIt is [2] so  again. And so?\n  It is so!  ",
        "One two three.[edit]\u2028And so it is.\n",
    ]
    column, memory = pa.array(texts, pa.large_string()), Spans()
    words = memory.words(column)
    for settings in (C4Settings(), C4Settings(ended=False, fewest_words=0)):
        found, kept = c4_counts(column, memory.words, settings, words)
        again, lines = c4_counts(column, memory.words, settings)
        alone = [line.rstrip("\n").split("\n") if line else [] for line in kept.to_pylist()]
        language = spacy.blank("en")
        language.add_pipe("sentencizer")
        assert kept.equals(lines)
        assert all((found[name] == again[name]).all() for name in found)
        if settings.ended:
            sentences = [sum(len(list(language(line).sents)) for line in rows) for rows in alone]
            assert sentences == found["c4_sentences"].tolist()


def test_chinese_words_come_as_bounds() -> None:
    """With jieba's words and Chinese stop words, kernels and twin agree."""
    poem = "水流下山，轮子转了。\n他说：“走吧。”\n\n水流下山，轮子转了。"
    texts = ["今天天气好" * 10, poem, "我来到北京清华大学 and left. 的的和", ""]
    lists = [jieba.lcut(text) for text in texts]
    column, settings = pa.array(texts, pa.large_string()), Settings(stops=MANDARIN_STOPS)
    expected = [
        plain.counts(text, [word for word in words if not word.isspace()], settings)
        for text, words in zip(texts, lists, strict=True)
    ]
    assert rows(counts(column, of_lists(lists), settings), texts) == expected


def test_the_most_frequent_run_covers_no_more_than_the_text() -> None:
    """今天天气好 ten times: datatrove's formula gives 1.2 for two words, ours what they cover."""
    texts = ["今天天气好" * 10]
    found = counts(pa.array(texts), of_lists([["今天天气", "好"] * 10]), Settings())
    assert shares(found, "datatrove")["top_2_gram_share"][0] == pytest.approx(1.2)
    assert shares(found)["top_2_gram_share"][0] == 1.0


def test_no_text_has_a_share_that_is_no_share() -> None:
    """Nothing, one character, a hundred thousand of one kind: all values are finite, and shares within 0 and 1."""
    texts = [*EXTREMES.values(), *drawn(6, 300)]
    column = pa.array(texts, pa.large_string())
    found = shares(counts(column, Spans().words(column), Settings()))
    lengths = found.pop("mean_word_length")
    assert np.isfinite(lengths).all()
    for name, share in found.items():
        assert ((share >= 0) & (share <= 1)).all(), name
