"""The index in partitions that are Ray actors: the same bytes, also when one is killed, and none is left over."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest
from tests.pipeline.small_runs import output, page_run, small_run, write_pages, write_texts

from headrace.pipeline.events import Event
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import FormatError
from headrace.schemas.manifest import read_manifest

ON_RAY = ("engine.executor=ray", "engine.index.memory_bytes=0")
ACTOR = "ray::SortedRuns"


def configured(folder: Path, run: str, *overrides: str, pages: bool = False) -> LoadedConfig:
    """Give a run over the same texts in any folder: `dedup` alone, or `urls` and `dedup`."""
    if pages:
        texts = write_pages(folder / "texts", files=5, lines=50)
        return page_run(folder, run, *overrides, texts=texts)
    return small_run(folder, run, *overrides, tokenizer="model: bytes")


def clean(folder: Path, *, pages: bool = False) -> dict[str, str]:
    """Give the output of such a run whose index stays in memory."""
    loaded = configured(folder, "clean", pages=pages)
    run_pipeline(loaded)
    return output(loaded.run_dir)


def partitions() -> list[psutil.Process]:
    """Give the processes of partitions that are there now: Ray names a process by the actor's class."""
    return [p for p in psutil.process_iter(["cmdline"]) if " ".join(p.info["cmdline"] or ()).startswith(ACTOR)]


def gone() -> bool:
    """Wait until no partition is left."""
    for _ in range(100):
        if not partitions():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.parametrize(("count", "workers", "pages"), [(2, 3, True), (5, 1, False)])
def test_partitions_on_ray_give_the_bytes_of_an_index_in_memory(
    count: int, workers: int, tmp_path: Path, ray_cluster: None, *, pages: bool
) -> None:
    """Two ordered stages with two actors each, one with five, one and three signers; no actor outlives the run."""
    seen = set[int]()
    options = (f"engine.index.partitions={count}", f"engine.workers={workers}")
    loaded = configured(tmp_path, "run", *ON_RAY, *options, pages=pages)

    def watch(event: Event) -> None:
        if event.kind == "committed":
            seen.update(process.pid for process in partitions())

    assert run_pipeline(loaded, watchers=[watch]).state == "done"
    assert output(loaded.run_dir) == clean(tmp_path, pages=pages)
    assert len(seen) == count * (1 + pages)
    assert gone()


class Killer:
    """Kills a partition behind some of the commits, as a broken machine would."""

    def __init__(self, seed: int, kills: int, rate: float) -> None:
        self._random, self._left, self._rate = random.Random(seed), kills, rate
        self.killed: list[int] = []

    def __call__(self, event: Event) -> None:
        if event.kind != "committed" or not self._left or self._random.random() > self._rate:
            return
        if victims := sorted(partitions(), key=lambda process: process.pid):
            self._left -= 1
            self.killed.append(self._random.choice(victims).pid)
            threading.Thread(target=os.kill, args=(self.killed[-1], signal.SIGKILL)).start()


@pytest.mark.slow
def test_a_partition_killed_in_mid_run_changes_nothing(tmp_path: Path, ray_cluster: None) -> None:
    """`rollback`: its stage's state goes with it, and all partitions are opened again from the committed files."""
    killer = Killer(1, kills=1, rate=1)
    loaded = configured(tmp_path, "run", *ON_RAY, "engine.index.partitions=2", "engine.workers=1")
    summary = run_pipeline(loaded, watchers=[killer])
    assert len(killer.killed) == 1
    assert summary.incidents["rollbacks"] == 1
    assert output(loaded.run_dir) == clean(tmp_path)
    assert gone()


@pytest.mark.slow
def test_a_flipped_byte_is_refused_by_name_by_whichever_partition_has_the_file(
    tmp_path: Path, ray_cluster: None
) -> None:
    """The error of an actor is the one that a person reads: the file, both hashes, and what to do."""
    loaded = configured(tmp_path, "run", *ON_RAY, "engine.index.partitions=2", "engine.workers=1")

    class Enough(Exception):
        pass

    def watch(event: Event) -> None:
        if event.kind == "committed" and event.data["line"] == 1:
            raise Enough

    with pytest.raises(Enough):  # a run goes on with any executor
        run_pipeline(configured(tmp_path, "run", "engine.index.memory_bytes=0"), watchers=[watch])
    refs = [ref for line in read_manifest(loaded.run_dir) for ref in line.index_runs if "/dedup-" in ref.name]
    content = bytearray((loaded.run_dir / refs[1].name).read_bytes())
    content[len(content) // 2] ^= 1
    (loaded.run_dir / refs[1].name).write_bytes(content)
    with pytest.raises(FormatError, match=rf"{refs[1].name}: a file of the dedup index is damaged.*Restore the file"):
        run_pipeline(loaded)
    assert gone()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_ten_random_kills_of_partitions_change_nothing(seed: int, tmp_path: Path, ray_cluster: None) -> None:
    """A longer run with two partitions and next to no memory, in which ten of them are killed behind commits."""
    write_texts(tmp_path / "texts", seed=seed, files=30, lines=90)
    killer = Killer(seed, kills=10, rate=0.5)
    options = ("engine.executor=ray", "engine.index.memory_bytes=100000", "engine.index.partitions=2")
    loaded = configured(tmp_path, "run", *options, "engine.workers=2")
    summary = run_pipeline(loaded, watchers=[killer])
    assert len(killer.killed) == 10
    assert summary.incidents["rollbacks"] >= 5
    assert output(loaded.run_dir) == clean(tmp_path)
