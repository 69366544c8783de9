"""On a real Ray cluster: the same bytes as inline, killers found among the living, processes killed in mid-run."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.pipeline.small_runs import output, page_run, small_run, write_pages, write_texts

from headrace.pipeline import ray_executor
from headrace.pipeline.events import Event, read_events
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import HeadraceError

RAY = ("engine.executor=ray",)

KILLER = """
import os, time
from typing import Literal
from headrace.stages.base import Document, DocumentStage, Drop

class Killer(DocumentStage):
    kind: Literal["killer"] = "killer"
    gentle: bool = False

    def process(self, document: Document) -> Document | Drop:
        if "KILLS ITS WORKER" in document.text:
            return Drop("gone") if self.gentle else os._exit(7)
        if "HANGS" in document.text:
            return Drop("gone") if self.gentle else time.sleep(1000)
        return document
"""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("ray") / "texts")


@pytest.fixture(scope="module")
def inline(texts: Path) -> dict[str, str]:
    """Give the output of an inline run, which all others must equal."""
    loaded = page_run(texts.parent, "inline", texts=texts)
    assert run_pipeline(loaded).state == "done"
    return output(loaded.run_dir)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "window"), [(1, 1), (1, 4), (3, 4), (3, 20)])
def test_ray_gives_the_bytes_of_inline(
    workers: int, window: int, texts: Path, inline: dict[str, str], tmp_path: Path, ray_cluster: None
) -> None:
    """One and three replicas, windows of 1 to 20, a tokenizer trained on the way: identical output."""
    loaded = page_run(tmp_path, "run", *RAY, f"engine.workers={workers}", texts=texts, window=window)
    summary = run_pipeline(loaded)
    assert summary.state == "done"
    assert output(loaded.run_dir) == inline
    in_flight = [e["in_flight"] for e in read_events(loaded.run_dir) if e["kind"] == "admitted"]
    assert max(in_flight) <= window


def test_two_inline_runs_are_identical(texts: Path, inline: dict[str, str], tmp_path: Path) -> None:
    """The same input and configuration give the same bytes twice."""
    loaded = page_run(tmp_path, "again", texts=texts, window=1)
    run_pipeline(loaded)
    assert output(loaded.run_dir) == inline


def poisoned(folder: Path, name: str, *overrides: str, gentle: bool, where: str) -> LoadedConfig:
    """Give a run over texts with a document that ends its worker and one that never returns."""
    (folder / "killer.py").write_text(KILLER, encoding="utf-8")
    texts = folder / "texts"
    if not texts.exists():
        extra = [
            "a harmless line before them",
            "this line KILLS ITS WORKER",
            "and this one HANGS",
            "a harmless line after",
        ]
        write_texts(
            texts, files=4, lines=30, extra=[f"{line} with some more words, number {i}" for i, line in enumerate(extra)]
        )
    stage = "{kind: killer, gentle: true}" if gentle else "{kind: killer}"
    return small_run(folder, name, *overrides, texts=texts, plugins=["killer.py"], **{where: stage})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["before", "after"])
def test_only_the_documents_that_kill_or_hang_are_quarantined(where: str, tmp_path: Path, ray_cluster: None) -> None:
    """os._exit and an endless sleep cost their own document; all shards are those of a run without them."""
    loaded = poisoned(tmp_path, "killed", *RAY, "engine.workers=2", "engine.deadline_s=3", gentle=False, where=where)
    summary = run_pipeline(loaded)
    assert summary.state == "done"
    assert sorted((s.stage, s.cause) for s in summary.struck) == [("killer", "deadline"), ("killer", "worker_died")]
    assert all(s.doc_id.startswith("text:05.txt#") for s in summary.struck)
    [counts] = [c for c in summary.counts if c.stage == "killer"]
    assert dict(counts.quarantined) == {"deadline": 1, "worker_died": 1}
    reference = poisoned(tmp_path, "dropped", gentle=True, where=where)
    run_pipeline(reference)
    shards = {name for name in output(loaded.run_dir) if name.startswith("shards/")}
    assert shards == {name for name in output(reference.run_dir) if name.startswith("shards/")}


@pytest.mark.slow
@pytest.mark.parametrize("role", ["worker", "dedup", "write"])
def test_a_process_killed_in_mid_run_changes_nothing(
    role: str, texts: Path, inline: dict[str, str], tmp_path: Path, ray_cluster: None
) -> None:
    """A stage worker's death is a strike, an ordered stage's a rollback; either way the bytes stay the same."""
    loaded = page_run(tmp_path, "killed", *RAY, "engine.workers=2", texts=texts)
    killed: list[int] = []
    pids: dict[str, int] = {}

    def watch(event: Event) -> None:
        if event.kind == "host":
            pids[event.data["role"]] = event.data["pid"]
        if event.kind == "committed" and event.data["line"] >= 2 and not killed and role in pids:
            killed.append(pids[role])
            threading.Thread(target=os.kill, args=(pids[role], signal.SIGKILL)).start()

    summary = run_pipeline(loaded, watchers=[watch])
    assert killed
    assert summary.state == "done"
    assert output(loaded.run_dir) == inline
    if role != "worker":
        assert summary.incidents["rollbacks"] == 1
    time.sleep(0.2)
    assert not any(psutil.pid_exists(pid) for pid in killed)


def test_a_cluster_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address, what Ray said first, and what to do."""

    def refuse(**_: object) -> None:
        raise ConnectionError("nobody listens\nat length")

    monkeypatch.setattr(ray_executor.ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray_executor.ray, "init", refuse)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(
        HeadraceError, match=r"127\.0\.0\.1:1: the Ray cluster cannot be joined: nobody listens\. Start"
    ):
        ray_executor.RayExecutor(None, None, dashboard=False)


def test_sigterm_while_ray_starts_stops_the_run_in_order(tmp_path: Path) -> None:
    """ray.init takes the signal for itself and makes a SystemExit of it."""

    def start(*_: object) -> Any:
        raise SystemExit(15)

    summary = run_pipeline(small_run(tmp_path, tokenizer="model: bytes"), start_executor=start)
    assert summary.state == "stopped"
