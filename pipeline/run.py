"""Run a pipeline from its configuration to its last shard, and its trainer to its last step."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from headrace.pipeline.chain import Chain, Engine, RollbackError, Tally
from headrace.pipeline.committed import check_present
from headrace.pipeline.committer import Committer
from headrace.pipeline.config import EngineConfig
from headrace.pipeline.drop_bands.bands import Bands, known_rules
from headrace.pipeline.drop_bands.watch import DropWatch
from headrace.pipeline.events import EventLog, Watcher
from headrace.pipeline.executor import Executor, InlineExecutor
from headrace.pipeline.host import HostSetup
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.manifest_log import ManifestLog
from headrace.pipeline.pace import Pace
from headrace.pipeline.packs import keep_packs
from headrace.pipeline.plan import Plan, make_plan
from headrace.pipeline.run_folder import RunFolder
from headrace.pipeline.run_tokenizer import known_tokenizer
from headrace.pipeline.summary import RunSummary, summarize
from headrace.pipeline.trainer_process import TrainerProcess
from headrace.pipeline.two_pass.first_pass import first_pass, without_end
from headrace.schemas.errors import HeadraceError
from headrace.schemas.training import TrainingConfig

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # SIGHUP: the terminal was closed
_ROLLBACKS = 3  # without a commit in between

_TELL_EVERY_S = 1.0  # of a barrier, which may have 100,000 shards

_DISK_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES), "make room or change the rights"),
    errno.EFBIG: "raise the limit on the size of files (ulimit -f), or choose a disk that takes larger ones",
    errno.ENOMEM: "make memory free, or raise what a process may have (ulimit -v, vm.max_map_count)",
}
StartExecutor = Callable[[EngineConfig, RunFolder], tuple[Executor, int]]


def start_executor(config: EngineConfig, folder: RunFolder) -> tuple[Executor, int]:
    """Start the configured executor; give it and how many stateless workers it is to have."""
    if config.executor == "inline":
        return InlineExecutor(), 1
    from headrace.pipeline.ray_executor import RayExecutor, remove_leftover  # ray takes half a second to import

    if left := folder.left_behind.get("ray"):
        remove_leftover(Path(left))
    executor = RayExecutor(config.workers, config.object_store_bytes, dashboard=config.dashboard)
    folder.note_ray_folder(executor.folder)
    return executor, executor.workers


class _StoppedError(Exception):
    """A signal came while all documents were looked at."""


def run_pipeline(
    loaded: LoadedConfig,
    *,
    fresh: bool = False,
    watchers: Sequence[Watcher] = (),
    start_executor: StartExecutor = start_executor,
    plan: Plan | None = None,
    part: bool = False,
) -> RunSummary:
    """Do the whole job, or go on where an earlier process stopped; same input and configuration, same bytes.

    Raises ConfigError before anything is touched, HeadraceError when the run fails. SIGTERM, SIGINT and SIGHUP end it
    in order: the state of the summary is then `stopped`, and the next call goes on behind the last commit. A second
    SIGINT ends it at once, as KeyboardInterrupt. One that comes when all is done stops nothing, unless this run is a
    `part` of another, which is then stopped. A `plan` is given where the input is not all that the sources have.
    """
    plan = plan or make_plan(loaded, fresh=fresh)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_disk_errors(loaded.run_dir))
        folder = RunFolder(loaded.run_dir)
        stack.callback(folder.close)
        resolved = loaded.config.model_dump(mode="json")
        folder.prepare(plan, resolved, fresh=fresh)
        return _Session(loaded, plan, folder, stack, watchers, start_executor, part=part).run()


class _Session:
    """One process's share of a run: opened files, the executor, the trainer, and the signal that ends it."""

    def __init__(
        self,
        loaded: LoadedConfig,
        plan: Plan,
        folder: RunFolder,
        stack: contextlib.ExitStack,
        watchers: Sequence[Watcher],
        start_executor: StartExecutor,
        *,
        part: bool,
    ) -> None:
        self._start_executor, self._part = start_executor, part
        self._config, self._plan, self._folder, self._stack = loaded.config, plan, folder, stack
        self._first_pass, self._watchers = first_pass(loaded, plan), watchers
        self._start = time.monotonic()
        self._tally = Tally()
        self._stopping = stack.enter_context(_stop_signal())
        self._log = EventLog(folder.path, tuple(watchers))
        stack.callback(self._log.close)
        self._manifest = ManifestLog(folder.path)
        stack.callback(self._manifest.close)
        trainer = self._config.trainer
        self._required = trainer is not None and trainer.mode == "required"
        self._pace = Pace(
            folder.path,
            self._config.pace.ahead,
            required=self._required,
            beat_timeout_s=self._config.pace.beat_timeout_s,
        )
        named = self._manifest.last.tokenizer if self._manifest.last else None
        tokenizer = known_tokenizer(self._config.stages, loaded.base, folder.path, named)
        check_present(folder.path, self._manifest.lines())
        earlier = plan.earlier.runs
        self._committer = Committer(folder.path, self._manifest, self._log, self._pace, tokenizer, earlier)
        plugins = loaded.plugins
        packs = keep_packs(loaded.packs, folder.path)
        where = str(folder.path.absolute())
        self._setup = HostSetup(self._config.model_dump_json(), plugins, where, packs, plan.unchanged)
        self._watch = self._make_watch()
        self._trainer = self._make_trainer()

    def run(self) -> RunSummary:
        """Give the summary once everything is done or stopped."""
        finished = self._manifest.ended
        for words in () if self._part else self._plan.warnings:
            self._log.emit("warning", words=words)
        self._watch.start()
        if not finished and not self._settled():
            return self._ended(finished=False)
        if self._trainer:
            self._stack.callback(self._trainer.stop)
            self._trainer.start()
        if not finished:
            finished = self._run_chains()
        if finished:
            self._check_trainable()
            self._folder.sweep({ref.name for line in self._manifest.lines() for ref in line.files})
            self._await_trainer()
        return self._ended(finished=finished)

    def _settled(self) -> bool:
        """Do what is left of the first of two passes; false if the process was asked to end meanwhile."""
        first = self._first_pass
        if first is None:
            return True
        self._log.emit("pass", number=1)
        watchers = [without_end(watch) for watch in self._watchers]
        summary = run_pipeline(
            first.loaded, watchers=watchers, start_executor=self._start_executor, plan=first.plan, part=True
        )
        if summary.state == "stopped":
            self._stopping.set()
            return False
        self._log.emit("barrier", stage=first.stage)
        try:
            verdicts = first.settled(self._manifest.index_runs, self._barrier_tell())
        except _StoppedError:
            return False
        if verdicts:
            self._committer.settled[first.stage] = verdicts
        self._log.emit("pass", number=2)
        return not self._stopping.is_set()

    def _barrier_tell(self) -> Callable[[str, int, int], None]:
        """Give what the barrier calls between two parts of its work: it says so, and ends it if a signal came."""
        told = -math.inf

        def tell(doing: str, done: int, of: int) -> None:
            nonlocal told
            if self._stopping.is_set():
                raise _StoppedError
            now = time.monotonic()
            if done == 0 or now >= told + _TELL_EVERY_S:
                told = now
                self._log.emit("settling", doing=doing, done=done, of=of)

        return tell

    def _ended(self, *, finished: bool) -> RunSummary:
        may_go_on = self._part or (self._trainer is not None and not self._trainer.ended)
        stopped = not finished or (may_go_on and self._stopping.is_set())
        trainer = {"deaths": self._trainer.deaths, "ended": self._trainer.ended} if self._trainer else None
        seconds = time.monotonic() - self._start
        summary = summarize(self._committer, self._tally, "stopped" if stopped else "done", seconds, trainer)
        self._log.emit(
            "ended", state=summary.state, units=summary.units, shards=summary.shards, summary=summary.to_json()
        )
        return summary

    def _make_watch(self) -> DropWatch:
        config = self._config
        bands = Bands(config.drop_bands, config.drop_band_documents, known_rules(self._plan.recipe["stages"]))
        return DropWatch(bands, config.on_drop_band, self._committer, self._folder.path, self._log)

    def _make_trainer(self) -> TrainerProcess | None:
        config = self._config
        if not self._required or config.trainer is None or config.loader is None:
            return None
        training = TrainingConfig(loader=config.loader, trainer=config.trainer)
        return TrainerProcess(self._folder.path, training, config.pace.restarts, self._pace, self._log)

    def _check_trainable(self) -> None:
        if self._trainer and not self._committer.written:
            why = "the input is read, and no document is left with a token"
            remedy = f"`headrace inspect {self._folder.path}` shows what the stages dropped"
            raise HeadraceError("there is nothing to train on", where=str(self._folder.path), why=why, remedy=remedy)

    def _await_trainer(self) -> None:
        while self._trainer and not self._trainer.ended and not self._stopping.is_set():
            self._trainer.poll()
            time.sleep(0.05)

    def _run_chains(self) -> bool:
        try:
            executor, workers = self._start_executor(self._config.engine, self._folder)
        except SystemExit:  # what ray.init makes of SIGTERM
            self._stopping.set()
            return False
        _catch(self._stopping)  # once more: ray.init takes SIGTERM for itself
        self._stack.callback(executor.close)
        engine = self._engine(executor, workers)
        self._log.emit(
            "started",
            executor=self._config.engine.executor,
            workers=workers,
            resumed_at=self._committer.first_unit,
            groups=[group.name for group in self._plan.groups],
            bytes=self._plan.bytes,
            pid=os.getpid(),
        )
        rollbacks, before = 0, -1
        while True:
            try:
                return Chain(engine).run()
            except RollbackError as error:
                rollbacks = rollbacks + 1 if self._committer.first_unit == before else 1
                before = self._committer.first_unit
                self._tally.incidents["rollbacks"] += 1
                self._log.emit("rollback", cause=str(error), unit=before)
                if rollbacks > _ROLLBACKS:
                    remedy = "the committed shards are safe; see the cause, then run the same command again"
                    raise HeadraceError(
                        "an ordered stage dies again and again", why=str(error), remedy=remedy
                    ) from error

    def _engine(self, executor: Executor, workers: int) -> Engine:
        config = self._config.engine
        return Engine(
            plan=self._plan,
            setup=self._setup,
            executor=executor,
            log=self._log,
            pace=self._pace,
            committer=self._committer,
            watch=self._watch,
            tally=self._tally,
            workers=workers,
            window=config.window,
            deadline_s=config.deadline_s,
            drain_s=config.drain_s,
            limit=self._config.limit,
            tick=self._tick,
        )

    def _tick(self) -> bool:
        stopping = self._stopping.is_set()
        if self._trainer and not stopping:  # Ctrl-C reaches the trainer too: its end is then no death
            self._trainer.poll()
        return stopping


@contextlib.contextmanager
def _stop_signal() -> Iterator[threading.Event]:
    """Turn signals to stop into an event; outside the main thread signals stay as they are."""
    stopping = threading.Event()
    before = _catch(stopping)
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _catch(stopping: threading.Event) -> dict[int, Any]:
    def ask(number: int, frame: FrameType | None) -> None:
        if stopping.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stopping.set()

    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.signal(number, ask) for number in _STOP_SIGNALS}


@contextlib.contextmanager
def _disk_errors(run: Path) -> Iterator[None]:
    """Say what a full or read-only disk, or a limit of the system, means for the run; with the file if it is known."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        if number not in _DISK_REMEDIES:
            raise
        raise HeadraceError(
            "the system gives no memory" if number == errno.ENOMEM else "the run folder cannot be written",
            where=os.fsdecode(name) if isinstance(name := error.filename, str | bytes) else str(run),
            why=os.strerror(number),
            remedy=f"{_DISK_REMEDIES[number]}; the committed shards are safe, run the same command again to go on",
        ) from error
