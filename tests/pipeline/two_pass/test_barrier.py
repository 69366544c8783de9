"""Between two passes all documents are looked at: a barrier says where it is, stops in order, leaves whole files."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from tests.pipeline.small_runs import output
from tests.pipeline.two_pass.chained_texts import chained_run, die_at, write_chains

from headrace.pipeline.events import Event, read_events
from headrace.pipeline.progress import line
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.standing import Standing
from headrace.schemas.durable import sync_refs
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication import verdict_file


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a finished run that nothing happened to."""
    folder = tmp_path_factory.mktemp("barrier")
    write_chains(folder)
    loaded = chained_run(folder)
    assert run_pipeline(loaded).state == "done"
    return loaded.run_dir


@pytest.mark.parametrize(
    ("doing", "number"),
    [
        ("shards checked", signal.SIGTERM),
        ("shards read", signal.SIGINT),
        ("bands", signal.SIGTERM),
        ("verdicts written", signal.SIGINT),
    ],
)
def test_a_run_is_stopped_at_the_barrier(doing: str, number: signal.Signals, run: Path) -> None:
    """Between two parts of its work, in order: the summary says `stopped`, nothing half is left, and it goes on."""
    loaded = chained_run(run.parent, "halted")
    heard: list[Event] = []

    def watch(event: Event) -> None:
        heard.append(event)
        if event.kind == "settling" and event.data["doing"] == doing:
            os.kill(os.getpid(), number)

    assert run_pipeline(loaded, watchers=[watch]).state == "stopped"
    assert heard[-1].kind == "ended"
    assert not [event for event in heard if event.kind == "pass" and event.data["number"] == 2]
    assert list((loaded.run_dir / "index").iterdir()) == []
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(run)
    shutil.rmtree(loaded.run_dir)


def test_the_barrier_says_where_it_is(run: Path) -> None:
    """Each kind of work and how many parts of it there are, on the line of progress and in events.jsonl."""
    loaded, lines = chained_run(run.parent, "telling"), []
    standing = Standing()

    def watch(event: Event) -> None:
        standing.take(event)
        if event.kind in ("settling", "pass"):
            lines.append(line(standing, 1.0, None))

    assert run_pipeline(loaded, watchers=[watch]).state == "done"
    shards = len(list((loaded.run_dir / "first-pass" / "shards").iterdir()))
    assert shards > 1
    assert f"all documents: shards checked, 0 of {shards}" in lines
    assert "all documents: bands, 0 of 8" in lines
    assert lines[-1].startswith("unit 0;")
    told = [event for event in read_events(loaded.run_dir) if event["kind"] == "settling"]
    assert {event["doing"] for event in told} >= {"shards checked", "shards read", "twins", "bands"}


def test_verdicts_that_were_renamed_are_synced_before_a_line_names_them(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a kill between the two, nothing else would sync their name: a power loss could take what is committed."""
    loaded = chained_run(run.parent, "renamed")
    die_at(loaded, "verdicts.renamed")
    synced: list[str] = []

    def noted(folder: Path, refs: list[FileRef]) -> None:
        synced.extend(ref.name for ref in refs)
        sync_refs(folder, refs)

    monkeypatch.setattr(verdict_file, "sync_refs", noted)
    die_at(loaded, "manifest.appended")
    (path,) = (loaded.run_dir / "index").glob("*-verdicts-*")
    assert synced == [f"index/{path.name}"]
