"""What one start of a trainer works with, brought to where training goes on."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headrace.loader.batch import Batch
from headrace.loader.stream import ShardedDataset
from headrace.schemas.errors import HeadraceError
from headrace.schemas.training import TRAINER_FOLDER, TrainerConfig, TrainingConfig
from headrace.trainer.checkpoint import Checkpoints, binding
from headrace.trainer.device import choose_device
from headrace.trainer.learner import Learner
from headrace.trainer.metrics import Metrics, flops_per_token
from headrace.trainer.stop import Stop

_LOG = logging.getLogger(__name__)
_LOCK_S = 60.0  # an older trainer sees the newer launch within a step, and saves


@dataclass
class Session:
    """One rank's training, resumed from its newest checkpoint if there is one."""

    config: TrainerConfig
    dataset: ShardedDataset
    learner: Learner
    checkpoints: Checkpoints
    metrics: Metrics
    saved: int = -1  # step of the newest checkpoint

    def next_batch(self) -> Batch | None:
        """Give the next batch, of this epoch or the next, or None when the configured steps or epochs are done."""
        if self.learner.step == self.config.steps:
            return None
        while self.config.epochs is None or self.dataset.epoch < self.config.epochs:
            if (batch := self.dataset.next_batch()) is not None:
                return batch
        return None

    def save(self) -> None:
        """Save the last whole step, unless it is saved."""
        if self.saved != self.learner.step:
            state = {**self.learner.state_dict(), "loader": self.dataset.state_dict()}
            self.checkpoints.save(self.learner.step, state)
            self.saved = self.learner.step

    def resume(self) -> None:
        """Go on from the newest checkpoint."""
        if state := self.checkpoints.newest():
            self.learner.load_state_dict(state)
            self.dataset.load_state_dict(state["loader"])
            self.saved = self.learner.step
            _LOG.info("resumed at step %d, epoch %d", self.learner.step, self.dataset.epoch)
        self.metrics.resume(self.learner.step)


def open_session(run: Path, training: TrainingConfig, stop: Stop, *, rank: int, world: int) -> Session:
    """Build everything and resume; waits for the run's first shard."""
    config, folder = training.trainer, run / TRAINER_FOLDER
    device = choose_device(config)
    dataset = ShardedDataset(run, training.loader, rank=rank, world=world, on_wait=stop.check)
    layout = dataset.layout()
    learner = Learner(config, layout, device)
    checkpoints = Checkpoints(folder / "checkpoints", binding(training, layout), keep=config.keep_checkpoints)
    flops = flops_per_token(config.model, layout)
    metrics = Metrics(folder / "metrics.jsonl", flops=flops, device=device, steps=config.steps)
    session = Session(config, dataset, learner, checkpoints, metrics)
    session.resume()
    return session


@contextlib.contextmanager
def alone(run: Path, stop: Stop) -> Iterator[None]:
    """Hold the run's trainer folder; waits for an older trainer, which leaves when it sees the newer launch."""
    folder = run / TRAINER_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + _LOCK_S
    with (folder / "lock").open("w") as lock:
        while not _locked(lock.fileno()):
            stop.check()
            if time.monotonic() > deadline:
                remedy = "end that process, or wait until it has ended"
                raise HeadraceError("another trainer is at work on this run", where=str(folder), remedy=remedy)
            time.sleep(0.1)
        yield


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
