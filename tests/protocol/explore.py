"""Search a small machine state by state: every schedule (`explore`), or random ones (`walk`)."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

State = TypeVar("State", bound=Hashable)
ENVIRONMENT = "!"  # a label that begins so is done to the system, not by it


class Machine(Protocol[State]):
    """States are immutable; `actions` gives every next step with its label."""

    def first(self) -> State: ...
    def actions(self, state: State) -> Iterator[tuple[str, State]]: ...
    def finished(self, state: State) -> bool: ...
    def broken(self, state: State) -> str | None: ...


class Finding(NamedTuple):
    """What a search came to: the problem with a shortest schedule to it, or none."""

    problem: str | None
    schedule: tuple[str, ...]
    states: int
    complete: bool  # every state was seen, and from each the system alone can still finish


class _Search(Generic[State]):
    def __init__(self, machine: Machine[State], limit: int, want: str) -> None:
        self._machine, self._limit, self._want = machine, limit, want
        start = machine.first()
        self._seen: dict[State, tuple[State | None, str]] = {start: (None, "")}
        self._queue = deque([start])
        self._back: dict[State, list[State]] = {}
        self._good: list[State] = []

    def run(self) -> Finding:
        while self._queue:
            state = self._queue.popleft()
            steps = list(self._machine.actions(state))
            problem = problem_of(self._machine, state, steps)
            if problem and self._want in problem:
                return self._found(problem, state)
            if self._machine.finished(state):
                self._good.append(state)
            self._visit(state, steps)
            if len(self._seen) > self._limit:
                return Finding(None, (), len(self._seen), complete=False)
        return self._livelock() or Finding(None, (), len(self._seen), complete=True)

    def _visit(self, state: State, steps: Sequence[tuple[str, State]]) -> None:
        for label, following in steps:
            if not label.startswith(ENVIRONMENT):
                self._back.setdefault(following, []).append(state)
            if following not in self._seen:
                self._seen[following] = (state, label)
                self._queue.append(following)

    def _livelock(self) -> Finding | None:
        """Find a state from which the system alone, without further faults, never comes to the end."""
        alive, todo = set(self._good), list(self._good)
        while todo:
            for state in self._back.get(todo.pop(), ()):
                if state not in alive:
                    alive.add(state)
                    todo.append(state)
        lost = next((state for state in self._seen if state not in alive), None)
        if lost is None or self._want not in "livelock":
            return None
        return self._found("livelock: the end cannot be reached", lost)

    def _found(self, problem: str, state: State) -> Finding:
        labels: list[str] = []
        before, label = self._seen[state]
        while before is not None:
            labels.append(label)
            before, label = self._seen[before]
        return Finding(problem, tuple(reversed(labels)), len(self._seen), complete=False)


def explore(machine: Machine[State], *, limit: int = 600_000, want: str = "") -> Finding:
    """Visit every state, breadth first: a counterexample is a shortest one. `want` picks one kind of problem."""
    return _Search(machine, limit, want).run()


def problem_of(machine: Machine[State], state: State, steps: Sequence[tuple[str, State]]) -> str | None:
    """Give what is wrong with a state: a broken invariant, or nothing left that the system can do."""
    broken = machine.broken(state)
    if broken:
        return broken
    waits = all(label.startswith(ENVIRONMENT) for label, _ in steps)
    return "deadlock" if waits and not machine.finished(state) else None


def walk(machine: Machine[State], rng: random.Random, length: int = 600) -> Finding:
    """Follow one random schedule to its end; one that does not end is a problem too."""
    schedule: list[str] = []
    state, rate = machine.first(), rng.choice((0.03, 0.1, 0.3))
    for _ in range(length):
        steps = list(machine.actions(state))
        problem = problem_of(machine, state, steps)
        if problem:
            return Finding(problem, tuple(schedule), len(schedule), complete=False)
        system = [step for step in steps if not step[0].startswith(ENVIRONMENT)]
        faults = [step for step in steps if step[0].startswith(ENVIRONMENT)]
        if rng.random() < 0.95:  # an index that flushes late is the interesting one
            system = [step for step in system if not step[0].endswith("flushes")] or system
        if machine.finished(state) and (not faults or rng.random() < 0.3):
            return Finding(None, tuple(schedule), len(schedule), complete=False)
        label, state = rng.choice(faults if faults and (not system or rng.random() < rate) else system)
        schedule.append(label)
    return Finding("did not end", tuple(schedule), length, complete=False)
