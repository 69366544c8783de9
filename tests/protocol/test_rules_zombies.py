"""Zombies: actors of a dead session that end what they were asked for while the next session works, or later."""

from __future__ import annotations

import os
import random
import shutil
import threading
from typing import Any

import pytest
from tests.protocol.driver_kills import WRITER_STEPS, dying_at
from tests.protocol.fault_executors import DriverKilled, LateCall, LingeringExecutor, MortalExecutor, carry_out
from tests.protocol.small_runs import Case, check_run, differences, outcome, same_as_clean

from headrace.pipeline.executor import Call
from headrace.pipeline.run_folder import RunFolder
from headrace.schemas.errors import HeadraceError
from headrace.schemas.manifest import MANIFEST, read_manifest


def crash(case: Case, run: str, seed: int) -> list[LateCall]:
    """Kill a driver somewhere; give what its actors had still been asked for."""
    executor = LingeringExecutor(seed, crash_at=random.Random(seed).randint(5, 250))
    try:
        case.run(run, executor=executor)
    except DriverKilled:
        return executor.left_behind()
    return []


def zombies_change_nothing(case: Case, seed: int) -> int:
    """Let zombies of two sessions act during the third and after it; give how many there were."""
    run = f"zombies-{seed}"
    first = crash(case, run, seed)
    second = crash(case, run, seed + 7919)
    executor = LingeringExecutor(seed, zombies=[*first, *second])
    case.run(run, executor=executor)
    before = (case.folder / run / MANIFEST).read_bytes()
    named = {ref.name: ref.sha256 for line in read_manifest(case.folder / run) for ref in line.files}
    for zombie in executor.left_behind():
        carry_out(zombie)
    assert (case.folder / run / MANIFEST).read_bytes() == before
    check_run(case.folder / run)
    clean = case.outcome("clean")
    assert {name: clean[name] for name in named} == named
    assert [clean[f"line {n}"] for n in range(len(before.splitlines()))] == before.decode().splitlines()
    return len(first) + len(second)


def test_zombies_of_dead_sessions_change_nothing(case: Case) -> None:
    """`names`, `driver_appends`, `index_listed`, `spool_names`: late calls touch nothing that a line names."""
    assert sum(zombies_change_nothing(case, seed) for seed in range(8)) >= 4


@pytest.mark.soak
def test_many_zombies_of_dead_sessions_change_nothing(case: Case) -> None:
    """The same from many seeds."""
    assert sum(zombies_change_nothing(case, seed) for seed in range(8, 150)) > 60


class FrozenWriter(MortalExecutor):
    """The writer's process stops at a failpoint, its driver is killed, and the writer goes on when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.let_go = threading.Event(), threading.Event()
        self.writer: threading.Thread | None = None
        self.pid = os.getpid()

    def order(self, host: Any, method: str, argument: Any) -> Call:
        if method != "accept":
            return super().order(host, method, argument)
        calls: list[Call] = []
        self.writer = threading.Thread(target=lambda: calls.append(MortalExecutor.order(self, host, method, argument)))
        self.writer.start()
        while self.writer.is_alive() and not self.reached.is_set():
            self.writer.join(0.005)
        if self.reached.is_set():
            raise DriverKilled
        return calls[0]

    def freeze(self, *_: object) -> None:
        """Stand in for SIGKILL at the failpoint."""
        self.reached.set()
        self.let_go.wait(60)


@pytest.mark.parametrize("when", ["before the first commit", "after the end"])
@pytest.mark.parametrize("step", WRITER_STEPS)
def test_a_writer_that_outlives_its_driver_in_the_middle_of_a_commit(plain: Case, step: str, when: str) -> None:
    """`names`, `driver_appends`: whatever step it was at, the rest of its commit changes nothing afterwards."""
    case, run = plain, f"frozen-{step}-{when[:5]}"
    executor = FrozenWriter()
    with dying_at(step, kill=executor.freeze), pytest.raises(DriverKilled):
        case.run(run, executor=executor)

    def release(event: Any = None) -> None:
        executor.let_go.set()
        if executor.writer:
            executor.writer.join()

    def watch(event: Any) -> None:
        if event.kind == "admitted" and when == "before the first commit":
            release()

    case.run(run, watchers=(watch,))
    release()
    named = {ref.name for line in check_run(case.folder / run) for ref in line.files}
    clean = case.outcome("clean")
    found = {name: sha for name, sha in outcome(case.folder / run).items() if name in named or name.startswith("line")}
    assert differences(clean, found) == []


def test_index_files_that_no_line_names_do_not_exist(plain: Case) -> None:
    """`index_listed`: a flush of a dead session that came after its last line is no index, and is swept away."""
    case = plain
    with dying_at("manifest.published"), pytest.raises(DriverKilled):
        case.run("listed")
    clean, run = case.folder / "clean", case.folder / "listed"
    committed = {ref.name for line in read_manifest(run) for ref in line.index_runs}
    for path in (clean / "index").iterdir():  # as if every later unit had been flushed before the driver died
        if f"index/{path.name}" not in committed:
            shutil.copyfile(path, run / "index" / path.name.replace("dedup-", "dedup-1"))
    case.run("listed")
    same_as_clean(case, "listed")


def test_a_second_driver_is_refused(plain: Case) -> None:
    """`driver_appends`: one driver at a time, by a lock that falls with its process."""
    folder = RunFolder(plain.folder / "locked")
    with pytest.raises(HeadraceError, match="the run is in use: another process is at work on it"):
        plain.run("locked")
    folder.close()
    plain.run("locked")
    same_as_clean(plain, "locked")
