"""The executor on Ray: an embedded or a joined cluster, actors, and Ray's errors in our words."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

# Before ray is imported: without it, ray.init writes a token file into the home folder and changes how clusters start.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # a failed call is seen by its report, not by its payload

import ray
from ray import exceptions
from ray._private import worker as ray_worker
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from headrace.pipeline.executor import Call, HostDiedError, ObjectLostError, OutOfMemoryError
from headrace.pipeline.host import Done, HostSetup, Job, OrderedHost, Worker
from headrace.pipeline.ray_partitions import RayPartitions
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext

_FOLDER = "headrace-ray-"
_SOCKET = "session_2000-01-01_00-00-00_000000_4194304/sockets/plasma_store"  # the longest of Ray's paths to sockets
_SOCKET_BYTES = 103  # macOS takes no more, Linux 107
_LOST = (
    exceptions.ObjectLostError,
    exceptions.OwnerDiedError,
    exceptions.ObjectFetchTimedOutError,
    exceptions.ReferenceCountingAssertionError,
)


def _say_nothing(data: Any, ignore_prefix: bool = False) -> None:  # noqa: FBT001, FBT002  # Ray's signature
    """Take the place of Ray's printer: deaths of workers are our events, and stdout is for data."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """References to a unit and to verdicts on it; they are joined in the process that needs the unit next."""

    unit: Any
    sieve: Any


def _references(payload: Any) -> tuple[Any, ...]:
    return (payload.unit, payload.sieve) if isinstance(payload, Sifted) else (payload,)


class RayExecutor:
    """Workers and ordered states as Ray actors. Joins the job's cluster when there is one, else starts a local one."""

    def __init__(self, workers: int | None, object_store_bytes: int | None, *, dashboard: bool) -> None:
        self._own = False
        self._folder: str | None = None
        ray_worker.print_to_stdstream = _say_nothing  # ray 2.60 prints every worker's death to stdout
        if not ray.is_initialized():
            self._connect(workers, object_store_bytes, dashboard=dashboard)
        self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._worker = ray.remote(Worker)
        self._ordered = ray.remote(OrderedHost)
        self._actors: list[Any] = []

    def _connect(self, workers: int | None, object_store_bytes: int | None, *, dashboard: bool) -> None:
        common: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        self._own = True
        if "RAY_JOB_CONFIG_JSON_ENV_VAR" in os.environ or os.environ.get("RAY_ADDRESS"):
            _join(common)
            return
        self._folder = new_folder()
        try:
            ray.init(
                address="local",
                num_cpus=max(os.cpu_count() or 1, workers or 1),
                object_store_memory=object_store_bytes,
                include_dashboard=dashboard,
                _temp_dir=self._folder,
                **common,
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def folder(self) -> str | None:
        """Ray's own folder of an embedded cluster; a killed driver leaves it behind."""
        return self._folder

    def start_worker(self, setup: HostSetup, *, extra: bool = False) -> Any:
        """Start a worker; spread over the nodes by its one CPU."""
        options: dict[str, Any] = {"num_cpus": 0 if extra else 1, "scheduling_strategy": "SPREAD"}
        actor = self._worker.options(**options, max_restarts=0, max_task_retries=0).remote(setup)
        self._actors.append(actor)
        return actor

    def start_ordered(self, setup: HostSetup, context: RunContext, *, spool: bool) -> Any:
        """Start an ordered state on the driver's node: an un-pinned one may land, and die, with any other node."""
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        options = {"num_cpus": 0, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": here}
        context = replace(context, partitions=RayPartitions)
        actor = self._ordered.options(**options).remote(setup, context, spool=spool)
        self._actors.append(actor)
        return actor

    def run(self, worker: Any, job: Job, payload: Any) -> Call:
        """Start a job; the batch stays in the object store, the report comes back."""
        out, done = worker.run.options(num_returns=2).remote(job, *_references(payload))
        return Call(worker, out, done, time.monotonic())

    def order(self, host: Any, method: str, argument: Any) -> Call:
        """Start a method of an ordered host; `accept` leaves the unit in the store where verdicts alone will do."""
        if method == "accept" and not isinstance(argument, Sifted):
            method = "sift"
        arguments = () if method == "finish" else _references(argument)
        out, done = getattr(host, method).options(num_returns=2).remote(*arguments)
        return Call(host, out, done, time.monotonic(), argument)

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """Give the calls that have ended."""
        if not calls:
            time.sleep(timeout_s)
            return []
        by_reference = {call.done: call for call in calls}
        ready, _ = ray.wait(list(by_reference), num_returns=1, timeout=timeout_s)
        if ready:
            more, _ = ray.wait(list(by_reference), num_returns=len(by_reference), timeout=0)
            ready = more or ready
        return [by_reference[reference] for reference in ready]

    def result(self, call: Call) -> Done:
        """Give the report of an ended call, or its failure in the supervisor's words."""
        done: Done = _translated(call.done)
        if done.sifted:
            call.payload = Sifted(call.argument, call.payload)
        return done

    def fetch(self, payload: Any) -> UnitBatch:
        """Bring a batch into the driver."""
        batch, *sieve = (_translated(reference) for reference in _references(payload))
        whole: UnitBatch = sieve[0].sift(batch) if sieve else batch
        return whole

    def store(self, batch: UnitBatch) -> Any:
        """Put a batch into the object store."""
        return ray.put(batch)

    def kill(self, host: Any) -> None:
        """End an actor at once."""
        self._actors = [actor for actor in self._actors if actor is not host]
        ray.kill(host, no_restart=True)

    def close(self) -> None:
        """End our actors; end the cluster only if this run started it."""
        for actor in self._actors:
            ray.kill(actor, no_restart=True)
        self._actors.clear()
        if self._own:
            ray.shutdown()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _join(options: dict[str, Any]) -> None:
    try:
        ray.init(address="auto", **options)
    except (ConnectionError, RuntimeError, TimeoutError) as error:
        why = (str(error).strip().splitlines() or ["no answer"])[0]
        remedy = "start the cluster, or unset RAY_ADDRESS to let the run start one of its own"
        where = os.environ.get("RAY_ADDRESS", "")
        raise HeadraceError("the Ray cluster cannot be joined", where=where, why=why, remedy=remedy) from error


def _translated(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, _LOST):
            raise ObjectLostError(str(cause)) from error
        if isinstance(cause, exceptions.RayActorError):
            raise ObjectLostError("the worker that made the data is gone") from error
        raise cause if isinstance(cause, Exception) else error from error
    except _LOST as error:
        raise ObjectLostError(str(error)) from error
    except (exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError) as error:
        raise _died(error) from error


def _died(error: Exception) -> Exception:
    text = str(error)
    if "creation task" in text or "__init__" in text:
        lines = text.strip().splitlines()
        return HeadraceError(
            "a worker could not start", why=lines[-1], remedy="see the full cause with --executor inline"
        )
    kind = OutOfMemoryError if isinstance(error, exceptions.OutOfMemoryError) else HostDiedError
    return kind(text.splitlines()[0] if text else "worker died")


def new_folder() -> str:
    """Make a folder for a cluster: in TMPDIR, or in /tmp where the paths of Ray's sockets would be too long."""
    longest = f"{tempfile.gettempdir()}/{_FOLDER}xxxxxxxx/{_SOCKET}"
    too_long = len(os.fsencode(longest)) > _SOCKET_BYTES
    return tempfile.mkdtemp(prefix=_FOLDER, dir="/tmp" if too_long else None)  # noqa: S108  # mkdtemp makes it safe


def remove_leftover(folder: Path) -> None:
    """Remove the folder of an embedded cluster whose driver was killed; only folders this module made."""
    if folder.name.startswith(_FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
