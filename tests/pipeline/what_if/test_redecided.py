"""Which stored columns are still those that a stage decided by, and when it cannot be asked any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa
import pytest

from headrace.pipeline.what_if.redecided import Redecided, redecided
from headrace.schemas.errors import ConfigError
from headrace.stages.base import BatchStage, Stage
from headrace.stages.clean import Clean
from headrace.stages.filter import Filter
from headrace.stages.grade import Grade
from headrace.stages.language import Language
from headrace.stages.rights import Rights
from headrace.stages.urls import Urls

LANGUAGE = Language(model="scripts")


class Mother(BatchStage):
    """Name languages otherwise, as a stage of a user's own may."""

    kind: Literal["mother_tongue"] = "mother_tongue"

    def process(self, table: pa.Table) -> pa.Table:
        """Refuse a table that lacks what another stage measured."""
        raise KeyError("values.mother")


def ruled(rule: str) -> Filter:
    return Filter.model_validate({"profiles": {}, "rules": {"odd": rule}})


def asked(stages: Sequence[Stage], number: int, after: Stage) -> Redecided:
    """Ask one stage of a chain; each is named by its kind and number."""
    names = [f"{stage.kind}.{place}" for place, stage in enumerate(stages)]
    changed = [after if place == number else stage for place, stage in enumerate(stages)]
    (found,) = redecided(names, stages, changed, [names[number]], "run it again")
    return found


@pytest.mark.parametrize(
    ("stages", "rule", "said"),
    [
        ([Urls(canonicalize=True)], "'forum' in url", "urls.1 filled url again"),
        ([Rights()], "licence == 'MIT'", "rights.1 filled licence again"),
        ([Clean()], "values.digit_share > 0.5", "clean.1 measured values.digit_share again"),
    ],
)
def test_a_filter_in_front_of_a_stage_that_fills_what_it_asks_is_refused(
    stages: list[Stage], rule: str, said: str
) -> None:
    """The file has what the later stage gave, and a rule by it would be answered wrongly."""
    before = ruled(f"{rule} and words > 5")
    with pytest.raises(ConfigError, match=rf"stage {said} and wrote over it\. Run it again"):
        asked([before, *stages], 0, ruled(f"{rule} and words > 3"))
    other = ruled("words > 3")
    assert asked([ruled("words > 5"), *stages], 0, other).lost == {}


def test_an_address_that_stays_as_it_was_may_be_asked() -> None:
    """`urls` writes over it only where it is told to."""
    assert asked([ruled("'forum' in url"), Urls()], 0, ruled("'forums' in url")).lost == {}


def test_in_front_of_the_first_language_there_was_none() -> None:
    """What a filter saw is known: null, whatever is stored."""
    found = asked([ruled("words > 5"), Clean(), LANGUAGE, LANGUAGE], 0, ruled("words > 3"))
    assert found.lost == {"language": 2, "script": 2}


@pytest.mark.parametrize("earlier", [LANGUAGE, Mother()], ids=lambda stage: stage.kind)
def test_a_language_that_is_told_again_is_refused(earlier: Stage) -> None:
    """What the first one said, or a stage of the user's own, is nowhere."""
    with pytest.raises(ConfigError, match=r"stage language\.2 filled language again and wrote over it"):
        asked([earlier, ruled("words > 5"), LANGUAGE], 1, ruled("words > 3"))
    with pytest.raises(ConfigError, match=r"stage language\.1 filled language again"):
        asked([LANGUAGE, LANGUAGE], 0, Language(model="scripts", keep=("zh",)))


@pytest.mark.parametrize(
    ("rule", "change", "said"),
    [
        ("grade == 'D'", {"a": 0.9}, "grade"),
        ("scores.total < 0.2", {"weights": {"length": 1}}, "scores.total"),
        ("grade == 'D' and scores.total < 0.2", {"weights": {"length": 1}}, "grade and scores.total"),
        ("scores.total < 0.2", {"a": 0.9}, None),
        ("grade == 'D'", {"keep": ["A"]}, None),
    ],
)
def test_grades_by_which_a_later_stage_decides_are_refused(rule: str, change: dict[str, Any], said: str | None) -> None:
    """The stage behind has the same options, and would still decide otherwise."""
    stages, after = [Grade(), ruled(rule)], Grade.model_validate(change)
    if said is None:
        assert asked(stages, 0, after).after == after
        return
    with pytest.raises(ConfigError, match=rf"stage filter\.1 behind it decides by {said}, which would be another"):
        asked(stages, 0, after)


def test_stages_of_headrace_are_not_run_to_learn_what_they_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows from their options; a fault of theirs would otherwise read as filling nothing."""

    def fails(self: Any, table: pa.Table) -> pa.Table:
        raise RuntimeError

    monkeypatch.setattr(Clean, "process", fails)
    found = asked([Clean(), Clean(), Grade(), Mother()], 0, Clean())
    assert found.lost["values.symbol_share"] == 1
    assert set(found.lost.values()) == {1}
