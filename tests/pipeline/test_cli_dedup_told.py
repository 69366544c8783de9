"""What `headrace dedup` says: of its input, of what left for other reasons than repeating, and where to go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.dups.repeating_runs import english
from tests.pipeline.test_cli_dedup import call, told


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with two texts in `in`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / f"in/{number}.txt").write_text(english(number), encoding="utf-8")
    return tmp_path


def test_a_result_below_the_input_is_no_input_of_the_next_run(folder: Path) -> None:
    """One line names it; the other way round nothing is said."""
    first = told("in", "--out", "in/clean")
    again = call("in", "--out", "other")
    assert f"{folder}/in/clean is left out of the input: it is the folder of a run" in again.stderr
    assert told("in", "--out", "other")["documents"] == first["documents"] == 2
    assert "left out of the input" not in call("in", "--out", "in/clean", "--fresh").stderr
    assert told("in/clean/shards", "--out", "third")["documents"] == 2
