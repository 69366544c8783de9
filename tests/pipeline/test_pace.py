"""Pace: what counts as acknowledged, whoever starts, restarts, leaves or never comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.pipeline.pace import Pace
from headrace.schemas.durable import replace_file
from headrace.schemas.pace import LAUNCH, Acknowledgement, Launch, rank_file


class Clock:
    """A clock that the test moves; every look is far enough from the last one to read the files again."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "pace").mkdir()
    return tmp_path


def launch(run: Path, name: str, world: int = 1) -> None:
    replace_file(run / LAUNCH, Launch(name, world).encode())


def acknowledge(run: Path, name: str, rank: int, shards: int, beat: int = 1, *, ended: bool = False) -> None:
    path = rank_file(run, name, rank)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, Acknowledgement(name, rank, shards, shards, beat, ended).encode())


def pace(run: Path, *, required: bool, ahead: int = 3, timeout: float = 1e9) -> Pace:
    return Pace(run, ahead, required=required, beat_timeout_s=timeout, clock=Clock())


def test_a_required_trainer_is_waited_for_before_it_has_even_started(run: Path) -> None:
    """Nothing is acknowledged without a launch: the pipeline may open `ahead` shards and no more."""
    p = pace(run, required=True)
    assert [p.may_open(written) for written in range(5)] == [True, True, True, False, False]


def test_a_rank_that_is_not_up_yet_counts_as_zero(run: Path) -> None:
    """`ack_gen`: a missing file is 0, so the fast rank alone releases nothing."""
    p = pace(run, required=True)
    launch(run, "a", world=2)
    acknowledge(run, "a", 0, 4)
    assert p.acknowledged(5) == 0
    acknowledge(run, "a", 1, 2)
    assert p.acknowledged(5) == 2


def test_files_of_an_older_launch_do_not_count(run: Path) -> None:
    """`ack_gen`: after a restart with fewer ranks, the file of a rank that left would hold the pipeline for ever."""
    p = pace(run, required=True)
    launch(run, "a", world=2)
    acknowledge(run, "a", 0, 3)
    acknowledge(run, "a", 1, 1)
    assert p.acknowledged(5) == 1
    launch(run, "b", world=1)
    acknowledge(run, "b", 0, 4)
    assert p.acknowledged(5) == 4


def test_the_acknowledged_count_never_falls(run: Path) -> None:
    """A trainer that goes back to its checkpoint reads old shards again; they were consumed once."""
    p = pace(run, required=True)
    launch(run, "a")
    acknowledge(run, "a", 0, 4)
    assert p.acknowledged(5) == 4
    launch(run, "b")
    acknowledge(run, "b", 0, 1)
    assert p.acknowledged(5) == 4


def test_without_a_trainer_everything_written_is_acknowledged(run: Path) -> None:
    """`trainer: none`: the pipeline runs on its own."""
    p = pace(run, required=False)
    assert all(p.may_open(written) for written in range(100))


def test_a_late_trainer_binds_the_shards_from_then_on(run: Path) -> None:
    """What was written before it came does not count against it."""
    p = pace(run, required=False)
    assert p.acknowledged(10) == 10
    launch(run, "late")
    assert p.may_open(10) and p.may_open(12) and not p.may_open(13)
    acknowledge(run, "late", 0, 11)
    assert p.may_open(13) and not p.may_open(14)


def test_an_optional_trainer_that_ends_is_unbound(run: Path) -> None:
    """`unbind`: it will never acknowledge again, and the pipeline goes on."""
    p = pace(run, required=False)
    p.acknowledged(2)
    launch(run, "t")
    assert p.may_open(2) and not p.may_open(5)
    acknowledge(run, "t", 0, 3, ended=True)
    p.acknowledged(5)
    assert p.may_open(50)


def test_an_optional_trainer_that_stops_beating_is_unbound(run: Path) -> None:
    """`unbind`: a killed trainer cannot say so; its beat stands still for the time-out."""
    p = pace(run, required=False, timeout=5.0)
    launch(run, "t")
    acknowledge(run, "t", 0, 0, beat=1)
    assert p.acknowledged(0) == 0 and not p.may_open(9)
    for beat in range(2, 12):  # slow, but alive
        acknowledge(run, "t", 0, 0, beat=beat)
        assert not p.may_open(9)
    assert not all(not p.may_open(9) for _ in range(8))
    assert p.may_open(99)


def test_a_required_trainer_is_waited_for_through_a_pause_of_hours(run: Path) -> None:
    """Silence never unbinds a required trainer; only the end of its process does."""
    p = pace(run, required=True, timeout=5.0)
    launch(run, "t")
    acknowledge(run, "t", 0, 1)
    assert not any(p.may_open(9) for _ in range(50))
    p.release()
    assert p.may_open(9)


def test_a_trainer_of_an_earlier_session_does_not_bind_this_one(run: Path) -> None:
    """A finished trainer's files lie in the run folder when the pipeline starts again."""
    launch(run, "old")
    acknowledge(run, "old", 0, 1)
    p = pace(run, required=False)
    assert p.may_open(50)
    launch(run, "new")
    assert p.acknowledged(50) == 50 and not p.may_open(60)
