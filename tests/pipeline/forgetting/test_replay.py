from __future__ import annotations

from pathlib import Path

from tests.pipeline.forgetting.page_runs import documents, page_run

from headrace.pipeline.committed import open_committed
from headrace.pipeline.forgetting.forget import forget
from headrace.pipeline.replay_choice import Wanted, chosen_records
from headrace.pipeline.run import run_pipeline
from headrace.schemas.forgetting import request
from headrace.schemas.tombstones import read_tombstones


def test_a_replay_does_not_take_them_up(tmp_path: Path) -> None:
    """All records of the files, but those that are forgotten."""
    run_pipeline(page_run(tmp_path))
    forget(tmp_path / "run", [request("domain", "b.example")])
    chosen = chosen_records(open_committed(tmp_path / "run"), Wanted("gbk", "**", kept=True))
    taken = {doc_id for ids in chosen.values() for doc_id in ids}
    tombstones = read_tombstones(tmp_path / "run")
    assert tombstones is not None
    assert taken == {row["doc_id"] for row in documents(tmp_path / "run")} - {d.doc_id for d in tombstones.documents}
