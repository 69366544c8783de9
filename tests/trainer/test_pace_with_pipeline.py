"""Both sides of pace together: what the trainer writes is what the pipeline goes by."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.loader.launch import announce
from headrace.pipeline.pace import Pace
from headrace.schemas.durable import replace_file
from headrace.schemas.pace import Acknowledgement, rank_file
from headrace.trainer.pace_client import PaceClient


class Clock:
    """A clock that moves by itself, so that every look reads the files, and that a test can set forward."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def pace(run: Path, *, required: bool) -> Pace:
    return Pace(run, 3, required=required, beat_timeout_s=100.0, clock=Clock())


def client(run: Path) -> PaceClient:
    return PaceClient(run, launch=announce(run, 1).launch, rank=0, beat_s=60.0)


def leave(trainer: PaceClient, shards: int, *, ended: bool) -> None:
    """Train so many shards and leave, at the end of training or before."""
    with trainer:
        trainer.report(shards=shards, step=shards)
        if ended:
            trainer.end()


@pytest.mark.parametrize("ended", [True, False])
def test_a_required_trainer_binds_until_the_pipeline_releases_it(tmp_path: Path, ended: bool) -> None:  # noqa: FBT001
    """What a start of the trainer acknowledged stays, and nothing more is acknowledged while it is away."""
    p = pace(tmp_path, required=True)
    leave(client(tmp_path), 2, ended=ended)
    assert (p.acknowledged(5), p.may_open(4), p.may_open(5)) == (2, True, False)
    with client(tmp_path):
        assert p.acknowledged(5) == 2
    p.release()
    assert p.may_open(100)


def test_a_rank_of_an_older_launch_holds_nobody_back(tmp_path: Path) -> None:
    """A launch of two of which one never came is replaced by a launch of one."""
    p = pace(tmp_path, required=True)
    old = announce(tmp_path, 2).launch
    replace_file(rank_file(tmp_path, old, 1), Acknowledgement(old, 1, 5, 9, 1).encode())
    assert p.acknowledged(5) == 0
    leave(client(tmp_path), 4, ended=False)
    assert p.acknowledged(5) == 4


def test_a_late_trainer_binds_and_its_end_unbinds(tmp_path: Path) -> None:
    """With mode none the pipeline is free, then bound from the shards of the attachment on, then free again."""
    p = pace(tmp_path, required=False)
    assert p.acknowledged(5) == 5
    trainer = client(tmp_path)
    with trainer:
        assert (p.acknowledged(7), p.may_open(7)) == (7, True)
        assert (p.acknowledged(10), p.may_open(10)) == (7, False)
        trainer.end()
    assert p.may_open(10)


def test_a_late_trainer_that_stops_beating_is_unbound(tmp_path: Path) -> None:
    """A stop that is no end holds the pipeline only until the silence is long enough."""
    clock = Clock()
    p = Pace(tmp_path, 3, required=False, beat_timeout_s=100.0, clock=clock)
    p.acknowledged(5)
    trainer = client(tmp_path)
    with trainer:
        p.acknowledged(5)
    assert not p.may_open(8)
    clock.now += 200.0
    assert p.may_open(8)
