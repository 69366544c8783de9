"""The supervisor: owns every reference, admits units in order through a bounded window, and replays what is lost.

One loop for both executors. All volatile state lives in a `Chain`; after the loss of an ordered state a new one is made
that starts behind the last committed unit, which is exactly what a restart of the process does.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from headrace.pipeline.committer import Committer
from headrace.pipeline.drop_bands.watch import DropWatch
from headrace.pipeline.events import EventLog
from headrace.pipeline.executor import Call, DeadlineError, Executor, HostDiedError, ObjectLostError
from headrace.pipeline.host import Done, HostSetup, Job
from headrace.pipeline.hosts import Hosts
from headrace.pipeline.isolation import Isolation
from headrace.pipeline.lanes import Lanes
from headrace.pipeline.limit import ReadLimit
from headrace.pipeline.pace import Pace
from headrace.pipeline.plan import READ, Group, Plan, without_spool
from headrace.pipeline.spool_gate import SpoolGate
from headrace.pipeline.summary import Struck
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitRequest
from headrace.stages.base import ReplayDiffersError

_STRIKES = 2  # deaths of a unit's worker before the unit runs alone
_WAIT_S = 0.05
_TOO_LATE = (
    "if it happens again, raise engine.deadline_s; in an index, many documents that are unlike may share a band, see "
    '"Many unlike documents share a band" in docs/how-to/dedup-at-scale.md'
)


class RollbackError(Exception):
    """The state of an ordered stage is gone or in doubt: start again behind the last commit."""


@dataclass(slots=True)
class Flight:
    """A unit under way: where it came from, the group it needs next, and its data (a payload, or a spooled file)."""

    request: UnitRequest
    group: int = 0
    payload: Any = None
    running: bool = False
    strikes: int = 0
    spooled: bool = False  # re-entered from the spool, outside the window

    @property
    def unit(self) -> int:
        """The unit's place in the global order."""
        return self.request.unit


@dataclass(slots=True)
class Tally:
    """What happened so far, over all chains of this process."""

    stage_seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    waits: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    incidents: Counter[str] = field(default_factory=Counter)
    struck: list[Struck] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Engine:
    """What chains work with; the same for every session of a run. `tick` is called often: true = admit nothing more."""

    plan: Plan
    setup: HostSetup
    executor: Executor
    log: EventLog
    pace: Pace
    committer: Committer
    watch: DropWatch
    tally: Tally
    workers: int
    window: int
    deadline_s: float
    drain_s: float
    limit: int | None
    tick: Callable[[], bool]


class Chain:
    """One session: from the last committed unit to the end of the input, or to a RollbackError."""

    def __init__(self, engine: Engine) -> None:
        self._e, self._commit = engine, engine.committer
        tokenizer = self._commit.tokenizer
        self._groups = without_spool(engine.plan.groups) if tokenizer else engine.plan.groups
        commit = self._commit
        self._lanes = Lanes(engine.plan.lanes, commit.positions, commit.turn, commit.first_unit)
        self._limit = ReadLimit(engine.limit, commit.first_unit, commit.records() if engine.limit else 0)
        self._hosts = Hosts(engine.executor, engine.setup, engine.log)
        self._spool = SpoolGate(self._groups, tokenizer)
        self._flights: dict[int, Flight] = {}
        self._running: dict[Call, Flight] = {}
        self._busy: set[int] = set()
        self._next = dict.fromkeys(range(len(self._groups)), commit.first_unit)
        self._suspects: list[Flight] = []
        self._shard_open = False
        engine.watch.begin()

    def run(self) -> bool:
        """Work until the run is complete (true), or until the process was asked to end and has drained (false)."""
        stop_at: float | None = None
        try:
            self._start()
            while not self._done():
                if self._e.tick() and stop_at is None:
                    stop_at = time.monotonic() + self._e.drain_s
                if stop_at is not None and (time.monotonic() > stop_at or not self._running):
                    return False
                self._step(admit=stop_at is None)
            self._finish()
            self._hosts.close_ordered()
        finally:
            self._hosts.end_all()
        return True

    def _start(self) -> None:
        for _ in range(self._e.workers):
            self._hosts.start_worker()
        for number, group in enumerate(self._groups):
            if group.kind != "map":
                self._start_ordered(number, group)

    def _start_ordered(self, number: int, group: Group) -> None:
        try:
            self._hosts.start_ordered(number, self._commit.context(group.stages[0]), spool=group.kind == "spool")
        except HostDiedError as error:
            raise RollbackError(f"the state of {group.name} died before it was ready: {error}") from error

    def _step(self, *, admit: bool) -> None:
        self._hosts.poll()
        if self._suspects and not self._running and not self._spool.training:
            self._isolate(self._suspects.pop(0))
        if admit:
            self._admit()
        self._dispatch()
        self._collect()

    def _done(self) -> bool:
        return self._all_read() and not self._flights and not self._running and not self._spool.holds_units

    def _all_read(self) -> bool:
        return self._lanes.ended or self._limit.last_unit is not None

    # Admission

    def _admit(self) -> None:
        while self._limit.last_unit is None and not self._suspects and self._in_window() < self._e.window:
            request = self._lanes.next()
            if request is None:
                return
            self._flights[request.unit] = Flight(request)
            self._e.log.emit("admitted", unit=request.unit, lane=request.lane, in_flight=self._in_window())

    def _in_window(self) -> int:
        return sum(not flight.spooled for flight in self._flights.values())

    def _reenter(self) -> None:
        """Take spooled units up again, first of all and in slots of their own: the window may be full of later ones."""
        slots = self._e.workers + 1 - sum(flight.spooled for flight in self._flights.values())
        for request, path in self._spool.take(slots):
            self._flights[request.unit] = Flight(request, self._spool.group + 1, path, spooled=True)

    # Dispatch: downstream first, so that what is nearly done leaves the window

    def _dispatch(self) -> None:
        if self._suspects:
            return  # nothing else may run beside a unit that kills its workers
        self._spool_turn()
        for number in reversed(range(len(self._groups))):
            group = self._groups[number]
            if group.kind == "map":
                self._dispatch_map(number, group)
            else:
                self._dispatch_ordered(number)

    def _spool_turn(self) -> None:
        if self._spool.open:
            self._reenter()
            for flight in self._waiting(self._spool.group):
                flight.group += 1
        elif self._spool.wants_training(len(self._flights), all_read=self._all_read()):
            call = self._e.executor.order(self._hosts.ordered[self._spool.group], "finish", None)
            self._spool.training = call

    def _waiting(self, number: int) -> list[Flight]:
        waiting = [f for f in self._flights.values() if f.group == number and not f.running]
        return sorted(waiting, key=lambda flight: flight.unit)

    def _dispatch_map(self, number: int, group: Group) -> None:
        for flight in self._waiting(number):
            if not self._hosts.idle:
                return
            worker = self._hosts.take(flight.request.lane if number == 0 else None)
            self._track(self._e.executor.run(worker, self._job(flight, group.stages), flight.payload), flight)

    def _job(self, flight: Flight, stages: tuple[str, ...]) -> Job:
        model = self._spool.tokenizer.name if self._spool.tokenizer else None
        split = self._e.plan.splits[flight.request.cursor.split] if stages[0] == READ else None
        return Job(flight.unit, stages, flight.request, split, model)

    def _dispatch_ordered(self, number: int) -> None:
        training = number == self._spool.group and self._spool.training
        if number in self._busy or number not in self._hosts.ordered or training:
            return
        for flight in self._waiting(number)[:1]:
            if flight.unit > self._next[number] or (number == len(self._groups) - 1 and self._held_back()):
                return
            self._busy.add(number)
            self._track(self._e.executor.order(self._hosts.ordered[number], "accept", flight.payload), flight)

    def _held_back(self) -> bool:
        """The next unit would open a shard, and the trainer is not far enough."""
        return not self._shard_open and not self._e.pace.may_open(self._commit.written)

    def _track(self, call: Call, flight: Flight) -> None:
        flight.running = True
        self._running[call] = flight

    # Results

    def _collect(self) -> None:
        start = time.monotonic()
        calls = list(self._running)
        if self._spool.training:
            calls.append(self._spool.training)
        ready = self._e.executor.wait(calls, _WAIT_S)
        if not self._running and not self._suspects:
            waited_for = "tokenizer" if self._spool.training else "trainer" if self._flights else "workers"
            self._e.tally.waits[waited_for] += time.monotonic() - start
        for call in ready:
            if call is self._spool.training:
                self._trained(call)
            else:
                self._returned(call, self._running.pop(call))
        now = time.monotonic()
        late = [c for c in self._running if now - c.started > self._e.deadline_s]
        for call in [c for c in late if not self._e.executor.wait([c], 0)]:  # what has ended is only not collected yet
            self._struck(call, self._running.pop(call), DeadlineError(f"longer than {self._e.deadline_s:g} s"))

    def _returned(self, call: Call, flight: Flight) -> None:
        flight.running = False
        group = self._groups[flight.group]
        try:
            done = self._e.executor.result(call)
        except HostDiedError as error:
            self._struck(call, flight, error)
        except ObjectLostError as error:
            self._release(call, flight)
            self._replay(flight, error)
        except ReplayDiffersError as error:
            raise RollbackError(f"unit {flight.unit} came out differently when it was replayed: {error}") from error
        except HeadraceError:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            remedy = "run it with --executor inline to see where"
            raise HeadraceError(
                f"unit {flight.unit} failed as a whole", where=group.name, why=why, remedy=remedy
            ) from error
        else:
            self._release(call, flight)
            self._advance(flight, call.payload, done)

    def _release(self, call: Call, flight: Flight) -> None:
        if self._groups[flight.group].kind == "map":
            self._hosts.give_back(call.host)
        else:
            self._busy.discard(flight.group)

    def _advance(self, flight: Flight, payload: Any, done: Done) -> None:
        group, number = self._groups[flight.group], flight.group
        self._note(group, done)
        if number == 0:
            self._lanes.read(flight.unit, done.following)
            self._limit.read(flight.unit, done.records)
            for unit in [u for u in self._flights if self._limit.beyond(u)]:
                del self._flights[unit]
        if group.kind != "map":
            self._next[number] = max(self._next[number], flight.unit + 1)
        if group.kind == "spool":
            if self._spool.keep(flight.request, done.report):
                del self._flights[flight.unit]
        elif number == len(self._groups) - 1:
            del self._flights[flight.unit]
            self._written(flight, done)
        else:
            flight.payload = payload
            flight.group += 1

    def _note(self, group: Group, done: Done) -> None:
        for stage, seconds in done.seconds.items():
            self._e.tally.stage_seconds[group.stages[0] if group.kind != "map" else stage] += seconds
        counts = {c.stage: c.outcome for c in done.counts}
        self._e.log.emit(
            "group", unit=done.unit, group=group.name, seconds=dict(done.seconds), counts=counts, bytes=done.bytes
        )
        self._e.watch.note(group.name, done)

    def _written(self, flight: Flight, done: Done) -> None:
        self._shard_open = done.report is None
        if done.report is not None:
            self._commit.commit(done.report, self._lanes, self._flush)
            self._e.watch.committed(done.report)
        self._e.watch.taken(done.unit, self._e.plan.splits[flight.request.cursor.split].source)

    def _flush(self, through: int) -> tuple[FileRef, ...]:
        """Make every ordered state durable up to a unit; they answer between two units."""
        files: list[FileRef] = []
        for number, group in enumerate(self._groups[:-1]):
            if group.kind == "ordered":
                files += self._ask(number, "flush", through).files
        return tuple(files)

    def _ask(self, number: int, method: str, argument: Any) -> Done:
        call = self._e.executor.order(self._hosts.ordered[number], method, argument)
        while not self._e.executor.wait([call], _WAIT_S):
            if method != "flush" and time.monotonic() - call.started > self._e.deadline_s:  # a flush may hash 100 GB
                raise RollbackError(f"{self._groups[number].name} did not answer in time")
        try:
            return self._e.executor.result(call)
        except HostDiedError as error:
            raise RollbackError(f"the state of {self._groups[number].name} is gone: {error}") from error

    def _trained(self, call: Call) -> None:
        try:
            tokenizer = self._e.executor.result(call).report
        except HostDiedError as error:
            raise RollbackError(f"the tokenizer's training died: {error}") from error
        self._spool.trained(tokenizer)
        self._commit.tokenizer = tokenizer
        self._hosts.end([self._hosts.ordered.pop(self._spool.group)])
        self._e.log.emit("tokenizer", file=tokenizer.name, seconds=round(time.monotonic() - call.started, 3))

    def _finish(self) -> None:
        rest = self._ask(len(self._groups) - 1, "finish", None).report
        if rest is not None and rest.shard is not None:
            self._commit.commit(rest, self._lanes, self._flush)
            rest = None
        self._commit.end(rest, self._lanes, self._flush)

    # Losses

    def _replay(self, flight: Flight, error: ObjectLostError) -> None:
        """A lost object is no strike: the unit is read again from its source, in the slot it has."""
        self._e.tally.incidents["replays"] += 1
        self._e.log.emit("replayed", unit=flight.unit, cause=str(error)[:200])
        flight.group, flight.payload = 0, None

    def _struck(self, call: Call, flight: Flight, error: HostDiedError) -> None:
        """A dead or late worker is a strike against its unit; a lost ordered state is a rollback."""
        flight.running = False
        group = self._groups[flight.group]
        if group.kind != "map":
            hint = f"; {_TOO_LATE}" if isinstance(error, DeadlineError) else ""
            raise RollbackError(f"unit {flight.unit}: the state of {group.name} is gone: {error}{hint}")
        self._hosts.replace(call.host)
        flight.strikes += 1
        self._e.tally.incidents["strikes"] += 1
        self._e.log.emit("strike", unit=flight.unit, group=group.name, cause=error.cause, strikes=flight.strikes)
        if flight.strikes >= _STRIKES:
            self._suspects.append(flight)

    def _isolate(self, flight: Flight) -> None:
        """Run a unit that killed two workers alone, down to the document that does it."""
        self._e.tally.incidents["isolations"] += 1
        job = self._job(flight, self._groups[flight.group].stages)
        self._e.log.emit("isolated", unit=flight.unit, group=self._groups[flight.group].name)
        isolation = Isolation(self._e.executor, self._e.setup, self._e.deadline_s)
        try:
            payload, done, struck = isolation.run(job, flight.payload)
        except ObjectLostError as error:
            self._replay(flight, error)
            return
        finally:
            isolation.close()
        for victim in struck:
            self._e.tally.struck.append(victim)
            self._e.log.emit(
                "quarantined", unit=victim.unit, doc_id=victim.doc_id, stage=victim.stage, cause=victim.cause
            )
        flight.strikes = 0
        self._advance(flight, payload, done)
