"""The report draws a rule's threshold into the chart of what the rule compares."""

from __future__ import annotations

import pytest

from headrace.pipeline.report_html import column_compared
from headrace.stages.filter import Filter


@pytest.mark.parametrize(
    ("reason", "column"),
    [
        ("max_digit_share", "values.digit_share"),
        ("min_characters", "values.characters"),
        ("words_games", "values.words_games"),
        ("gopher.max_hash_share", "values.hash_share"),
        ("gopher.min_words", "values.filter_words"),
        ("gopher.min_stop_words", "values.gopher_stop_words"),
        ("gofer.min_words", "values.words"),
        ("wechat_spam", "values.wechat_spam"),
    ],
)
def test_the_column_that_a_rule_compares_is_found(reason: str, column: str) -> None:
    """By the reason's name; a preset says which value a field of it bounds."""
    assert column_compared(reason) == column


def test_every_reason_of_a_preset_has_a_column_that_is_stored() -> None:
    """Whatever a filter may drop for, its chart is found."""
    stored = set(Filter().reads())
    rules = [rule for presets in Filter().asked().profiles.values() for preset in presets for rule in preset.rules()]
    assert len(rules) > 40
    assert all(column_compared(rule.reason) in stored for rule in rules)
