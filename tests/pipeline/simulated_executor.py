"""An executor whose schedule is drawn from a seed: calls end in any order, workers and states die, objects are lost."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headrace.pipeline.executor import Call, HostDiedError, InlineExecutor, ObjectLostError
from headrace.pipeline.host import Done, HostSetup, Job
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext


@dataclass(slots=True)
class Faults:
    """How likely each thing is, per call, and how many of them may happen in all."""

    worker: float = 0.0
    state: float = 0.0
    lost: float = 0.0
    left: int = 10
    seen: list[str] = field(default_factory=list)


class SimulatedExecutor:
    """Runs everything in this process, but keeps results back and lies about deaths, as its seed says."""

    def __init__(self, seed: int, faults: Faults | None = None, workers: int = 3) -> None:
        self._random = random.Random(seed)
        self._faults = faults or Faults()
        self._inner = InlineExecutor()
        self._dead: set[int] = set()
        self.workers = workers

    def start_worker(self, setup: HostSetup, *, extra: bool = False) -> Any:
        return self._inner.start_worker(setup)

    def start_ordered(self, setup: HostSetup, context: RunContext, *, spool: bool) -> Any:
        return self._inner.start_ordered(setup, context, spool=spool)

    def run(self, worker: Any, job: Job, payload: Any) -> Call:
        call = self._inner.run(worker, job, payload)
        if self._happens(self._faults.worker, f"worker of unit {job.unit}"):
            call.done = HostDiedError("killed at random")
        elif payload is not None and self._happens(self._faults.lost, f"object of unit {job.unit}"):
            call.done = ObjectLostError("its node is gone")
        return call

    def order(self, host: Any, method: str, argument: Any) -> Call:
        if id(host) in self._dead:
            return Call(host, None, HostDiedError("dead for a while"), 0.0)
        call = self._inner.order(host, method, argument)
        if method in {"accept", "flush"} and self._happens(self._faults.state, f"state in {method}"):
            self._dead.add(id(host))
            call.done = HostDiedError("killed at random")
        return call

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """Give any of the calls, in any order, or none of them."""
        ready = [call for call in calls if self._random.random() < 0.4]
        self._random.shuffle(ready)
        return ready

    def result(self, call: Call) -> Done:
        return self._inner.result(call)

    def fetch(self, payload: Any) -> UnitBatch:
        batch: UnitBatch = payload
        return batch

    def store(self, batch: UnitBatch) -> Any:
        return batch

    def kill(self, host: Any) -> None:
        self._dead.discard(id(host))

    def close(self) -> None:
        pass

    def _happens(self, rate: float, what: str) -> bool:
        if self._faults.left <= 0 or self._random.random() >= rate:
            return False
        self._faults.left -= 1
        self._faults.seen.append(what)
        return True
