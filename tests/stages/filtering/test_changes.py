"""Which changes of a filter need the texts again although every value is stored."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.stages.filter import Filter

TWO = {"en": ["gopher", "c4"], "zh": ["gopher"]}


def made(options: dict[str, Any]) -> Filter:
    return Filter.model_validate({"record": "all", **options})


@pytest.mark.parametrize(
    ("before", "change", "named"),
    [
        ({"profiles": TWO}, {"profiles": {**TWO, "en": ["gopher"]}}, ["profiles.en"]),
        ({"profiles": TWO}, {"profiles": {**TWO, "zh": ["gopher", "c4"]}}, ["profiles.zh"]),
        ({"profiles": TWO}, {"profiles": {**TWO, "en": ["gopher", "refinedweb"]}}, ["profiles.en"]),
        ({"profiles": TWO}, {"profiles": {**TWO, "en": ["c4"]}}, []),
        ({"profiles": TWO}, {"c4": {"min_sentences": 9}}, []),
        ({"profiles": TWO}, {"c4": {"remove_lines": False}}, ["c4.remove_lines"]),
        ({"profiles": TWO, "c4": {"remove_lines": False}}, {"profiles": {**TWO, "en": ["gopher"]}}, []),
        ({"profiles": TWO}, {"profiles": {**TWO, "ja": ["gopher"]}}, ["profiles.ja"]),
        ({"profiles": TWO}, {"profiles": {"en": TWO["en"]}}, ["profiles.zh"]),
        ({"profiles": {**TWO, "verse": []}}, {"verse_from": 0.5}, ["verse_from"]),
        ({"profiles": TWO}, {"verse_from": 0.5}, []),
        ({"profiles": {"zh": ["gopher"], "verse": []}}, {"verse_from": 0.5}, []),
    ],
)
def test_profiles_that_take_out_other_lines_need_the_text(
    before: dict[str, Any], change: dict[str, Any], named: list[str]
) -> None:
    """All values are stored, but what later stages measured, and tokens, are those of the text without its lines."""
    assert made({**before, **change}).unanswerable(made(before)) == named
