"""What the pipeline model is made of: the world it runs in, its state, and the sequential loop that a run must equal.

A document is three letters, each position is a band of the index, and a repeat shares two positions. "!" in a text
kills its worker every time, "?" sometimes (near a deadline or a memory limit). A kept document is one token.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

# Each closes a hole that the search found; without it the machine follows a reading that the plain text allows.
FIXES = frozenset(
    {
        "order_admit", "index_sync", "rollback", "leaf3", "files_sync", "names", "driver_appends", "frozen",
        "spool_slots", "spool_reset", "spool_names", "publish", "cursors", "index_listed",
    }
)  # fmt: skip
# Steps that the protocol had from the start; a model that does not miss one of them has no teeth.
PROTOCOL = frozenset({"fsync_tmp", "fsync_dir", "probe_below", "wait_inserts"})

Key = tuple[int, int]  # unit, row
Band = tuple[int, str]  # position, letter
Entry = tuple[Band, Key]
Rows = tuple[int, ...]
Ledger = tuple[int, int, Rows, tuple[Key, ...]]  # unit, documents, kept rows, quarantined keys
Content = tuple[int, tuple[tuple[int, Rows], ...], Hashable]  # configuration, kept rows by unit, tokenizer
Pending = tuple[Any, ...]  # what a power loss may still take: its kind, then what it is
Spooled = tuple[int, Rows, tuple[Key, ...]]  # unit, kept rows, quarantined keys


class Flight(NamedTuple):
    """A unit under way. Phases: work, alone (bisection), probe, insert, tokenize, write."""

    unit: int
    phase: str = "work"
    strikes: int = 0
    work: tuple[Rows, ...] = ()  # slices that are still to be run alone
    bad: tuple[Key, ...] = ()
    kept: Rows = ()
    spooled: bool = False  # re-entered from the spool, in a slot of its own


class Line(NamedTuple):
    """A manifest line."""

    number: int
    name: Hashable
    first: int
    last: int
    content: Content
    ledgers: tuple[Ledger, ...]


class Zombie(NamedTuple):
    """What an actor of a dead driver may still do: its last call was under way."""

    kind: str  # writer | index | ledger | spool
    step: int
    what: Any
    line: Line | None = None


class PipeState(NamedTuple):
    """Everything there is at one moment: the driver's memory, the actors' memory, and what lies on disk."""

    up: bool = True
    configuration: int = 0
    admitted: frozenset[int] = frozenset()
    flights: tuple[Flight, ...] = ()
    next_settled: int = 0
    inserting: tuple[tuple[int, tuple[int, ...]], ...] = ()  # unit, partitions that still have to insert
    settled: tuple[tuple[int, Rows], ...] = ()
    next_written: int = 0
    open: tuple[tuple[int, Rows, tuple[Key, ...]], ...] = ()  # units in the open shard
    step: int = 0  # of the commit, 0 = none under way
    shards: int = 0
    memory: frozenset[Entry] = frozenset()
    durable: frozenset[Entry] = frozenset()  # index entries on disk
    pending: frozenset[Pending] = frozenset()
    files: frozenset[tuple[Hashable, Hashable]] = frozenset()  # shard name, content
    ledgers: frozenset[Ledger] = frozenset()
    lines: tuple[Line, ...] = ()
    seen: tuple[tuple[int, Content], ...] = ()  # what the loader was shown
    zombies: tuple[Zombie, ...] = ()
    earlier_units: int = 0  # kept documents that the earlier run has committed
    frozen: int = 0  # how many of them the plan of this run saw
    spool: tuple[Spooled, ...] = ()
    model: tuple[tuple[int, Rows], ...] | None = None  # the sample it was trained on
    drained: bool = False
    budget: tuple[tuple[str, int], ...] = ()


@dataclass
class PipeWorld:
    """Input, engine settings, and how often each fault may strike. `lanes` hold units, units hold documents."""

    lanes: tuple[tuple[tuple[str, ...], ...], ...]
    window: int = 2
    parts: int = 2
    target: int = 1
    sample: int = 0  # kept documents the tokenizer is trained on; 0 = it is given
    earlier: tuple[str, ...] = ()  # kept documents of an earlier run
    frozen_at: int = 0  # how many of them are there when the run begins
    faults: dict[str, int] = field(default_factory=dict)
    fixes: frozenset[str] = FIXES
    protocol: frozenset[str] = PROTOCOL

    def __post_init__(self) -> None:
        self._loops: dict[tuple[frozenset[Key], int], list[tuple[int, Rows]]] = {}

    @cached_property
    def order(self) -> list[tuple[int, int]]:
        """The global order of units, as (lane, place in the lane): round-robin over the lanes."""
        longest = max(map(len, self.lanes))
        return [(lane, i) for i in range(longest) for lane in range(len(self.lanes)) if i < len(self.lanes[lane])]

    @cached_property
    def units(self) -> list[tuple[str, ...]]:
        """The documents of every unit, in global order."""
        return [self.lanes[lane][i] for lane, i in self.order]

    def partition(self, band: Band) -> int:
        """Give the index partition that holds a band."""
        return (band[0] + ord(band[1])) % self.parts

    def entries(self, unit: int, kept: Rows) -> set[Entry]:
        """Give the index entries of a unit's kept documents."""
        return {(band, (unit, row)) for row in kept for band in enumerate(self.units[unit][row])}

    def sequential(self, quarantined: frozenset[Key], frozen: int) -> list[tuple[int, Rows]]:
        """Give what a plain query-then-insert loop keeps behind the earlier run's first documents.

        `quarantined` says who was, `frozen` how many of the earlier run's documents count.
        """
        if (quarantined, frozen) not in self._loops:
            self._loops[quarantined, frozen] = self._loop(quarantined, frozen)
        return self._loops[quarantined, frozen]

    def _loop(self, quarantined: frozenset[Key], frozen: int) -> list[tuple[int, Rows]]:
        kept = list(self.earlier[:frozen])
        out = []
        for unit, documents in enumerate(self.units):
            mine = []
            for row, text in enumerate(documents):
                if (unit, row) not in quarantined and not any(repeats(text, other) for other in kept):
                    kept.append(text)
                    mine.append(row)
            out.append((unit, tuple(mine)))
        return out


def repeats(a: str, b: str) -> bool:
    """Whether two documents share two positions."""
    return sum(x == y for x, y in zip(a, b, strict=True)) >= 2


def can(state: PipeState, fault: str) -> bool:
    """Whether a fault may strike once more."""
    return dict(state.budget).get(fault, 0) > 0


def paid(state: PipeState, fault: str) -> PipeState:
    """Give the state with one fault of a kind used up."""
    return state._replace(budget=tuple((kind, left - (kind == fault)) for kind, left in state.budget))


def put(state: PipeState, flight: Flight) -> PipeState:
    """Give the state with a flight changed or added."""
    others = [f for f in state.flights if f.unit != flight.unit]
    return state._replace(flights=tuple(sorted([*others, flight])))


def without(state: PipeState, unit: int) -> PipeState:
    """Give the state with a unit out of the window."""
    return state._replace(flights=tuple(f for f in state.flights if f.unit != unit))


def open_content(state: PipeState) -> Content:
    """Give what the open shard will hold."""
    return state.configuration, tuple((unit, kept) for unit, kept, _ in state.open), state.model


def shard_name(world: PipeWorld, number: int, content: Content) -> Hashable:
    """Give the file name of a shard: with its content's hash under `names`."""
    return (number, content) if "names" in world.fixes else number


def open_line(world: PipeWorld, state: PipeState) -> Line | None:
    """Give the manifest line of the open shard."""
    if not state.open:
        return None
    content = open_content(state)
    ledgers = tuple((unit, len(world.units[unit]), kept, bad) for unit, kept, bad in state.open)
    name = shard_name(world, state.shards, content)
    return Line(state.shards, name, state.open[0][0], state.open[-1][0], content, ledgers)


def renamed(
    files: frozenset[tuple[Hashable, Hashable]], name: Hashable, content: Hashable
) -> frozenset[tuple[Hashable, Hashable]]:
    """Give the folder after a rename onto `name`."""
    return frozenset({file for file in files if file[0] != name} | {(name, content)})


def with_ledger(world: PipeWorld, ledgers: frozenset[Ledger], ledger: Ledger) -> frozenset[Ledger]:
    """One file per unit, replaced on replay; under `names`, one file per content."""
    return frozenset(x for x in ledgers if x[0] != ledger[0] or "names" in world.fixes) | {ledger}


def show(state: PipeState, number: int, content: Content) -> PipeState:
    """Give the state after the loader was shown shard `number`."""
    return state._replace(seen=tuple(sorted({*state.seen, (number, content)}, key=repr)))
