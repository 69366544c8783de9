"""What was forgotten stays out of later runs, and changes nothing in the run that goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.pipeline.forgetting.page_runs import documents, page_run
from tests.pipeline.small_runs import output

from headrace.pipeline.cli import main
from headrace.pipeline.events import Event
from headrace.pipeline.explain import explain
from headrace.pipeline.forgetting.forget import forget
from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError
from headrace.schemas.failpoints import FAILPOINT
from headrace.schemas.forgetting import request
from headrace.schemas.tombstones import TOMBSTONES, read_tombstones

LISTED = "{kind: forget, lists: [run]}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a run in which a domain and one page are forgotten."""
    folder = tmp_path_factory.mktemp("pages")
    run_pipeline(page_run(folder))
    forget(folder / "run", [request("domain", "b.example"), request("url", "https://c.example/p/3")])
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "folder")
    return tmp_path / "folder"


def urls(run: Path, verdict: str, reason: str | None = None) -> set[str]:
    return {row["url"] for row in documents(run) if (row["verdict"], row["reason"]) == (verdict, reason)}


def test_a_later_run_leaves_them_out(folder: Path) -> None:
    """Under another source name as well; the copy of a forgotten page, kept but for that, is known by its text."""
    before = urls(folder / "run", "kept")
    run_pipeline(page_run(folder, "later", before=LISTED, source="crawl"))
    gone = urls(folder / "later", "dropped", "forgotten")
    assert {url for url in before if "b.example/" in url} <= gone
    assert gone >= {"https://c.example/p/3", "https://c.example/copy"}
    assert urls(folder / "later", "kept") == before - gone
    assert verify(folder / "later").problems == ()
    doc_id = next(row["doc_id"] for row in documents(folder / "later") if row["reason"] == "forgotten")
    assert doc_id.startswith("crawl:")
    assert (explain(folder / "later", doc_id)["stage"], explain(folder / "later", doc_id)["text"]) == ("forget", None)


def test_the_list_is_part_of_a_runs_identity(folder: Path) -> None:
    """The same list resumes; a longer one is another run, and a copy of the file stays as it is."""
    shutil.copy(folder / "run" / TOMBSTONES, folder / "list.json")
    run_pipeline(page_run(folder, "later", before=LISTED))
    run_pipeline(page_run(folder, "copied", before="{kind: forget, lists: [list.json]}"))
    forget(folder / "run", [request("domain", "a.example")])
    with pytest.raises(ConfigError, match=r"not the run that was started here.*lists\.forget was"):
        run_pipeline(page_run(folder, "later", before=LISTED))
    assert run_pipeline(page_run(folder, "copied", before="{kind: forget, lists: [list.json]}")).state == "done"


def test_forgetting_in_a_run_that_was_killed_changes_none_of_its_bytes(folder: Path) -> None:
    """Killed behind its second commit, told to forget, and resumed: the undisturbed run, and all of it is forgotten."""
    page_run(folder, "killed")
    command = [sys.executable, "-m", "headrace", "run", str(folder / "killed.yaml")]
    died = subprocess.run(
        command, env={**os.environ, FAILPOINT: "manifest.published:2"}, check=False, capture_output=True
    )
    assert died.returncode == -signal.SIGKILL
    first = forget(folder / "killed", [request("domain", "b.example")])
    assert not first.committed.ended
    run_pipeline(page_run(folder, "killed"))
    assert output(folder / "killed") == output(folder / "run")
    assert (folder / "killed" / TOMBSTONES).is_file()
    again = forget(folder / "killed", [request("domain", "b.example")])
    assert again.written
    assert len(again.found.documents) > len(first.found.documents)


def test_forgetting_beside_a_run_that_goes_on(folder: Path) -> None:
    """The pipeline holds its run; requests between two of its commits neither wait for it nor change its output."""
    seen: list[int] = []

    def watch(event: Event) -> None:
        if event.kind == "committed":
            seen.append(len(forget(folder / "live", [request("domain", "b.example")]).found.documents))

    run_pipeline(page_run(folder, "live"), watchers=(watch,))
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]
    assert output(folder / "live") == output(folder / "run")
    assert verify(folder / "live").problems == ()


def test_a_run_of_texts_remembers_their_fingerprints(folder: Path) -> None:
    """Without tokens there is nothing to skip, which is said; a later run knows the texts all the same."""
    page_run(folder, "texts")
    head, _, _ = (folder / "texts.yaml").read_text(encoding="utf-8").partition("  - {kind: tokenize")
    (folder / "texts.yaml").write_text(f"{head}  - {{kind: write, format: parquet}}\n", encoding="utf-8")
    run_pipeline(load_config(folder / "texts.yaml", ["engine.executor=inline"]))
    found = forget(folder / "texts", [request("domain", "b.example")])
    same = {d.text for d in (read_tombstones(folder / "run") or found.tombstones).documents}
    assert {d.text for d in found.tombstones.documents} <= same
    assert all(d.text for d in found.tombstones.documents)
    said = CliRunner().invoke(main, ["forget", str(folder / "texts")]).stdout
    assert "not skipped the run is of texts" in said
    assert "of shards/" in said
