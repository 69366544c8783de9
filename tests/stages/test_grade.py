"""Grade gives documented scores, a letter, and drops only the letters that are not wanted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from headrace.stages.grade import Grade

Tabled = Callable[..., pa.Table]
PROSE = "The wheel sets the pace. The channel never runs dry. It never overflows."


def score(table: pa.Table, name: str, **options: object) -> list[float]:
    return Grade.model_validate(options).process(table)[f"scores.{name}"].to_pylist()


def test_the_length_score_is_half_at_the_configured_bytes(table_of: Tabled) -> None:
    """It is bytes / (bytes + half_length_bytes): 0 for nothing, 0.5 at the half length, below 1 for ever."""
    assert score(table_of(["", "x" * 500, "好" * 500]), "length") == [0, 0.5, 0.75]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROSE, 1.0),
        ("水轮定步调。渠道不干涸！也不漫溢？", 1.0),
        ("他说：“走吧。”", 0.5 + 0.1 + 0.2),
        ("Version 3.11 of a.b is out.", 0.5 + 0.1 + 0.2),
        ("Is it (really) so", 0.2),
        ("Is it (really so", 0.0),
        ("", 0.2),
        ("(a) b) “c” 「d", 0.2 * (1 - 2 / 6)),
        ('He said "go!"', 0.5 + 0.1 + 0.2),
        ("好……", 0.5 + 0.1 + 0.2),
    ],
)
def test_the_completeness_score_follows_its_formula(table_of: Tabled, text: str, expected: float) -> None:
    """0.5 for a last sentence mark, 0.3 for three sentences, 0.2 for closed brackets; closers may follow the mark."""
    assert score(table_of([text]), "completeness") == [pytest.approx(expected)]


def test_authority_is_the_documents_own_or_half(table_of: Tabled) -> None:
    """A document without authority counts as 0.5."""
    assert score(table_of(["a", "b"], authority=[0.25, None]), "authority") == [0.25, 0.5]


def test_the_total_is_the_weighted_mean(table_of: Tabled) -> None:
    """Weights are divided by their sum."""
    weights = {"length": 1, "completeness": 0, "authority": 3}
    assert score(table_of(["x" * 500], authority=[1.0]), "total", weights=weights) == [(0.5 + 3) / 4]


def test_letters_fall_with_the_total(table_of: Tabled) -> None:
    """A good text of a trusted source is an A, a fragment of a distrusted one a D, and by default both go on."""
    table = table_of([PROSE * 40, PROSE, "a fragment of some length", "(x"], authority=[1.0, 0.2, 0.5, 0.0])
    result = Grade().process(table)
    assert result["grade"].to_pylist() == ["A", "C", "D", "D"]
    assert result["verdict"].null_count == 4


def test_other_letters_than_the_kept_ones_are_dropped(table_of: Tabled) -> None:
    """With `keep: [A, B]` the rest is dropped as `grade`, with its total and the bar it missed."""
    result = Grade(keep=("A", "B")).process(table_of([PROSE * 40, "(x"], authority=[1.0, 0.0]))
    assert result["verdict"].to_pylist() == [None, "dropped"]
    assert result["reason"].to_pylist() == [None, "grade"]
    assert result["threshold"].to_pylist() == [None, 0.5]
    assert result["value"][1].as_py() == result["scores.total"][1].as_py() < 0.5


def test_scores_stay_within_their_bounds(table_of: Tabled) -> None:
    """Whatever the text, every score is finite and between 0 and 1."""
    table = table_of(["", " ", "((((", "。" * 10_000, "👍", "x" * 1_000_000, "”)】。"])
    result = Grade().process(table)
    for name in ("length", "completeness", "authority", "total"):
        values = result[f"scores.{name}"].to_numpy()
        assert np.isfinite(values).all()
        assert ((values >= 0) & (values <= 1)).all()


def test_grading_twice_replaces_the_scores(table_of: Tabled) -> None:
    """A second grade stage in the chain overwrites the columns of the first."""
    once = Grade().process(table_of([PROSE]))
    twice = Grade().process(once.drop_columns(["verdict", "reason", "value", "threshold", "survivor", "detail"]))
    assert twice.column_names == once.column_names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": 0.2, "b": 0.5}, "grades must fall"),
        ({"weights": {"length": 0, "completeness": 0, "authority": 0}}, "all weights are 0"),
        ({"weights": {"length": 1e308, "completeness": 1e308}}, "the sum of the weights is too large"),
        ({"keep": []}, "at least 1 item"),
        ({"keep": ["E"]}, "'A', 'B', 'C' or 'D'"),
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, object], message: str) -> None:
    """Impossible options are refused when the stage is made, with the reason."""
    with pytest.raises(ValidationError, match=message):
        Grade.model_validate(options)
