"""A unit that kills its workers runs alone, stage by stage, bisected down to the document that does it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from headrace.pipeline.executor import DeadlineError, Executor, HostDiedError
from headrace.pipeline.host import Done, HostSetup, Job, quarantined
from headrace.pipeline.plan import DECODE, PARSE, READ
from headrace.pipeline.summary import Struck
from headrace.pipeline.unreadable import unreadable
from headrace.schemas.errors import HeadraceError
from headrace.schemas.ledger import UnitLedger, total
from headrace.schemas.unit import UnitBatch
from headrace.stages.tokenizing.batch_file import load_batch
from headrace.stages.writing.parsed import carries, numbered

DEATHS_ALONE = 3  # with the two strikes before: four random kills of one document change nothing


class Isolation:
    """Runs one job with nothing beside it. Every death costs a worker; the next try gets a fresh one."""

    def __init__(self, executor: Executor, setup: HostSetup, deadline_s: float) -> None:
        self._executor, self._setup, self._deadline = executor, setup, deadline_s
        self._worker: Any = None
        self._struck: list[Struck] = []

    def run(self, job: Job, payload: Any) -> tuple[Any, Done, list[Struck]]:
        """Give payload and report as the job itself would, and the documents that were quarantined."""
        stages = job.stages
        source = Done(job.unit, {})
        if stages[0] == READ:
            batch, source = self._read(replace(job, stages=stages[:1]))
            stages = stages[1:]
        elif isinstance(payload, str):
            batch = load_batch(Path(payload))
        else:
            batch = self._executor.fetch(payload)
        known = 0 if job.stages[0] == READ else len(batch.counts)
        for stage in stages:
            after = self._bisect(replace(job, stages=(stage,)), UnitBatch(batch.unit, batch.documents))
            settled, counts = (*batch.settled, *after.settled), (*batch.counts, *after.counts)
            documents = after.documents
            if stage == PARSE and carries(documents):  # each part of the unit has numbers of its own
                documents = numbered(documents)
            batch = batch.but(documents=documents, settled=settled, counts=counts)
        done = replace(source, counts=batch.counts[known:])
        return self._executor.store(batch), done, self._struck

    def close(self) -> None:
        """End the last worker."""
        self._end_worker()

    def _read(self, job: Job) -> tuple[UnitBatch, Done]:
        """Read; a unit that dies there has no documents yet, and is quarantined as a range of its split."""
        for _ in range(DEATHS_ALONE):
            try:
                return self._alone(job, None)
            except HostDiedError as error:
                died = error
        batch, done = unreadable(job, died.cause, DEATHS_ALONE)
        self._strike(batch, READ, died.cause)
        return batch, done

    def _bisect(self, job: Job, batch: UnitBatch) -> UnitBatch:
        stage, rows = job.stages[0], batch.documents.num_rows
        cut = _middle(stage, batch.documents)
        for _ in range(1 if cut else DEATHS_ALONE):
            try:
                return self._alone(job, self._executor.store(batch))[0]
            except HostDiedError as error:
                died = error
        if cut:
            parts = (batch.documents.slice(0, cut), batch.documents.slice(cut))
            return merged([self._bisect(job, UnitBatch(batch.unit, part)) for part in parts])
        if rows == 0:
            raise HeadraceError(
                "workers die without any document",
                where=f"stage {stage}",
                why=f"{DEATHS_ALONE} of them on what is left of unit {job.unit}: {died}",
                remedy="see the full cause with --executor inline",
            ) from died
        alone = "this document" if rows == 1 else "this file"
        out = quarantined(stage, batch, died.cause, f"its worker died {DEATHS_ALONE} times with {alone} alone")
        self._strike(out, stage, died.cause)
        none = self._bisect(job, UnitBatch(batch.unit, batch.documents.slice(0, 0)))
        return out.but(documents=none.documents)  # no rows, but the columns that the stage gives

    def _strike(self, batch: UnitBatch, stage: str, cause: str) -> None:
        doc_ids = batch.settled[-1]["doc_id"].to_pylist()
        self._struck += [Struck(batch.unit, str(doc_id), stage, cause) for doc_id in doc_ids]

    def _alone(self, job: Job, payload: Any) -> tuple[UnitBatch, Done]:
        if self._worker is None:
            self._worker = self._executor.start_worker(self._setup, extra=True)
            self._result(self._executor.order(self._worker, "ready", None), within=180.0)
        call = self._executor.run(self._worker, job, payload)
        done = self._result(call, within=self._deadline)
        return self._executor.fetch(call.payload), done

    def _result(self, call: Any, within: float) -> Done:
        limit = time.monotonic() + within
        try:
            while not self._executor.wait([call], 0.1):
                if time.monotonic() > limit:
                    raise DeadlineError(f"longer than {within:g} s")
            return self._executor.result(call)
        except HostDiedError:
            self._end_worker()
            raise

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._executor.kill(self._worker)
            self._worker = None


def _middle(stage: str, table: pa.Table) -> int | None:
    """Give the row to cut a unit at, or None when it is one piece: decode judges the rows of a file together."""
    rows = table.num_rows
    if stage != DECODE:
        return rows // 2 or None
    paths = table["path"].to_pylist()
    borders = [row for row in range(1, rows) if paths[row] != paths[row - 1]]
    return min(borders, key=lambda row: abs(row - rows // 2), default=None)


def merged(parts: Sequence[UnitBatch]) -> UnitBatch:
    """Join the results of one stage over consecutive slices of a unit."""
    settled = [table for part in parts for table in part.settled]
    return UnitBatch(
        parts[0].unit,
        pa.concat_tables([part.documents for part in parts], promote_options="default"),
        (pa.concat_tables(settled, promote_options="default"),) if settled else (),
        total([UnitLedger(part.unit, part.counts, ()) for part in parts]),
    )
