"""Names that rules may ask: each is measured, and each is in the page that users look it up in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headrace.stages.filtering.names import (
    ALWAYS,
    NUMBERS,
    OTHERS,
    TEXTS,
    asking,
    column_of,
    every,
    is_text,
    numbers,
    owners,
)
from headrace.stages.filtering.presets import PRESETS

PAGE = Path(__file__).parents[3] / "docs/how-to/rules.md"


def test_the_page_lists_what_can_be_asked() -> None:
    """Every value, every column and every preset, and no value that there is not."""
    page = PAGE.read_text(encoding="utf-8")
    written = set(re.findall(r"`([a-z_0-9]+)`", page))
    assert {*numbers(), *TEXTS, *NUMBERS, *PRESETS} <= written
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) <= {*numbers(), *PRESETS, "zh"}


def test_every_value_of_a_preset_can_be_asked_alone() -> None:
    """Its owner asks it by a rule of its own, and nothing else."""
    for value, owner in owners().items():
        rules = asking(PRESETS[owner](), [value]).rules()
        assert {rule.value for rule in rules} == {value}
    assert set(owners()).isdisjoint({*ALWAYS, *OTHERS})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("language", True),
        ("profile", True),
        ("words", False),
        ("gopher_stop_words", False),
        ("authority", False),
        ("spam_matches", False),
        ("spam_share", False),
        ("spam", None),
        ("ham_matches", None),
        ("values.words_games", False),
        ("scores.total", False),
        ("values.__class__", None),
        ("values.", None),
        ("metadata", None),
        ("__class__", None),
        ("", None),
    ],
)
def test_a_name_is_text_a_number_or_nothing(name: str, text: bool | None) -> None:  # noqa: FBT001  # a table
    """What is suggested for a wrong one are names that there are."""
    assert is_text(name, ("spam",)) is text
    assert all(is_text(known, ("spam",)) is not None for known in every(("spam",)))


def test_columns_that_other_stages_have_are_left_to_them() -> None:
    """With a prefix there is no need."""
    assert column_of("words", "") == "values.filter_words"
    assert column_of("hash_share", "") == "values.hash_share"
    assert column_of("words", "late_") == "values.late_words"
