from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pipeline.made_run import KEPT_IDS, make_run

from headrace.pipeline.inspect_run import inspect_run
from headrace.schemas.errors import ConfigError


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_it_shows_shards_and_first_kept_documents_of_every_format(tmp_path: Path, form: str) -> None:
    """Texts come from the documents files, or from the shards of a run without tokens."""
    found = inspect_run(make_run(tmp_path, form))
    assert [shard["units"] for shard in found["shards"]] == ["0 to 1", "2 to 2"]
    assert found["documents"][0]["doc_id"] == KEPT_IDS[0]
    assert found["documents"][0]["text"].startswith("The mill wheel turns")
    assert len(found["documents"][0]["text"]) == 80


def test_a_run_without_a_commit_is_shown_as_unfinished(tmp_path: Path) -> None:
    """A run that was killed before its first shard has a plan and nothing else; it still has a report."""
    run = make_run(tmp_path)
    for name in ("manifest.jsonl", "published.json", "events.jsonl"):
        (run / name).unlink()
    found = inspect_run(run)
    assert (found["finished"], found["shards"], found["documents"]) == (False, [], [])
    assert found["report"]["state"] == "unfinished"
    assert found["report"]["files"]["without_text"] == {"not read yet": 5}
    assert "Nothing is committed yet" in (run / "report.html").read_text()


def test_inspecting_writes_the_report_again(tmp_path: Path) -> None:
    """A killed run has no report until somebody looks."""
    run = make_run(tmp_path)
    assert inspect_run(run)["report"] == json.loads((run / "report.json").read_text())


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    """Nothing is written into a folder that is not a run's."""
    with pytest.raises(ConfigError, match=r"it holds no plan\.json"):
        inspect_run(tmp_path)
    assert list(tmp_path.iterdir()) == []
