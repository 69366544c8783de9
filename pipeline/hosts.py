"""The processes of a chain: stateless workers that are interchangeable, and one host per ordered stage."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from headrace.pipeline.events import EventLog
from headrace.pipeline.executor import Call, Executor, HostDiedError
from headrace.pipeline.host import HostSetup
from headrace.schemas.errors import HeadraceError
from headrace.stages.base import RunContext

_START_DEADLINE_S = 180.0
_FAILED_STARTS = 5
_CLOSE_S = 60.0  # a block of a merge is written, and files are closed


class Hosts:
    """Keeps the wanted number of workers alive; a worker is idle only once it has said that it is ready."""

    def __init__(self, executor: Executor, setup: HostSetup, log: EventLog) -> None:
        self._executor, self._setup, self._log = executor, setup, log
        self.idle: list[Any] = []
        self.ordered: dict[int, Any] = {}
        self._all: list[Any] = []
        self._starting: list[Call] = []
        self._last_of_lane: dict[int, Any] = {}
        self._failed = 0
        self._first_by: float | None = time.monotonic() + _START_DEADLINE_S  # None once a worker was ready

    def start_worker(self) -> None:
        """Start one more worker; it turns up in `idle` when it is ready."""
        worker = self._executor.start_worker(self._setup)
        self._all.append(worker)
        self._starting.append(self._executor.order(worker, "ready", None))

    def start_ordered(self, number: int, context: RunContext, *, spool: bool) -> None:
        """Start the state of ordered group `number`, and wait until it stands."""
        host = self._executor.start_ordered(self._setup, context, spool=spool)
        self._all.append(host)
        self.ordered[number] = host
        pid = self._wait_ready(self._executor.order(host, "ready", None))
        self._log.emit("host", role=f"{context.stage} spool" if spool else context.stage, pid=pid)

    def poll(self) -> None:
        """Move workers that have come up to the idle ones; start another for one that died on the way."""
        for call in self._executor.wait(self._starting, 0) if self._starting else []:
            self._starting.remove(call)
            try:
                pid = self._executor.result(call).report
            except HostDiedError as error:
                self._start_failed(error)
            else:
                self._failed, self._first_by = 0, None
                self.idle.append(call.host)
                self._log.emit("host", role="worker", pid=pid)
        if self._first_by is not None and time.monotonic() > self._first_by:
            raise _no_start()

    def _start_failed(self, error: HostDiedError) -> None:
        self._failed += 1
        if self._failed >= _FAILED_STARTS:
            remedy = "see the full cause with --executor inline"
            raise HeadraceError("workers die before they are ready", why=str(error), remedy=remedy) from error
        self.start_worker()

    def _wait_ready(self, call: Call) -> int:
        """Wait for a host that nothing can go on without: it needs no CPU, and a large index takes minutes to check."""
        while not self._executor.wait([call], 1.0):
            pass
        return int(self._executor.result(call).report)

    def take(self, lane: int | None) -> Any:
        """Give an idle worker; for reading, rather the one that has the lane's stream open."""
        worker = self._last_of_lane.get(lane) if lane is not None else None
        if worker is None or not any(worker is idle for idle in self.idle):
            worker = self.idle[0]
        self.idle = [idle for idle in self.idle if idle is not worker]
        if lane is not None:
            self._last_of_lane[lane] = worker
        return worker

    def give_back(self, worker: Any) -> None:
        """A worker has ended its job."""
        self.idle.append(worker)

    def replace(self, worker: Any) -> None:
        """A worker died, or is to be ended: start another."""
        self.end([worker])
        self.start_worker()

    def end(self, hosts: Iterable[Any]) -> None:
        """End some processes."""
        for host in list(hosts):
            self._all = [other for other in self._all if other is not host]
            self._last_of_lane = {lane: w for lane, w in self._last_of_lane.items() if w is not host}
            self._executor.kill(host)

    def close_ordered(self) -> None:
        """Let the states end what they write in the background: after that the folder of the run can be swept.

        One that takes too long is ended as it is.
        """
        calls = [self._executor.order(host, "close", None) for host in self.ordered.values()]
        end = time.monotonic() + _CLOSE_S
        while calls and time.monotonic() < end:
            for call in self._executor.wait(calls, 1.0):
                calls.remove(call)
                with suppress(HostDiedError):
                    self._executor.result(call)

    def end_all(self) -> None:
        """End every process of this chain."""
        self.end(self._all)


def _no_start() -> HeadraceError:
    why = f"none came up within {_START_DEADLINE_S:.0f} s"
    return HeadraceError("the workers do not start", why=why, remedy="is the cluster out of CPUs? lower engine.workers")
