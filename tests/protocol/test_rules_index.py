"""The index in layers, in whole runs: spilled, partitioned, cut off, damaged, on a full disk; always the same bytes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.driver_kills import dying_at
from tests.protocol.fault_executors import DriverKilled, HarshExecutor, Rates, StateDies
from tests.protocol.small_runs import Case, same_as_clean

from headrace.pipeline.run_folder import RunFolder
from headrace.pipeline.verify import verify
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.manifest import read_manifest
from headrace.stages.deduplication import committed_file

WAYS = [(partitions, budget) for partitions in (1, 2, 5) for budget in (0, 200_000, 10**9)]


def indexed(partitions: int, memory_bytes: int) -> tuple[str, str]:
    """Give the overrides."""
    return f"engine.index.partitions={partitions}", f"engine.index.memory_bytes={memory_bytes}"


@pytest.mark.parametrize(("partitions", "budget"), WAYS)
def test_where_the_index_is_changes_nothing(plain: Case, partitions: int, budget: int) -> None:
    """Spilled at each commit, now and then, or never, in any number of partitions: the bytes are the same."""
    run = f"index-{partitions}-{budget}"
    plain.run(run, *indexed(partitions, budget))
    same_as_clean(plain, run)


def test_a_run_goes_on_with_another_index_behind_any_commit(case: Case) -> None:
    """`index_listed`: each session commits once, with other partitions and another budget than the one before."""
    sessions = 0
    while True:
        try:
            with dying_at("manifest.published"):
                case.run("changing", *indexed(*WAYS[sessions * 4 % len(WAYS)]))
        except DriverKilled:
            sessions += 1
            continue
        break
    assert sessions > 2
    same_as_clean(case, "changing")


@pytest.mark.parametrize("step", ["index.temporary.synced", "index.renamed", "index.synced"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_kill_while_the_index_is_written_changes_nothing(plain: Case, step: str, count: int) -> None:
    """`index_sync`: what was written and is named by no line is written again, and never read."""
    run = f"{step}-{count}"
    with dying_at(step, count), pytest.raises(DriverKilled):
        plain.run(run, *indexed(2, 0))
    plain.run(run, *indexed(5, 0))
    same_as_clean(plain, run)


@pytest.mark.parametrize("unit", [0, 5])
def test_a_lost_index_in_files_is_opened_again(plain: Case, unit: int) -> None:
    """`rollback`: the state of spilled partitions comes back from the committed files alone."""
    run = f"lost-index-{unit}"
    summary = plain.run(run, *indexed(2, 0), executor=StateDies("dedup", unit, times=2))
    assert summary.incidents["rollbacks"] == 2
    same_as_clean(plain, run)


@pytest.mark.parametrize("seed", range(4))
def test_a_spilled_run_in_which_things_die_is_the_clean_run(plain: Case, seed: int) -> None:
    """Workers, states and data are lost at random while every commit empties the index's memory."""
    rates = Rates(worker=0.03, state=0.03, start=0.03, lost=0.03)
    run = f"harsh-{seed}"
    plain.run(run, *indexed(1 + seed % 3, 0), executor=HarshExecutor(seed, rates))
    assert rates.seen
    same_as_clean(plain, run)


def cut_off(case: Case, run: str, commits: int) -> Path:
    """Give a run that was killed behind some commits."""
    with dying_at("manifest.published", commits), pytest.raises(DriverKilled):
        case.run(run, *indexed(2, 0))
    return case.folder / run


@pytest.mark.parametrize("budget", [0, 10**9])
def test_a_flipped_byte_in_the_index_is_refused_by_name(plain: Case, budget: int) -> None:
    """No verdict is given by a damaged file: the run says which one it is, and goes on once it is restored."""
    folder = cut_off(plain, f"flipped-{budget}", 2)
    ref = [ref for line in read_manifest(folder) for ref in line.index_runs][-1]
    whole = (folder / ref.name).read_bytes()
    for place in (20, len(whole) // 2, len(whole) - 20):
        (folder / ref.name).write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :])
        with pytest.raises(FormatError, match=rf"{ref.name}: .*restore the file|{ref.name}: .*Restore the file"):
            plain.run(folder.name, *indexed(2, budget))
    (folder / ref.name).write_bytes(whole)
    plain.run(folder.name, *indexed(2, budget))
    same_as_clean(plain, folder.name)


class FullDisk:
    """A disk that is full when the n-th index file is made durable, until room is made."""

    def __init__(self, count: int) -> None:
        self.left = count
        self._sync = committed_file.sync_file

    def __call__(self, path: Path) -> None:
        self.left -= 1
        if self.left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        self._sync(path)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("budget", [0, 10**9])
def test_a_full_disk_while_the_index_is_written_ends_the_run_with_a_message(
    plain: Case, budget: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what to do, nothing half-written stays, and the run goes on to the same bytes after that."""
    run = f"full-{budget}-{count}"
    with monkeypatch.context() as patch:
        patch.setattr(committed_file, "sync_file", FullDisk(count))
        with pytest.raises(HeadraceError, match=r"index/dedup-.*: cannot write: No space left on device\. Free space"):
            plain.run(run, *indexed(2, budget))
    assert not list((plain.folder / run / "index").rglob("*.tmp"))
    plain.run(run, *indexed(2, budget))
    same_as_clean(plain, run)


def test_entries_of_aborted_runs_are_invisible(plain: Case) -> None:
    """`index_listed`: files of units that no line names lie in the folder, and merged ones of another run: no harm."""
    folder = cut_off(plain, "aborted", 1)
    named = {ref.name for line in read_manifest(folder) for ref in line.index_runs}
    for path in index_files(plain.folder / "clean"):
        if f"index/{path.name}" not in named:
            (folder / "index" / path.name).write_bytes(path.read_bytes())
    stray = folder / "index" / "merged" / "dedup" / "1-of-2" / "postings-0000000000000000-000000000000.arrow"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"not what it says")
    plain.run("aborted", *indexed(2, 0))
    same_as_clean(plain, "aborted")
    assert verify(folder).problems == ()


def index_files(run: Path) -> Iterator[Path]:
    """Give the index files of a run, without what is derived from them."""
    return (path for path in sorted((run / "index").iterdir()) if path.is_file())


@pytest.mark.parametrize("partitions", [1, 2])
def test_states_let_go_of_their_files(plain: Case, partitions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a run closes every partition that it opened."""
    from headrace.stages.deduplication.sorted_runs import SortedRuns

    open_ = set[int]()
    made, closed = SortedRuns.__init__, SortedRuns.close

    def counted_made(self: SortedRuns, *arguments: Any) -> None:
        made(self, *arguments)
        open_.add(id(self))

    def counted_closed(self: SortedRuns) -> None:
        closed(self)
        open_.discard(id(self))

    monkeypatch.setattr(SortedRuns, "__init__", counted_made)
    monkeypatch.setattr(SortedRuns, "close", counted_closed)
    seen = []
    plain.run(f"closed-{partitions}", *indexed(partitions, 0), watchers=(lambda event: seen.append(len(open_)),))
    assert max(seen) == partitions
    assert not open_


def test_the_budget_is_not_part_of_the_run(plain: Case) -> None:
    """A finished run is the same run whatever its index options are now."""
    plain.run("same", *indexed(1, 10**9))
    plain.run("same", *indexed(5, 0), "engine.index.bloom=true")
    RunFolder(plain.folder / "same").close()
    same_as_clean(plain, "same")
