"""Executors that are inline but mortal: documents that kill, hosts that die, actors that outlive their driver."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headrace.pipeline.executor import Call, HostDiedError, InlineExecutor, ObjectLostError
from headrace.pipeline.host import Done, HostSetup, Job
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext

Deadly = Callable[[Job, set[str]], bool]


class DriverKilled(BaseException):  # no error of the code under test: nothing may catch it
    """The driver's process ends here, as by SIGKILL."""


def killed(*_: object) -> None:
    """Stand in for `os.kill`: the process of the driver ends here."""
    raise DriverKilled


def doc_ids(payload: Any) -> set[str]:
    """Give the documents that a job may have looked at."""
    if not isinstance(payload, UnitBatch):
        return set()
    tables = [payload.documents, *payload.settled]
    return {str(doc_id) for table in tables for doc_id in table["doc_id"].to_pylist()}


class MortalExecutor(InlineExecutor):
    """Inline, but a worker dies where a tripwire trips, and where `deadly` says so of a job and its documents."""

    def __init__(self, deadly: Deadly = lambda job, documents: False) -> None:
        self._deadly = deadly
        self.jobs: list[Job] = []

    def run(self, worker: Any, job: Job, payload: Any) -> Call:
        self.jobs.append(job)
        try:
            call = super().run(worker, job, payload)
        except SystemExit:
            return died(worker)
        if self._deadly(job, doc_ids(payload) | doc_ids(call.payload)):
            return died(worker)
        return call


def died(host: Any) -> Call:
    """Give a call whose process is gone."""
    return Call(host, None, HostDiedError("the worker died"), time.monotonic())


def kills_at(stage: str, *documents: str) -> Deadly:
    """Every job in which a stage sees one of the documents dies."""

    def deadly(job: Job, seen: set[str]) -> bool:
        return stage in job.stages and bool(seen & {*documents})

    return deadly


class RandomKills:
    """The first `left` jobs in which a stage sees a document die, whatever the document does."""

    def __init__(self, stage: str, document: str, left: int) -> None:
        self._at, self.left = kills_at(stage, document), left

    def __call__(self, job: Job, seen: set[str]) -> bool:
        if not self.left or not self._at(job, seen):
            return False
        self.left -= 1
        return True


@dataclass(slots=True)
class Rates:
    """How likely each fault is per call, and how many there may be in all."""

    worker: float = 0.0
    state: float = 0.0  # an ordered state dies, before or after it has done what was asked
    start: float = 0.0  # a host dies before it is ready
    lost: float = 0.0  # a payload is lost before or after the call
    left: int = 8
    rollbacks_left: int = 3  # more of them without a commit in between end the run, as they should
    seen: list[str] = field(default_factory=list)


class HarshExecutor(MortalExecutor):
    """Calls end in any order, and every process and every object may be lost at any call, as the seed says."""

    def __init__(self, seed: int, rates: Rates, deadly: Deadly = lambda job, documents: False) -> None:
        super().__init__(deadly)
        self._random, self._rates = random.Random(seed), rates
        self._dead: list[Any] = []

    def run(self, worker: Any, job: Job, payload: Any) -> Call:
        if payload is not None and self._strikes(self._rates.lost, f"payload of unit {job.unit}"):
            return lost(worker)
        call = super().run(worker, job, payload)
        if self._strikes(self._rates.worker, f"worker of unit {job.unit}"):
            return died(worker)
        return call

    def order(self, host: Any, method: str, argument: Any) -> Call:
        if any(dead is host for dead in self._dead):
            return died(host)
        if method == "ready":
            return died(host) if self._rolls_back(self._rates.start, "start") else super().order(host, method, argument)
        if method == "accept" and self._strikes(self._rates.lost, f"payload of {method}"):
            return lost(host)
        return self._asked(host, method, argument)

    def _asked(self, host: Any, method: str, argument: Any) -> Call:
        if not self._rolls_back(self._rates.state, f"state in {method}"):
            return super().order(host, method, argument)
        self._dead.append(host)
        if self._random.random() < 0.5:
            super().order(host, method, argument)
        return died(host)

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        ready = [call for call in calls if self._random.random() < 0.4]
        self._random.shuffle(ready)
        return ready

    def _rolls_back(self, rate: float, what: str) -> bool:
        if self._rates.rollbacks_left <= 0 or not self._strikes(rate, what):
            return False
        self._rates.rollbacks_left -= 1
        return True

    def _strikes(self, rate: float, what: str) -> bool:
        if self._rates.left <= 0 or self._random.random() >= rate:
            return False
        self._rates.left -= 1
        self._rates.seen.append(what)
        return True


def lost(host: Any) -> Call:
    """Give a call whose data is gone."""
    return Call(host, None, ObjectLostError("its node is gone"), time.monotonic())


@dataclass
class LateCall:
    """What an ordered host was asked to do and has not done yet."""

    host: Any
    method: str
    argument: Any


class LingeringExecutor(MortalExecutor):
    """Ordered hosts work when their result is looked for; after a crash, what they were asked for may still happen.

    `crash_at` kills the driver at that look. `zombies` are the calls that a dead driver left behind: they are carried
    out between the calls of this session.
    """

    def __init__(self, seed: int, crash_at: int | None = None, zombies: Sequence[LateCall] = ()) -> None:
        super().__init__()
        self._random, self._looks_left = random.Random(seed), crash_at
        self._zombies = list(zombies)
        self._late: dict[Call, LateCall] = {}

    def order(self, host: Any, method: str, argument: Any) -> Call:
        if method == "ready":
            return super().order(host, method, argument)
        call = Call(host, None, None, time.monotonic())
        self._late[call] = LateCall(host, method, argument)
        return call

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        self._count_down()
        if self._zombies and self._random.random() < 0.2:
            carry_out(self._zombies.pop(0))
        ready = [call for call in calls if self._random.random() < 0.4]
        for call in ready:
            if late := self._late.pop(call, None):
                done = super().order(late.host, late.method, late.argument)
                call.payload, call.done = done.payload, done.done
        return ready

    def left_behind(self) -> list[LateCall]:
        """Give what hosts were asked for and have not done, oldest first."""
        return [*self._zombies, *self._late.values()]

    def _count_down(self) -> None:
        if self._looks_left is None:
            return
        self._looks_left -= 1
        if self._looks_left < 0:
            raise DriverKilled


def carry_out(zombie: LateCall) -> Done | Exception:
    """Let an actor of a dead driver do what it was asked for; what it makes of it is its own affair."""
    arguments = () if zombie.method == "finish" else (zombie.argument,)
    try:
        done: Done = getattr(zombie.host, zombie.method)(*arguments)[1]
    except Exception as error:  # noqa: BLE001  # nobody listens to it any more
        return error
    return done


class StateDies(MortalExecutor):
    """The state of one ordered stage dies at every unit from `unit` on, `times` times."""

    def __init__(self, stage: str, unit: int, times: int = 1 << 30) -> None:
        super().__init__()
        self._stage, self._unit, self.times = stage, unit, times
        self._hosts: list[Any] = []

    def start_ordered(self, setup: HostSetup, context: RunContext, *, spool: bool) -> Any:
        host = super().start_ordered(setup, context, spool=spool)
        if context.stage == self._stage:
            self._hosts.append(host)
        return host

    def order(self, host: Any, method: str, argument: Any) -> Call:
        mine = any(host is other for other in self._hosts)
        if mine and self.times and method == "accept" and argument.unit >= self._unit:
            self.times -= 1
            return died(host)
        return super().order(host, method, argument)
