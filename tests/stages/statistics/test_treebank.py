"""Words by the Treebank's rules are those of NLTK's word tokenizer on the whole text."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from nltk.tokenize import NLTKWordTokenizer
from tests.stages.statistics.test_spans import listed

from headrace.stages.statistics.count import Settings, counts
from headrace.stages.statistics.treebank import Treebank

PIECES = (
    *"abD.,:;?!()[]{}<>'\"`-*@#$%&10é中«»“”‘’„—–…\t\n",
    *(" ", " ", " ", "  ", "\n\n", "\u00a0", "\u2028", "\x1c", "``", "''", "--", "...", ". ", '."', ".) ", ", ", ": "),
    *("can't", "cannot", "Cannot", "gimme", "gonna", "gotta", "lemme", "wanna", "more'n", "d'ye", "'tis", "'Twas"),
    *(
        "n't ",
        "'s ",
        "'S",
        "'ll ",
        "'re",
        "N'T",
        "e.g.",
        "U.S.",
        "3,5",
        "10:30",
        "the",
        "wheel",
        "don't",
        "'em",
        "'re ",
    ),
)


def drawn(seed: int, count: int, most: int) -> list[str]:
    """Give texts of random pieces."""
    draw = random.Random(seed)
    return ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, most))) for _ in range(count)]


def by_nltk(texts: list[str]) -> list[list[str]]:
    """Give the words of each text by the package itself."""
    return [NLTKWordTokenizer().tokenize(text) for text in texts]


def unquoted(words: list[str]) -> list[str]:
    """Give words with every kind of double quote that the package writes for another as the same."""
    return ['"' if word in ('"', "``", "''") else word for word in words]


def ours(texts: list[str], memory: Treebank) -> list[list[str]]:
    """Give the words of texts."""
    return listed(texts, memory.words(pa.array(texts, pa.large_string())))


def test_words_are_nltks_on_texts_full_of_marks() -> None:
    """Quotes, contractions, periods at the end and white space of all kinds included."""
    texts = drawn(1, 4000, 40)
    found = ours(texts, Treebank())
    assert [unquoted(words) for words in found] == [unquoted(words) for words in by_nltk(texts)]


def test_words_are_nltks_on_the_corpus(corpus: Path) -> None:
    """Every word of English documents is the package's."""
    files = [file for file in sorted((corpus / "en").rglob("*")) if file.is_file()]
    whole = [file.read_bytes().decode(errors="ignore") for file in files]
    texts = [text[at : at + 3000] for text in whole for at in range(0, len(text), 30_000)]
    assert len(texts) > 50
    assert [unquoted(words) for words in ours(texts, Treebank())] == [unquoted(words) for words in by_nltk(texts)]


def test_a_second_look_gives_the_same() -> None:
    """What is remembered is what was cut, and ends of texts are no words of other texts."""
    texts = [*drawn(2, 300, 30), "The end.", "The end. And more", 'He said "so." )', "The end.\n\n", ""]
    memory = Treebank()
    first = ours(texts, memory)
    assert ours(texts, memory) == first
    assert [ours([text], memory)[0] for text in texts] == first


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("b'S'\nb's' b'S'", ["b'S", "'", "b", "'s", "'", "b'S", "'"]),
        ('"I can\'t," he said.', ['"', "I", "ca", "n't", ",", '"', "he", "said", "."]),
        ("See p. 5. Gonna go (now).", ["See", "p.", "5.", "Gon", "na", "go", "(", "now", ")", "."]),
        ("水流下山。", ["水流下山。"]),
    ],
)
def test_quotes_are_those_of_the_text(text: str, words: list[str]) -> None:
    """Contractions are parted, only the last period is a word, and a quote stays as it was written."""
    assert ours([text], Treebank()) == [words]
    assert unquoted(words) == unquoted(NLTKWordTokenizer().tokenize(text))


def test_numbers_of_words_tell_them_apart() -> None:
    """Counts by the numbers that come with the words are those of numbers found anew."""
    texts = drawn(3, 200, 60)
    column = pa.array(texts, pa.large_string())
    words = Treebank().words(column)
    bare = type(words)(words.firsts, words.begins, words.ends, words.kinds)
    with_numbers, without = counts(column, words, Settings()), counts(column, bare, Settings())
    assert all((with_numbers[name] == without[name]).all() for name in without)
