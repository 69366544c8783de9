"""What the extractor knows: automata find exactly their words, weights fit the features, titles are read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.errors import FormatError
from headrace.stages.kernels.extraction_model import STARTS
from headrace.stages.parsing.extraction import containers, cues, features, hints, tags, weights
from headrace.stages.parsing.extraction.automaton import joined, whole
from headrace.stages.parsing.extraction.features import look
from headrace.stages.parsing.extraction.pages import blocks_of
from headrace.stages.parsing.extraction.titles import title_of


def found(word_list: dict[str, int], text: str, which: int = 1) -> int:
    """Run one of several automata over a text."""
    columns, steps, values = joined([{"other": 64}, word_list])
    state, bits = int(columns[STARTS + which]), 0
    for byte in text.encode():
        state = int(steps[state, columns[byte]])
        bits |= int(values[state])
    return bits


@settings(deadline=None)
@given(
    words=st.lists(st.text("ab字", min_size=1, max_size=4), min_size=1, max_size=6, unique=True),
    text=st.text("abc字典", max_size=12),
)
def test_an_automaton_finds_every_word(words: list[str], text: str) -> None:
    """Words inside one another, at the ends and overlapping are all found, and nothing else is."""
    values = {word: 1 << number for number, word in enumerate(words)}
    assert found(values, text) == sum(value for word, value in values.items() if word in text)


def test_whole_names_are_found_whole() -> None:
    """A name with more at either end is another name."""
    names = whole({"a": 1, "abbr": 2})
    assert [found(names, f"\x02{name}\x03") for name in ("a", "abbr", "ab", "xa")] == [1, 2, 0, 0]


def test_bits_fit_their_columns() -> None:
    """Hints of classes and of tags, and groups of cues, have a bit each below the sign."""
    bits = [*hints.BITS.values(), *hints.TAG_BITS.values()]
    assert len(set(bits)) == len(bits)
    assert max(bits) < 1 << 31
    assert max(cues.BITS.values()) < 1 << 31
    assert len(set(tags.TAGS)) == len(tags.TAGS)


def test_every_feature_has_a_weight() -> None:
    """The file names the features in their order, and both looks give as many."""
    blocks = blocks_of("<h1>A title</h1><p>One sentence.<p>Another.")
    seen = look(blocks)
    again = containers.second_look(blocks, seen, np.zeros(len(blocks)))
    assert seen.features.shape == (len(features.NAMES), len(blocks)) == (len(weights.weights().first), 3)
    assert len(again.features) == len(features.NAMES + containers.NAMES) == len(weights.weights().second)
    assert len(set(features.NAMES + containers.NAMES)) == len(features.NAMES + containers.NAMES)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"version": 2}, "the weights have version 2"), ({"first": {"x": 1.0}}, "the weights are of other features")],
)
def test_weights_of_another_release_are_refused(
    change: dict[str, object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that does not fit names itself and what to do."""
    spelled = json.loads(weights.FILE.read_text(encoding="utf-8")) | change
    (tmp_path / "weights.json").write_text(json.dumps(spelled), encoding="utf-8")
    monkeypatch.setattr(weights, "FILE", tmp_path / "weights.json")
    with pytest.raises(FormatError, match=f"weights.json: {message}. Install headrace anew"):
        weights.weights.__wrapped__()


def test_weights_are_spelled_as_they_are_read() -> None:
    """Writing what was read gives the same file."""
    known = weights.weights()
    spelled = known.spelled(features.NAMES, containers.NAMES)
    assert spelled == weights.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title> A &amp;\n B </title>", "A & B"),
        ("<TITLE lang=en>x</TITLE >", "x"),
        ("<title></title>", None),
        ("<p>no title", None),
        (" " * 70_000 + "<title>too far</title>", None),
    ],
)
def test_titles(page: str, title: str | None) -> None:
    """The title is read near the beginning, its white space collapsed."""
    assert title_of(page) == title
