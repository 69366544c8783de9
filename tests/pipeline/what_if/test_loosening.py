"""What `explain` offers for a document that a rule of the user's own took out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.what_if.small_runs_asked import made_run, rows

from headrace.pipeline.explain import explain
from headrace.pipeline.what_if.answer import what_if


def test_a_rule_of_ones_own_is_switched_off_beside_the_numbers_that_a_document_breaks_too(tmp_path: Path) -> None:
    """A rule has no number of its own to loosen; with the settings that are named the document goes on."""
    chain = "{kind: filter, profiles: {'*': [general]}, general: {min_characters: 60}, rules: {short: characters < 90}}"
    run = made_run(tmp_path, before=chain)
    reasons = {row["reason"]: doc_id for doc_id, row in rows(run).items() if row["stage"] == "filter"}
    assert set(reasons) == {"general.min_characters", "short"}
    for doc_id in reasons.values():
        command = explain(run, doc_id)["what_if"]
        settings = command.split()[3:]
        assert settings[-1] == "filter.rules.short=null"
        changes = what_if(run, settings, examples=1000)["changes"]
        assert doc_id in [one["doc_id"] for each in changes if not each["would"]["rule"] for one in each["examples"]]


MOOD = """
from typing import Literal
import numpy as np
import pyarrow as pa
from headrace.stages.base import BatchStage, judged
from headrace.schemas.arrays import floats, with_column


class Mood(BatchStage):
    kind: Literal["mood"] = "mood"
    min_mood: float = -9.0

    def process(self, table):
        moods = [{moods}[len(text or "") % 3] for text in table["text"].to_pylist()]
        return self.decided(with_column(table, "values.mood", pa.array(moods, pa.float64())))

    def decided(self, table):
        mood = floats(table, "values.mood")
        out = mood < self.min_mood
        word = lambda name: pa.array(np.full(len(mood), name), pa.string(), mask=~out)
        number = lambda value: pa.array(value, pa.float64(), mask=~out)
        return judged(table, word("dropped"), word("min_mood"), number(mood), number(np.full(len(mood), self.min_mood)))

    def unanswerable(self, before):
        return []
"""


@pytest.mark.parametrize(
    ("moods", "bounds"),
    [("(-1234.0, -9.5, 0.0)", {-1234.0: "-1300", -9.5: "-9.5"}), ('(float("-inf"), -9.5, 2.0)', {-9.5: "-9.5"})],
)
def test_scores_below_nothing_have_a_bound_beside_them_too(
    moods: str, bounds: dict[float, str], tmp_path: Path
) -> None:
    """Of a stage of the user's own that decides by them; where none is finite, nothing is offered."""
    (tmp_path / "mood.py").write_text(MOOD.format(moods=moods), encoding="utf-8")
    run = made_run(tmp_path, plugins="mood.py", before="{kind: mood}")
    dropped = {row["values.mood"]: doc_id for doc_id, row in rows(run).items() if row["stage"] == "mood"}
    assert dropped.keys() >= bounds.keys()
    assert len(dropped) == 2
    for mood, doc_id in dropped.items():
        command = explain(run, doc_id)["what_if"]
        assert (command and command.split()[3:]) == ([f"mood.min_mood={bounds[mood]}"] if mood in bounds else None)
