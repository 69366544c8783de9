"""How calls reach workers: one contract for the supervisor, and the executor that runs everything in this process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from headrace.pipeline.host import Done, HostSetup, Job, OrderedHost, Worker
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext


class HostDiedError(Exception):
    """The process that ran the call is gone; `cause` is a stable word for ledgers."""

    cause = "worker_died"


class OutOfMemoryError(HostDiedError):
    """The process was killed because its node ran out of memory."""

    cause = "out_of_memory"


class DeadlineError(HostDiedError):
    """The call took longer than its deadline, and its process was killed."""

    cause = "deadline"


class ObjectLostError(Exception):
    """The unit's data was lost with a node: read it again from the source, no strike."""


@dataclass(eq=False, slots=True)
class Call:
    """A call under way: `payload` stands for the unit's batch, which stays where it is, `done` for its report."""

    host: Any
    payload: Any
    done: Any
    started: float
    argument: Any = None


class Executor(Protocol):
    """What the supervisor needs: processes, calls, and honest errors when one of them dies."""

    def start_worker(self, setup: HostSetup, *, extra: bool = False) -> Any:
        """Start a stateless worker; an `extra` one needs no free CPU, the others idle while it works."""
        ...

    def start_ordered(self, setup: HostSetup, context: RunContext, *, spool: bool) -> Any:
        """Start the process that holds an ordered stage's state."""
        ...

    def run(self, worker: Any, job: Job, payload: Any) -> Call:
        """Start a job on a worker."""
        ...

    def order(self, host: Any, method: str, argument: Any) -> Call:
        """Start `accept`, `flush` or `finish` on an ordered host."""
        ...

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """Give the calls that have ended; waits for the first of them at most `timeout_s`."""
        ...

    def result(self, call: Call) -> Done:
        """Give the report of an ended call; raises HostDiedError, ObjectLostError, or the stage's own error."""
        ...

    def fetch(self, payload: Any) -> UnitBatch:
        """Bring a unit's batch into this process; only for units that kill their workers."""
        ...

    def store(self, batch: UnitBatch) -> Any:
        """Make a payload of a batch."""
        ...

    def kill(self, host: Any) -> None:
        """End a process at once."""
        ...

    def close(self) -> None:
        """End every process that was started."""
        ...


class InlineExecutor:
    """Runs every call at once in this process: for debugging and small inputs, without deadline or crash protection."""

    def start_worker(self, setup: HostSetup, *, extra: bool = False) -> Worker:
        """Make the worker object."""
        return Worker(setup)

    def start_ordered(self, setup: HostSetup, context: RunContext, *, spool: bool) -> OrderedHost:
        """Make the state object."""
        return OrderedHost(setup, context, spool=spool)

    def run(self, worker: Worker, job: Job, payload: Any) -> Call:
        """Run the job now; an exception is kept for `result`."""
        return _now(worker, worker.run, job, payload)

    def order(self, host: OrderedHost, method: str, argument: Any) -> Call:
        """Run the method now."""
        arguments = () if method == "finish" else (argument,)
        return _now(host, getattr(host, method), *arguments)

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """Give the first call: all have ended, and one at a time keeps the order of work steady."""
        if not calls:
            time.sleep(timeout_s)
        return list(calls[:1])

    def result(self, call: Call) -> Done:
        """Give the report, or raise what the call raised."""
        if isinstance(call.done, Exception):
            raise call.done
        done: Done = call.done
        return done

    def fetch(self, payload: UnitBatch) -> UnitBatch:
        """Give the batch itself."""
        return payload

    def store(self, batch: UnitBatch) -> UnitBatch:
        """Give the batch itself."""
        return batch

    def kill(self, host: Any) -> None:
        """No process ends; the state of an ordered stage lets go of its files."""
        if isinstance(host, OrderedHost):
            host.close()

    def close(self) -> None:
        """Nothing to end."""


def _now(host: Any, function: Any, *arguments: Any) -> Call:
    start = time.monotonic()
    try:
        payload, done = function(*arguments)
    except Exception as error:  # noqa: BLE001  # result() raises it again
        return Call(host, None, error, start)
    return Call(host, payload, done, start)
