"""Words of English texts are those of spaCy's blank English, and long runs are cut in time that grows with them."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import pyarrow as pa
import pytest
import spacy

from headrace.stages.statistics import spacy_rules
from headrace.stages.statistics.spacy_rules import LONG, cut_long, cut_plain, cut_text
from headrace.stages.statistics.spans import Spans, Words

# What rules cut at, special cases, and spaces of all kinds.
PIECES = (
    *"ab.A,;:()[]-'\"…!?=/*@#$%1°C½+<>~中。é😀’&_\\|{}^ D",
    *(" ", "  ", "\n", "\t", "\u00a0", "\u2028", "http://", "www.water.com", "can't", ":)", ": )", "):", "...", "e.g."),
    *("U.S.", "'s", "km", "don't", "She's", "i.e.", "the", "wheel"),
)


def drawn(seed: int, count: int, most: int) -> list[str]:
    """Give texts of random pieces."""
    draw = random.Random(seed)
    return ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, most))) for _ in range(count)]


def listed(texts: list[str], words: Words) -> list[list[str]]:
    """Give the words of each text."""
    raw = [text.encode() for text in texts]
    return [
        [
            raw[d][words.begins[i] : words.ends[i]].decode()
            for i in range(int(words.firsts[d]), int(words.firsts[d + 1]))
        ]
        for d in range(len(texts))
    ]


def by_spacy(texts: list[str]) -> list[list[str]]:
    """Give the words of each text by the package itself."""
    language = spacy.blank("en")
    return [[word.text for word in language(text) if not word.text.isspace()] for text in texts]


def test_words_are_spacys_on_texts_full_of_marks() -> None:
    """Emoticons across spaces, contractions, URLs, units and foreign scripts included."""
    texts = drawn(1, 1500, 60)
    assert listed(texts, Spans().words(pa.array(texts, pa.large_string()))) == by_spacy(texts)


def test_a_second_look_gives_the_same() -> None:
    """What is remembered is what was cut; a memory that begins anew forgets nothing that is asked."""
    texts = drawn(2, 200, 40)
    column = pa.array(texts, pa.large_string())
    small, large = Spans(most=0), Spans()
    first = listed(texts, large.words(column))
    assert listed(texts, large.words(column)) == first
    assert [listed([text], small.words(pa.array([text])))[0] for text in texts] == first


@pytest.mark.parametrize("unit", ["ab", "ひと"])
@pytest.mark.parametrize("size", [4, 100])
def test_the_memory_is_bounded_in_bytes(unit: str, size: int) -> None:
    """However many runs are met, and however long they are: it begins anew before the next batch."""
    most = 1_200_000
    spans, held = Spans(most=most), []
    for batch in range(20):
        texts = [f"{unit * size}{batch}-{row}" for row in range(max(400, 4_000 // size))]
        spans.words(pa.array(texts, pa.large_string()))
        held.append(spans.nbytes)
    grown = max(after - before for before, after in pairwise([0, *held]))
    assert max(held) <= most + grown
    assert any(after < before for before, after in pairwise(held))


def test_slices_and_nulls_are_texts_too() -> None:
    """The words of a slice are those of its rows; a null has none."""
    column = pa.array(["one two", None, "three: four.", ""], pa.string())
    assert listed(["", "three: four."], Spans().words(column.slice(1, 2))) == [[], ["three", ":", "four", "."]]


def test_long_runs_are_cut_as_short_ones() -> None:
    """The windows find the prefixes, suffixes and infixes that spaCy finds in the whole run."""
    runs = ["".join(text.split()) for text in drawn(3, 600, 80)]
    runs += [run * 9 for run in runs[:40]]
    runs = [run for run in runs if run]
    assert max(map(len, runs)) > LONG
    assert [cut_long(run) for run in runs] == by_spacy(runs)


@pytest.mark.parametrize("unit", ["(", ".", "a", "-", "…(", "':", "ab", "中", "\U0001f600"])
def test_a_long_run_is_cut_without_looking_at_all_of_it_again(unit: str) -> None:
    """A hundred thousand characters without a space are cut, nothing lost; by spaCy alone, brackets take minutes."""
    run = unit * (100_000 // len(unit))
    assert "".join(listed([run], Spans().words(pa.array([run])))[0]) == run


@pytest.mark.parametrize("marks", ["(", "([{", "'\"", "\U0001f600", "…("])
def test_twice_the_marks_are_twice_the_work(marks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The characters that spaCy's expressions look at grow with a run, and not with its square."""
    looked = {"prefix_of": 0, "suffix_of": 0}

    def counting(name: str) -> Callable[[str], int]:
        found = getattr(spacy_rules, name)

        def count(window: str) -> int:
            looked[name] += len(window)
            return int(found(window))

        return count

    for name in looked:
        monkeypatch.setattr(spacy_rules, name, counting(name))
    work = []
    for size in (1_000, 2_000):
        before = sum(looked.values())
        run = "".join(random.Random(size).choices(marks, k=size))
        assert "".join(cut_long(run)) == run
        work.append(sum(looked.values()) - before)
    assert 0 < work[1] < 2.2 * work[0]


def test_a_name_of_spacys_own_is_a_word() -> None:
    """IS_ALPHA, which makes spaCy's vocabulary fail, is cut like other words of its shape."""
    for _ in range(3):
        assert cut_text("an IS_ALPHA, (IS_ALPHA)") == ["an", "IS_ALPHA", ",", "(", "IS_ALPHA", ")"]


def test_plain_runs_are_cut_without_spacy_as_by_it() -> None:
    """Letters with a mark before or behind them are cut by one expression, special cases left to spaCy."""
    draw = random.Random(4)
    stems = [*"abpDOe8", "Mr", "co", "St", "dont", "cannot", "xd", "km", "oO", "Calif", "US", "wheel", "12"]
    runs = [draw.choice(("", '"', "(", "[")) + draw.choice(stems) + draw.choice(("", *',;:.!?)"]')) for _ in range(900)]
    plain = [run for run in runs if cut_plain(run)]
    assert len(plain) > 300
    assert [cut_plain(run) for run in plain] == by_spacy(plain)
