"""What runs inside a worker: stateless stages over a unit, and the ordered states, behind two small call surfaces."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from headrace.pipeline.config import OUR_OWN, PipelineConfig
from headrace.pipeline.dropped_examples import Examples, some_dropped
from headrace.pipeline.packs import stage_names, unpack_stages
from headrace.pipeline.plan import PARSE, READ
from headrace.pipeline.plugins import Plugin, load_builtins
from headrace.pipeline.rerun.unit import check_verdicts, read_unit
from headrace.schemas.document import DROPPED, QUARANTINED
from headrace.schemas.ledger import StageCounts
from headrace.schemas.source import Cursor, Split
from headrace.schemas.unit import FileRef, UnitBatch, UnitRequest
from headrace.stages.apply import Sieve, apply, settle
from headrace.stages.base import OrderedStage, OrderedState, RunContext, Stage, judged
from headrace.stages.read import Part, Reader
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.tokenizing.batch_file import load_batch
from headrace.stages.tokenizing.spool import open_spool
from headrace.stages.write import Write
from headrace.stages.writing.parsed import carried_on, carries, numbered


@dataclass(frozen=True, slots=True)
class HostSetup:
    """What every worker is built from; small, so that it travels cheaply."""

    config_json: str
    plugins: tuple[Plugin, ...]
    run: str
    packs: Mapping[str, str] = field(default_factory=dict)  # files in the run that stages work with, by stage name
    unchanged: Mapping[str, str] = field(default_factory=dict)  # of a rerun: the parent's stages that judge as they did

    def load(self) -> PipelineConfig:
        """Register built-in and plugged-in stages, parse the configuration, and give the stages their lists."""
        load_builtins()
        for plugin in self.plugins:
            plugin.load()
        config = PipelineConfig.model_validate_json(self.config_json, context=OUR_OWN)
        return config.model_copy(update={"stages": unpack_stages(config.stages, self.packs, Path(self.run))})


@dataclass(frozen=True, slots=True)
class Job:
    """One call to a stateless worker: which stages, on what. `split` is given when the first stage is `read`."""

    unit: int
    stages: tuple[str, ...]
    request: UnitRequest | None = None
    split: Split | None = None
    tokenizer: str | None = None  # model file, relative to the run folder


@dataclass(frozen=True, slots=True)
class Done:
    """What the supervisor learns of a job: never data, only where reading goes on, counts and seconds."""

    unit: int
    seconds: Mapping[str, float]
    counts: tuple[StageCounts, ...] = ()
    following: Cursor | None = None
    records: int = 0
    bytes: int = 0
    report: Any = None
    files: tuple[FileRef, ...] = field(default=())
    sifted: bool = False  # the payload holds verdicts alone
    examples: Examples = field(default_factory=dict)


class Worker:
    """A stateless worker: any group of any unit; keeps open streams and loaded models only to be faster."""

    def __init__(self, setup: HostSetup) -> None:
        self._config = setup.load()
        self._run, self._unchanged = Path(setup.run), setup.unchanged
        names = stage_names(self._config.stages)
        last = self._config.stages[-1]
        self._full = isinstance(last, Write) and last.record == "full"
        self._stages: dict[str, Stage] = dict(zip(names, self._config.stages, strict=True))
        self._sources = {source.name: source for source in self._config.sources}
        self._bound: dict[tuple[str, str], Stage] = {}

    @cached_property
    def _reader(self) -> Reader:
        return Reader()

    def ready(self, _: None = None) -> tuple[None, Done]:
        """Say that the process is up, and which one it is."""
        return None, Done(-1, {}, report=os.getpid())

    def run(self, job: Job, payload: UnitBatch | str | None, sieve: Sieve | None = None) -> tuple[UnitBatch, Done]:
        """Run the job's stages; `payload` is the unit's batch, a spooled file, or None for the source.

        `sieve` holds an ordered stage's verdicts on the batch that are not applied yet.
        """
        batch = load_batch(Path(payload)) if isinstance(payload, str) else payload
        batch = sieve.sift(batch) if sieve and batch else batch
        seconds: dict[str, float] = {}
        read = Done(job.unit, seconds)
        known = len(batch.counts) if batch is not None else 0
        settled = len(batch.settled) if batch is not None else 0
        before = batch.documents if batch is not None and carries(batch.documents) else None
        for name in job.stages:
            start = time.perf_counter()
            if name == READ:
                batch, read = self._read(job, read)
            elif batch is None:
                raise ValueError(f"unit {job.unit}: stage {name} got no documents")
            else:
                batch = self._applied(name, job, batch)
            if before is None and carries(batch.documents):
                before = batch.documents
            seconds[name] = time.perf_counter() - start
        if batch is None:
            raise ValueError(f"unit {job.unit}: the job names no stage")
        batch = carried_on(batch, before, settled)
        return batch, replace(read, counts=batch.counts[known:], examples=some_dropped(batch.settled[settled:]))

    def _applied(self, name: str, job: Job, batch: UnitBatch) -> UnitBatch:
        batch = apply(name, self._stage(name, job.tokenizer), batch)
        return batch.but(documents=numbered(batch.documents)) if self._full and name == PARSE else batch

    def _read(self, job: Job, done: Done) -> tuple[UnitBatch, Done]:
        if job.request is None or job.split is None:
            raise ValueError(f"unit {job.unit}: nothing says what to read")
        if job.split.hashes:
            batch = read_unit(job.unit, job.split, self._unchanged)
            size = sum(f.bytes for f in job.split.files)
            return batch, replace(done, records=batch.counts[0].received, bytes=size)
        source = self._sources[job.split.source]
        part = self._reader.read_part(job.split, source, job.request.cursor, self._config.engine.unit_bytes)
        batch, size = read_batch(job.unit, part), part.documents["data"].nbytes
        return batch, replace(done, following=part.next, records=batch.counts[0].received, bytes=size)

    def _stage(self, name: str, tokenizer: str | None) -> Stage:
        stage = self._stages[name]
        if not isinstance(stage, TokenizeStage) or tokenizer is None:
            return stage
        key = (name, tokenizer)
        if key not in self._bound:
            self._bound[key] = stage.bound(self._run / tokenizer)
        return self._bound[key]


def read_batch(unit: int, part: Part) -> UnitBatch:
    """Make a unit of what was read: records go on, the others are settled and counted by their verdict."""
    faults, kept = part.faults.num_rows, part.documents.num_rows
    verdicts, reasons = (map(str, part.faults[name].to_pylist()) for name in ("verdict", "reason"))
    gone: dict[str, dict[str, int]] = {DROPPED: {}, QUARANTINED: {}}
    for (verdict, reason), count in sorted(Counter(zip(verdicts, reasons, strict=True)).items()):
        gone[verdict][reason] = count
    counts = StageCounts(READ, kept + faults, 0, kept, gone[DROPPED], gone[QUARANTINED])
    settled = (part.faults,) if faults else ()
    return UnitBatch(unit, part.documents, settled, (counts,), part.files)


class OrderedHost:
    """An ordered stage's state, or the tokenizer's spool, in a process of its own."""

    def __init__(self, setup: HostSetup, context: RunContext, *, spool: bool) -> None:
        config = setup.load()
        names = stage_names(config.stages)
        self._stage, self._spool = config.stages[names.index(context.stage)], spool
        self._context = replace(context, index=config.engine.index.options)
        self._passes_on = not spool and context.stage != names[-1]
        self._unchanged = setup.unchanged if context.stage == names[-1] else {}

    @cached_property
    def _state(self) -> OrderedState:
        """The state of what is committed; opened by a call, not with the host: so its errors keep their words."""
        return _open(self._stage, self._context, spool=self._spool)

    def ready(self, _: None = None) -> tuple[None, Done]:
        """Open the state; say that it stands, and in which process."""
        self._state  # noqa: B018  # the first use opens it
        return None, Done(-1, {}, report=os.getpid())

    def close(self, _: None = None) -> tuple[None, Done]:
        """Let go of files and processes that the state holds, where it holds any."""
        state = vars(self).get("_state")
        if isinstance(state, Closes):
            state.close()
        return None, Done(-1, {})

    def sift(self, payload: UnitBatch) -> tuple[UnitBatch | Sieve | None, Done]:
        """Settle one unit like `accept`, but give only the verdicts where the stage can: the unit stays where it is."""
        if not isinstance(self._state, Judge):
            return self.accept(payload)
        start = time.perf_counter()
        sieve = self._state.judge(payload)
        seconds = {"accept": time.perf_counter() - start}
        after = sieve.sift(payload.but(documents=payload.documents.select(["doc_id"])))
        counts = tuple(c for c in after.counts if c not in payload.counts)
        examples = some_dropped(after.settled[len(payload.settled) :])
        return sieve, Done(payload.unit, seconds, counts, sifted=True, examples=examples)

    def accept(self, payload: UnitBatch, sieve: Sieve | None = None) -> tuple[UnitBatch | None, Done]:
        """Settle one unit in order; the writer and the spool, who put it into files, pass nothing on."""
        start = time.perf_counter()
        payload = sieve.sift(payload) if sieve else payload
        if self._unchanged:
            check_verdicts(payload, self._unchanged)
        batch, report = self._state.accept(payload)
        if self._passes_on and carries(payload.documents) and carries(batch.documents):
            batch = carried_on(batch, payload.documents, len(payload.settled))
        seconds = {"accept": time.perf_counter() - start}
        counts = tuple(c for c in batch.counts if c not in payload.counts)
        examples = some_dropped(batch.settled[len(payload.settled) :])
        done = Done(payload.unit, seconds, counts, report=report, examples=examples)
        return batch if self._passes_on else None, done

    def flush(self, through: int) -> tuple[None, Done]:
        """Make everything up to unit `through` durable."""
        files = self._state.flush(through)
        return None, Done(through, {}, files=files)

    def finish(self) -> tuple[None, Done]:
        """The input has ended."""
        return None, Done(-1, {}, report=self._state.finish())


@runtime_checkable
class Judge(Protocol):
    """An ordered state that only takes documents out: it can say which without giving the others back."""

    def judge(self, batch: UnitBatch) -> Sieve:
        """Give the verdicts on one unit, in order."""
        ...


@runtime_checkable
class Closes(Protocol):
    """An ordered state that holds more than memory."""

    def close(self) -> None:
        """Let go of it."""
        ...


def _open(stage: Stage, context: RunContext, *, spool: bool) -> OrderedState:
    if spool and isinstance(stage, TokenizeStage):
        return open_spool(context, stage)
    if isinstance(stage, OrderedStage):
        return stage.open(context)
    raise TypeError(f"stage {context.stage} keeps no order")


def quarantined(name: str, batch: UnitBatch, reason: str, detail: str) -> UnitBatch:
    """Take every live document of a batch out as quarantined by stage `name`."""
    rows: Sequence[str] = [QUARANTINED] * batch.documents.num_rows
    table = judged(batch.documents, rows, [reason] * len(rows), detail=[detail] * len(rows))
    return settle(name, batch, table)
