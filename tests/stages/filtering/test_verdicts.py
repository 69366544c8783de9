"""Verdicts: what is said of the documents that leave, and how often it is worked out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.conftest import documents

from headrace.stages.filtering.conditions import Value
from headrace.stages.filtering.evaluation import Looked
from headrace.stages.filtering.rules import condition_of
from headrace.stages.filtering.verdicts import Verdicts

RULE = "words / characters < 0.5 and (characters > 10 * 2 or 30 > words) and language != 'en'"


def looked(rows: int) -> Looked:
    """Give documents whose numbers all differ, half of them without a language of their own."""
    numbers = {"words": np.arange(rows, dtype=np.float64), "characters": np.arange(rows) * 3.0 + 1}
    return Looked(rows, numbers, {"language": pa.array([("zh", "en")[row % 2] for row in range(rows)])})


@pytest.mark.parametrize("rows", [2, 500])
def test_the_sides_of_a_comparison_are_worked_out_once_for_all_documents(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that leave cost no look at the whole batch each."""
    asked: list[Value] = []
    number = Looked.number

    def counted(looked: Looked, value: Value) -> object:
        asked.append(value)
        return number(looked, value)

    monkeypatch.setattr(Looked, "number", counted)
    verdicts = Verdicts(rows)
    verdicts.by_condition("short", condition_of(RULE, ()), looked(rows))
    assert verdicts.gone.sum() == rows // 2
    assert len(asked) < 40


def test_what_is_said_of_a_document_is_its_own() -> None:
    """Number, bound and detail of each row are those of a batch that has it alone."""
    condition = condition_of(RULE, ())
    verdicts = Verdicts(6)
    verdicts.by_condition("short", condition, looked(6))
    table = verdicts.on(documents([""] * 6)).select(["reason", "value", "threshold", "detail"])
    assert table.to_pylist()[4] == {
        "reason": "short",
        "value": 4 / 13,
        "threshold": 0.5,
        "detail": "words / characters < 0.5 is true: 0.3076923076923077; characters > 10 * 2 is false: 13, 20; "
        "30 > words is true: 4; language != 'en' is true: zh",
    }
    assert table["reason"].to_pylist() == ["short", None] * 3


def test_what_is_not_known_is_said_to_be() -> None:
    """No number, no text; a long text is cut."""
    texts = {"language": pa.array([None], pa.string()), "url": pa.array(["http://a.example/" + "b" * 99])}
    given = Looked(1, {"words": np.array([np.nan])}, texts)
    verdicts = Verdicts(1)
    verdicts.by_condition("odd", condition_of("not words > 1 and language is None and 'b' in url", ()), given)
    row = verdicts.on(documents([""])).to_pylist()[0]
    assert (row["value"], row["threshold"]) == (None, 1.0)
    assert row["detail"] == (
        "words > 1 is false: not known; language is None is true: not known; "
        f"'b' in url is true: http://a.example/{'b' * 43}..."
    )
