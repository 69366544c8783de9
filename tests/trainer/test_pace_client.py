from __future__ import annotations

import time
from pathlib import Path

import pytest

from headrace.schemas.pace import Acknowledgement, rank_file, read_acknowledgement
from headrace.trainer.pace_client import PaceClient


def _client(run: Path, launch: str = "first", beat_s: float = 60.0) -> PaceClient:
    return PaceClient(run, launch=launch, rank=0, beat_s=beat_s)


def _read(run: Path, launch: str = "first") -> Acknowledgement:
    found = read_acknowledgement(rank_file(run, launch, 0))
    assert found is not None
    return found


def _until(condition: object, run: Path) -> Acknowledgement:
    assert callable(condition)
    for _ in range(3000):
        if condition(_read(run)):
            return _read(run)
        time.sleep(0.01)
    pytest.fail("it was never acknowledged")


def test_a_rank_that_has_started_counts_as_zero_shards(tmp_path: Path) -> None:
    """Entering writes the file, so that the launch has all its ranks before the first step."""
    with _client(tmp_path):
        assert (_read(tmp_path).shards, _read(tmp_path).ended) == (0, False)


def test_a_report_is_in_the_file_soon_after(tmp_path: Path) -> None:
    """The acknowledgement follows without waiting for the beat."""
    with _client(tmp_path) as pace:
        pace.report(shards=3, step=7)
        assert _until(lambda a: a.shards == 3, tmp_path).step == 7


def test_the_beat_goes_on_while_a_step_takes_long(tmp_path: Path) -> None:
    """The thread writes again and again without any report."""
    with _client(tmp_path, beat_s=0.01):
        first = _read(tmp_path).beat
        _until(lambda a: a.beat > first + 2, tmp_path)


def test_acknowledged_never_falls_within_a_launch(tmp_path: Path) -> None:
    """A smaller count than before does not take an acknowledgement back."""
    with _client(tmp_path) as pace:
        pace.report(shards=5, step=1)
        pace.report(shards=2, step=2)
    assert (_read(tmp_path).shards, _read(tmp_path).step) == (5, 2)


def test_only_the_end_of_training_is_an_end(tmp_path: Path) -> None:
    """Leaving says `ended` after `end`, and not when the trainer merely stops."""
    with _client(tmp_path) as pace:
        pace.report(shards=1, step=1)
    assert not _read(tmp_path).ended
    with _client(tmp_path, launch="second") as pace:
        pace.end()
    assert _read(tmp_path, "second").ended


def test_launches_do_not_share_files(tmp_path: Path) -> None:
    """What an older launch writes cannot be taken for the newer one's."""
    with _client(tmp_path) as old:
        old.report(shards=9, step=9)
        with _client(tmp_path, launch="second"):
            assert _read(tmp_path, "second").shards == 0


def _report_without_folder(pace: PaceClient, folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    for _ in range(1000):
        pace.report(shards=1, step=1)
        time.sleep(0.01)


def test_a_lost_run_folder_stops_training(tmp_path: Path) -> None:
    """A file that cannot be written is an error of the next report, not a silent death of the beat."""
    run = tmp_path / "run"
    with pytest.raises(OSError, match="rank-00000"), _client(run, beat_s=0.01) as pace:
        _report_without_folder(pace, rank_file(run, "first", 0).parent)
