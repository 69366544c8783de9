"""Workers that do nothing but hand on a unit: what is left of a run is the engine's own cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import ray

from headrace.pipeline.host import Done, HostSetup, Job
from headrace.pipeline.ray_executor import RayExecutor
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext, conform

_DOCUMENT = 3000  # bytes


class NoopWorker:
    """Stands for all stateless stages: gives a batch of a unit's size whatever it is asked."""

    def __init__(self, setup: HostSetup) -> None:
        self._batch = unit_of(setup.load().engine.unit_bytes)

    def ready(self, _: None = None) -> tuple[None, Done]:
        """Say that the process is up."""
        return None, Done(-1, {}, report=os.getpid())

    def run(self, job: Job, payload: UnitBatch | None, sieve: None = None) -> tuple[UnitBatch, Done]:
        """Give the batch; every split is one unit."""
        return self._batch.but(unit=job.unit), Done(job.unit, {}, records=1)


class NoopOrdered:
    """Stands for dedup, which gives verdicts alone, and for the writer, which keeps the batch."""

    def __init__(self, setup: HostSetup, context: RunContext, *, spool: bool) -> None:
        self._last = context.stage == "write"

    def ready(self, _: None = None) -> tuple[None, Done]:
        """Say that the process is up."""
        return None, Done(-1, {}, report=os.getpid())

    def sift(self, payload: UnitBatch) -> tuple[None, Done]:
        """Take the unit; no verdicts are no change."""
        return None, Done(payload.unit, {}, sifted=not self._last)

    def flush(self, through: int) -> tuple[None, Done]:
        """Nothing is kept."""
        return None, Done(through, {})

    def finish(self) -> tuple[None, Done]:
        """Nothing was written."""
        return None, Done(-1, {})

    def close(self, _: None = None) -> tuple[None, Done]:
        """Do nothing."""
        return None, Done(-1, {})


class NoopExecutor(RayExecutor):
    """The Ray executor with workers that do nothing."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, None, dashboard=False)
        self._worker: Any = ray.remote(NoopWorker)
        self._ordered: Any = ray.remote(NoopOrdered)


def unit_of(size: int) -> UnitBatch:
    """Give a unit with `size` bytes of text."""
    rows = max(1, size // _DOCUMENT)
    text = "x" * (size // rows)
    names = [f"text:{row}" for row in range(rows)]
    table = pa.table({"doc_id": names, "text": pa.array([text] * rows, pa.large_string())})
    return UnitBatch(0, conform(table))


def write_empty_units(folder: Path, units: int, unit_bytes: int) -> None:
    """Write files that the plan takes for `units` units; they are never read, and take no room on the disk."""
    folder.mkdir()
    for number in range(units):
        with (folder / f"{number:05}.txt").open("wb") as file:
            file.truncate(unit_bytes)
