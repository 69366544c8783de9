from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from tests.loader.token_runs import make_run
from tests.trainer.conftest import SHARDS, curve, metrics, run_training, same, training, weights

from headrace.loader.launch import announce
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.pace import Acknowledgement, rank_file, read_acknowledgement, read_launch
from headrace.trainer.stop import Stop


def acknowledgement(run: Path) -> Acknowledgement:
    launch = read_launch(run)
    assert launch is not None
    found = read_acknowledgement(rank_file(run, launch.launch, 0))
    assert found is not None
    return found


class StopAfter(Stop):
    """Stops before the n-th step."""

    def __init__(self, run: Path, steps: int) -> None:
        super().__init__(run, announce(run, 1).launch, None)
        self.left = steps

    def check(self, _: object = None) -> None:
        if self.left == 0:
            self._reason = "enough"
        self.left -= 1
        super().check()


def test_ten_steps_are_five_and_five(run: Path, tmp_path: Path) -> None:
    """Training, stopping and going on gives the same losses and weights bit by bit, over an epoch's end too."""
    other = tmp_path / "other"
    make_run(other, SHARDS)
    assert run_training(run, training(steps=14))
    for steps in (5, 6, 14):
        assert run_training(other, training(steps=steps))
    assert len(curve(run)) == 14
    assert curve(run) == curve(other)
    assert same(weights(run), weights(other))


def test_a_stop_saves_and_does_not_end(run: Path, tmp_path: Path) -> None:
    """Stopping between two steps loses none, and tells the pipeline that training will go on."""
    assert not run_training(run, training(steps=10), StopAfter(run, 4))
    assert len(metrics(run)) == 4
    assert not acknowledgement(run).ended
    assert run_training(run, training(steps=10))
    assert acknowledgement(run).ended
    other = tmp_path / "other"
    make_run(other, SHARDS)
    run_training(other, training(steps=10))
    assert curve(run) == curve(other)


def test_the_same_run_and_configuration_give_the_same_curve(run: Path, tmp_path: Path) -> None:
    """Twice, from Arrow and from LMDB, and whatever the checkpoints: the same bits."""
    curves = [curve(run) for _ in [run_training(run, training(steps=8))]]
    for format_ in ("arrow", "lmdb"):
        other = tmp_path / format_
        make_run(other, SHARDS, format=format_)
        run_training(other, training(steps=8, checkpoint_every=3))
        curves.append(curve(other))
    assert curves[0] == curves[1] == curves[2]


def test_loss_falls(run: Path) -> None:
    """Sequences that count upwards are learned within a few epochs."""
    run_training(run, training(steps=60, optimizer={"decay_steps": 60, "lr": 0.02}))
    losses = [line["loss"] for line in metrics(run)]
    assert losses[0] > 3.5
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("mask", [True, False])
def test_micro_batches_add_up_to_the_batch(run: Path, tmp_path: Path, mask: bool) -> None:  # noqa: FBT001
    """Accumulated gradients give the losses of the whole batch, up to rounding."""
    runs: dict[int | None, Path] = {None: run}
    for small in (1, 3):
        runs[small] = tmp_path / str(small)
        make_run(runs[small], SHARDS)
    for rows, folder in runs.items():
        run_training(folder, training(steps=8, micro_batch=rows, model={"document_mask": mask}))
    for other in (runs[1], runs[3]):
        for a, b in zip(curve(run), curve(other), strict=True):
            assert a == pytest.approx(b, rel=1e-3)


def test_epochs_end_training(run: Path) -> None:
    """Two passes over 40 sequences are 20 steps; everything is acknowledged."""
    assert run_training(run, training(epochs=2))
    assert [line["epoch"] for line in metrics(run)] == [0] * 10 + [1] * 10
    assert acknowledgement(run).shards == len(SHARDS)


def test_training_that_has_ended_ends_at_once(run: Path) -> None:
    """Starting again after the end takes no step and says again that it has ended."""
    run_training(run, training(epochs=1))
    before = curve(run), weights(run)
    assert run_training(run, training(epochs=1))
    assert curve(run) == before[0]
    assert same(weights(run), before[1])
    assert acknowledgement(run).ended


def test_it_trains_while_the_run_grows(tmp_path: Path, run: Path) -> None:
    """Shards that appear one by one give the curve of the finished run, and waiting is counted."""
    growing = make_run(tmp_path / "growing", [], end=False)
    feeder = threading.Thread(target=_feed, args=(growing,))
    feeder.start()
    assert run_training(growing.folder, training(epochs=1))
    feeder.join()
    run_training(run, training(epochs=1))
    assert curve(growing.folder) == curve(run)
    assert max(line["data_wait_share"] for line in metrics(growing.folder)) > 0.5


def _feed(growing: Any) -> None:
    for count in SHARDS:
        threading.Event().wait(0.15)
        growing.add(count)
    growing.end()


def test_a_checkpoint_of_another_configuration_is_refused(run: Path) -> None:
    """Going on with another learning rate would be another training."""
    run_training(run, training(steps=2))
    with pytest.raises(ConfigError, match=r"optimizer\.lr was 0\.01 and is 0\.5"):
        run_training(run, training(steps=4, optimizer={"lr": 0.5}))
    with pytest.raises(ConfigError, match=r"loader\.seed was 0 and is 3"):
        run_training(run, training({"seed": 3}, steps=4))


def test_a_checkpoint_of_another_run_is_refused(run: Path, tmp_path: Path) -> None:
    """Weights from one run's samples do not continue on another's."""
    run_training(run, training(steps=2))
    other = tmp_path / "other"
    make_run(other, [8, 8, 8])
    (run / "trainer").rename(other / "trainer")
    with pytest.raises(HeadraceError, match="another run"):
        run_training(other, training(steps=4))


def test_a_gradient_that_is_not_finite_ends_training(run: Path) -> None:
    """Nothing is saved from a broken step."""
    with pytest.raises(HeadraceError, match=r"no finite gradient.*Lower trainer\.optimizer\.lr"):
        run_training(run, training(steps=20, optimizer={"lr": 1e30, "warmup_steps": 0, "clip": 0}))
    assert not list((run / "trainer" / "checkpoints").glob("*.pt"))


def test_bfloat16_trains_too(run: Path) -> None:
    """Matrix products in bfloat16, on the CPU as well, learn the same task."""
    run_training(run, training(steps=12, dtype="bfloat16"))
    losses = [line["loss"] for line in metrics(run)]
    assert losses[-1] < losses[0]


def test_acknowledgements_follow_the_steps(run: Path) -> None:
    """After the first epoch's sixth step the first window of two shards is behind."""
    run_training(run, training(steps=6))
    assert (acknowledgement(run).step, acknowledgement(run).shards) == (6, 2)
