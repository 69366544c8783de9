"""Pace and loader as a machine: acknowledgement files, windows of K shards, ranks, late trainers, restarts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

FIXES = frozenset({"ahead2k", "ack_gen", "end_line", "one_order", "prefix_hash", "unbind"})
Sequence = tuple[int, int]  # shard, sequence in it
LOST = -1  # the step of a rank whose checkpoint was refused


class PaceState(NamedTuple):
    """What the writer, the acknowledgement files and the ranks say at one moment."""

    steps: tuple[int, ...]
    attached: bool
    budget: tuple[tuple[str, int], ...]
    written: int = 0
    opened: bool = False
    ended: bool = False
    launch: int = 0
    acknowledgements: tuple[tuple[int, int, int], ...] = ()  # launch, rank, shards
    best: int = 0  # the truth: leading shards that every rank has consumed
    base: int = 0  # written when a late trainer attached
    checkpoint: tuple[int, int] = (0, 0)  # step, lines of the manifest then
    whole: bool = False  # the ranks read in the order of a finished set
    log: tuple[tuple[Sequence, ...], ...] = ()
    dead: bool = False


@dataclass
class PaceWorld:
    """`shards` lists the sequences of each shard; one epoch; launch i of the trainer has worlds[i] ranks."""

    shards: tuple[int, ...]
    k: int
    batch: int = 2  # sequences a step, over all ranks
    worlds: tuple[int, ...] = (1,)
    mode: str = "required"
    faults: dict[str, int] = field(default_factory=dict)
    fixes: frozenset[str] = FIXES

    @property
    def ahead(self) -> int:
        """How far the writer may be ahead: the formula, or K + 1 without it."""
        fewest = max(1, self.k * min(self.shards[:-1] or self.shards))
        return self.k * (1 + -(-(self.batch - 1) // fewest)) if "ahead2k" in self.fixes else self.k + 1

    @cached_property
    def windowed(self) -> list[Sequence]:
        """The order within windows of K shards."""
        order: list[Sequence] = []
        for begin in range(0, len(self.shards), self.k):
            order += _shuffled(self._sequences(begin, min(begin + self.k, len(self.shards))), begin)
        return order

    @cached_property
    def finished_order(self) -> list[Sequence]:
        """The order that a loader without `one_order` uses once the set has ended."""
        return _shuffled(self._sequences(0, len(self.shards)), 0)

    def _sequences(self, begin: int, end: int) -> list[Sequence]:
        return [(shard, i) for shard in range(begin, end) for i in range(self.shards[shard])]


def _shuffled(sequences: list[Sequence], seed: int) -> list[Sequence]:
    return [sequences[permuted(len(sequences), i, seed)] for i in range(len(sequences))]


def permuted(count: int, place: int, seed: int) -> int:
    """Keyed Feistel network with cycle walking: a bijection on range(count)."""
    half = max(1, ((count - 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    while True:
        left, right = place >> half, place & mask
        for number in range(4):
            mixed = right * 40503 + seed * 2654435761 + number * 97
            left, right = right, left ^ (mixed >> 5 & mask)
        place = left << half | right
        if place < count:
            return place


class Pace:
    """Gives every next step of a state, and says whether an invariant is broken."""

    def __init__(self, world: PaceWorld) -> None:
        self.world = world

    def first(self) -> PaceState:
        """Nothing has happened yet."""
        budget = tuple(sorted(self.world.faults.items()))
        return PaceState((0,) * self.world.worlds[0], self.world.mode == "required", budget)

    def finished(self, state: PaceState) -> bool:
        """The set has ended, and the trainer has read it or is not waited for."""
        all_read = min(state.steps) >= len(self.world.windowed) // self.world.batch
        return state.ended and (state.dead or not state.attached or all_read)

    def actions(self, state: PaceState) -> Iterator[tuple[str, PaceState]]:
        """Give every next step."""
        yield from self._written(state)
        if not state.attached and not state.dead and _can(state, "attach"):
            yield "!trainer attaches late", _paid(state, "attach")._replace(attached=True, base=state.written)
        if not state.attached or state.dead:
            return
        for rank, step in enumerate(state.steps):
            if step == min(state.steps) and self._readable(state, step):
                yield f"rank {rank} takes step {step}", self._stepped(state, rank, step)
        if min(state.steps) == max(state.steps) > state.checkpoint[0] and _can(state, "restart"):
            yield "checkpoint", state._replace(checkpoint=(state.steps[0], state.written))
        if _can(state, "restart") and any(state.steps):
            yield self._restarted(state)
        if self.world.mode == "none" and _can(state, "leave"):
            bound = "unbind" not in self.world.fixes
            yield "!trainer leaves for good", _paid(state, "leave")._replace(dead=True, attached=bound)

    def broken(self, state: PaceState) -> str | None:
        """Say which invariant a state breaks."""
        if state.dead and state.steps[0] == LOST:
            return "a valid checkpoint cannot be resumed while the data set grows"
        if state.attached and state.written - max(state.best, state.base) > self.world.ahead:
            return f"produced - consumed = {state.written - state.best} > ahead"
        taken = [sequence for batch in state.log for sequence in batch]
        if taken != self.world.windowed[: len(taken)]:
            return "order differs from the finished set's" + (" and repeats" if len(set(taken)) < len(taken) else "")
        return None

    def _written(self, state: PaceState) -> Iterator[tuple[str, PaceState]]:
        total = len(self.world.shards)
        if state.opened:
            written = state.written + 1
            yield "commit shard", state._replace(opened=False, written=written, ended=written == total)
        elif state.written < total and state.written - self._acknowledged(state) < self.world.ahead:
            yield "open shard", state._replace(opened=True)

    def _readable(self, state: PaceState, step: int) -> bool:
        end = (step + 1) * self.world.batch
        if state.whole:
            return end <= len(self.world.finished_order)
        released = state.ended and "end_line" in self.world.fixes
        shards = state.written if released else state.written - state.written % self.world.k
        return end <= sum(self.world.shards[:shards])

    def _order(self, state: PaceState) -> list[Sequence]:
        return self.world.finished_order if state.whole else self.world.windowed

    def _stepped(self, state: PaceState, rank: int, step: int) -> PaceState:
        order, world, batch = self._order(state), len(state.steps), self.world.batch
        steps = tuple(other + (number == rank) for number, other in enumerate(state.steps))
        mine = (state.launch, rank, self._consumed(order, step + 1, world, rank))
        known = "ack_gen" not in self.world.fixes
        others = [a for a in state.acknowledgements if (known or a[0] == state.launch) and a[1] != rank]
        after = state._replace(steps=steps, acknowledgements=tuple(sorted([*others, mine])))
        if min(steps) > min(state.steps):
            taken = tuple(order[step * batch : (step + 1) * batch])
            after = after._replace(log=(*state.log[:step], taken))
        slowest = min(self._consumed(order, other, world, number) for number, other in enumerate(steps))
        return after._replace(best=max(after.best, slowest))

    def _consumed(self, order: list[Sequence], step: int, world: int, rank: int) -> int:
        """Leading shards of which a rank has nothing left to read."""
        begin = step * self.world.batch
        left = [shard for i, (shard, _) in enumerate(order) if i % world == rank and i >= begin]
        return min(left, default=len(self.world.shards))

    def _acknowledged(self, state: PaceState) -> int:
        if not state.attached:
            return state.written
        if "ack_gen" not in self.world.fixes:
            return max(state.base, min([shards for _, _, shards in state.acknowledgements], default=0))
        # Files of the newest launch only, of all its ranks, and never backwards.
        files = {rank: shards for launch, rank, shards in state.acknowledgements if launch == state.launch}
        return max(state.base, state.best, min(files.get(rank, 0) for rank in range(len(state.steps))))

    def _restarted(self, state: PaceState) -> tuple[str, PaceState]:
        worlds = self.world.worlds
        ranks = worlds[min(state.launch + 1, len(worlds) - 1)]
        back, lines = state.checkpoint
        again = _paid(state, "restart")
        if "prefix_hash" not in self.world.fixes and back and lines != state.written:
            label = "!trainer restarts: state refused, the manifest has grown"
            return label, again._replace(dead=True, steps=(LOST,) * ranks)
        whole = state.ended and "one_order" not in self.world.fixes
        label = f"!trainer restarts at step {back} with {ranks} ranks"
        started = again._replace(launch=state.launch + 1, steps=(back,) * ranks, log=state.log[:back], whole=whole)
        return label, started


def _can(state: PaceState, fault: str) -> bool:
    return dict(state.budget).get(fault, 0) > 0


def _paid(state: PaceState, fault: str) -> PaceState:
    return state._replace(budget=tuple((kind, left - (kind == fault)) for kind, left in state.budget))
