"""The automaton's tables agree with `re` on the part of its language that they read; the rest is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headrace.stages.privacy import automaton
from headrace.stages.privacy.automaton import DEAD, compiled
from headrace.stages.privacy.rules import RULES, search

PATTERNS = (
    r"1[3-9]\d{3}",
    r"(?:微信|wx)[:\- ]{0,2}(?P<id>[a-z]+)",
    r"a(?:b|cd)*e?",
    "[京津a-c]x{1,3}",
    r"(?:a?b?){2}c{2}",
    r"\(\d+\)",
    "(a|ab)(c|bcd)",
    r"x*y+\n?",
    "",
)
texts = st.text("13579abcdewxyz微信京津:- ()\n", max_size=8)


def ends(group: int, text: str) -> list[tuple[int, list[int]]]:
    """Walk the tables over a text; give where patterns end, and which."""
    tables = compiled([PATTERNS[:5], PATTERNS[5:]])
    state, found = int(tables.entries[group]), []
    for at, byte in enumerate(text.encode(), 1):
        state = int(tables.steps[state, tables.kinds[byte]])
        if state == DEAD:
            break
        ended = tables.ended[tables.firsts[state] : tables.firsts[state + 1]].tolist()
        found += [(at, ended)] if ended else []
    return found


@given(texts)
@example("微信:-abc")
@example("abcd")
@example("abbcc")
@settings(max_examples=300, deadline=None)
def test_the_tables_agree_with_re(text: str) -> None:
    """A pattern ends at a byte where `re` matches all that is before it."""
    for group, numbers in enumerate((range(5), range(5, len(PATTERNS)))):
        expected = []
        for end in range(1, len(text) + 1):
            matching = [number for number in numbers if re.fullmatch(PATTERNS[number], text[:end])]
            expected += [(len(text[:end].encode()), matching)] if matching else []
        assert ends(group, text) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("a)", "nothing is open"),
        ("(a", "not closed"),
        ("(?=a)", r"only \(\?: and"),
        (r"\w", "is not read"),
        (".", "no meaning here"),
        ("^a", "no meaning here"),
        ("*a", "no meaning here"),
    ],
)
def test_what_is_not_of_the_language_is_refused(pattern: str, message: str) -> None:
    """A pattern that would be read otherwise than by `re` raises."""
    with pytest.raises(ValueError, match=message):
        compiled([[pattern]])


def test_patterns_of_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may begin anywhere in a long repetition needs a state for each set of places."""
    monkeypatch.setattr(automaton, "MOST_STATES", 1000)
    with pytest.raises(ValueError, match="more than 1000 states"):
        compiled([["[ab]*a[ab]{12}"]])


def test_the_rules_fit_into_few_states() -> None:
    """States are 16-bit numbers; beyond some ten thousand the tables no longer fit into a core's cache."""
    tables = search().tables
    assert len(tables.steps) < 12_000
    assert tables.steps.max() < np.iinfo(np.uint16).max
    assert len(tables.entries) <= 8
    assert sorted(search().rules.tolist()) == list(range(len(RULES)))


def test_every_pattern_is_one_of_re() -> None:
    """`re`, which finds the items behind a lead, reads the same patterns."""
    for rule in RULES:
        assert re.compile(rule.pattern).groupindex["id"]
