"""The training loop, in order, on one page."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from headrace.schemas.training import TrainingConfig
from headrace.trainer.pace_client import PaceClient
from headrace.trainer.session import Session, alone, open_session
from headrace.trainer.stop import Stop, StoppedError

_LOG = logging.getLogger(__name__)


def train(run: Path, training: TrainingConfig, *, stop: Stop, rank: int = 0, world: int = 1) -> bool:
    """Train on a run that may still grow, from the newest checkpoint on.

    Gives True when the configured steps or epochs are done, False when it was stopped before; both leave a checkpoint.
    """
    try:
        pace = PaceClient(run, launch=stop.launch, rank=rank, beat_s=training.trainer.beat_s)
        with pace, alone(run, stop):
            return _steps(open_session(run, training, stop, rank=rank, world=world), pace, stop)
    except StoppedError as reason:  # before the first step
        _LOG.info("stopped: %s", reason)
        return False


def _steps(session: Session, pace: PaceClient, stop: Stop) -> bool:
    learner, dataset, config = session.learner, session.dataset, session.config
    try:
        while True:
            pace.report(shards=dataset.acknowledged_shards(), step=learner.step)
            stop.check()

            began = time.perf_counter()
            batch = session.next_batch()
            if batch is None:
                break
            ready = time.perf_counter()
            learned = learner.learn(batch)
            done = time.perf_counter()

            times = {"wait_s": ready - began, "seconds": done - began}
            session.metrics.write(learner.step, batch.epoch, learned, **times, tombstones=batch.tombstones)
            if learner.step % config.checkpoint_every == 0:
                session.save()
            time.sleep(config.pause_s)
    except StoppedError as reason:
        session.save()
        _LOG.info("stopped after step %d: %s", learner.step, reason)
        return False
    session.save()
    pace.end()
    _LOG.info("ended after step %d, epoch %d", learner.step, dataset.epoch)
    return True
