"""Overrides by the name of a stage: what a person types who does not count stages."""

from __future__ import annotations

import pytest

from headrace.pipeline.overrides import parse_override, stage_override
from headrace.schemas.errors import ConfigError

NAMES = ("decode", "parse", "clean", "filter", "clean.2")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("clean.at_least=3", ("stages", 2, "at_least")),
        ("clean.2.at_least=3", ("stages", 4, "at_least")),
        ("filter.gopher.min_words=30", ("stages", 3, "gopher", "min_words")),
        ("filter.rules.3.x=30", ("stages", 3, "rules", 3, "x")),
        ("filter={kind: filter}", ("stages", 3)),
        ("stages.2.at_least=3", ("stages", 2, "at_least")),
        ("engine.workers=2", ("engine", "workers")),
    ],
)
def test_a_stage_is_named_or_numbered(text: str, steps: tuple[str | int, ...]) -> None:
    """The name of a stage, the number of its second, or the whole way; options of the run stay what they are."""
    given = stage_override(parse_override(text), NAMES)
    assert (given.steps, given.text) == (steps, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "claen.at_least=3",
            "argument claen.at_least=3: there is no stage and no option 'claen'. Did you mean 'clean'",
        ),
        ("3.at_least=3", "there is no stage and no option '3'. The stages are decode, parse"),
        ("clean.3.at_least=3", "there is no stage 'clean.3'. The stages of this kind are clean, clean.2"),
        ("clean.1=null", "there is no stage 'clean.1'. The stages of this kind are clean, clean.2"),
        ("claen.2.at_least=3", "there is no stage 'claen.2'. Did you mean 'clean.2'"),
    ],
)
def test_a_name_of_nothing_is_refused(text: str, said: str) -> None:
    """The nearest name, or all."""
    with pytest.raises(ConfigError) as caught:
        stage_override(parse_override(text), NAMES)
    assert said in str(caught.value)
