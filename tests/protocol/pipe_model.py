"""The pipeline as a machine: lanes, window, strikes and bisection, partitioned index, spool, writer, commit, faults."""

from __future__ import annotations

from collections.abc import Iterator

from tests.protocol.pipe_faults import (
    actors_die,
    driver_dies,
    objects_lost,
    of_partition,
    restarts,
    resumed,
    zombies_act,
)
from tests.protocol.pipe_state import (
    Band,
    Flight,
    Key,
    Line,
    PipeState,
    PipeWorld,
    Rows,
    can,
    open_content,
    open_line,
    paid,
    put,
    renamed,
    repeats,
    shard_name,
    show,
    with_ledger,
    without,
)

Steps = Iterator[tuple[str, PipeState]]
STRIKES = 2


class Pipe:
    """Gives every next step of a state, and says whether an invariant is broken."""

    def __init__(self, world: PipeWorld) -> None:
        self.world = world

    def first(self) -> PipeState:
        """Nothing has happened yet."""
        world = self.world
        budget = tuple(sorted(world.faults.items()))
        return PipeState(earlier_units=world.frozen_at, frozen=world.frozen_at, drained=not world.sample, budget=budget)

    def finished(self, state: PipeState) -> bool:
        """Every unit is committed."""
        complete = state.lines and state.lines[-1].last == len(self.world.units) - 1
        return bool(state.up and not state.step and complete)

    def actions(self, state: PipeState) -> Steps:
        """Give every next step: the system's own, and those of the environment, which begin with "!"."""
        if not state.up:
            yield from restarts(self.world, state)
            yield from zombies_act(self.world, state)
            return
        yield from self._admissions(state)
        for flight in state.flights:
            yield from self._flight(state, flight)
        yield from self._inserts(state)
        yield from self._spool(state)
        yield from self._commit(state)
        yield from zombies_act(self.world, state)
        yield from actors_die(self.world, state)
        if can(state, "advance"):
            more = paid(state, "advance")._replace(earlier_units=len(self.world.earlier))
            yield "!the earlier run is resumed and commits more", more
        yield from driver_dies(self.world, state)

    def broken(self, state: PipeState) -> str | None:
        """Say which invariant a state breaks."""
        at = 0
        for number, line in enumerate(state.lines):
            if line.number != number or line.first != at:
                return f"units lost or doubled at line {number}: {line.first}..{line.last}"
            at = line.last + 1
            if problem := _line_problem(state, line):
                return problem
        if problem := self._verdict_problem(state):
            return problem
        if any(flight.unit < at for flight in state.flights):
            return "a committed unit is read again as a new one"
        if len({unit[0] for unit in state.spool}) < len(state.spool):
            return "a unit is in the spool twice"
        return None

    def _verdict_problem(self, state: PipeState) -> str | None:
        bad = frozenset(key for line in state.lines for ledger in line.ledgers for key in ledger[3])
        if any(not set("!?") & set(self.world.units[unit][row]) for unit, row in bad):
            return "random kills quarantined an innocent document"
        target = self.world.target
        for line in state.lines:
            want = self.world.sequential(bad, state.frozen)[line.first : line.last + 1]
            if list(line.content[1]) != want:
                return f"verdicts of shard {line.number} are {list(line.content[1])}, the sequential loop says {want}"
            if any(sum(len(rows) for _, rows in want[: i + 1]) >= target for i in range(len(want) - 1)):
                return f"shard {line.number} closed at another border"
        return None

    # Admission and stateless work

    def _admissions(self, state: PipeState) -> Steps:
        own_slots = "spool_slots" in self.world.fixes
        in_window = sum(not (own_slots and flight.spooled) for flight in state.flights)
        if in_window >= self.world.window:
            return
        missing = [unit for unit in range(len(self.world.units)) if unit not in state.admitted]
        if "order_admit" in self.world.fixes:
            ready = missing[:1]
        else:  # whichever lane has its next unit ready
            lane_of = [lane for lane, _ in self.world.order]
            ready = [u for u in missing if not any(v < u and lane_of[v] == lane_of[u] for v in missing)]
        for unit in ready:
            yield f"admit {unit}", put(state, Flight(unit))._replace(admitted=state.admitted | {unit})

    def _flight(self, state: PipeState, flight: Flight) -> Steps:
        match flight.phase:
            case "work" | "alone":
                yield from self._worked(state, flight)
            case "probe":
                yield from self._probed(state, flight)
            case "tokenize" if state.model or not self.world.sample:
                yield f"{flight.unit} tokenized", put(state, flight._replace(phase="write"))
            case "write" if flight.unit == state.next_written and not state.step:
                yield from self._taken(state, flight)
        yield from objects_lost(state, flight)

    def _worked(self, state: PipeState, flight: Flight) -> Steps:
        texts = self.world.units[flight.unit]
        running = [texts[row] for row in flight.work[0]] if flight.phase == "alone" else list(texts)
        if any("!" in text or "?" in text for text in running):
            yield f"{flight.unit} kills its worker", self._struck(state, flight)
        if not any("!" in text for text in running):
            yield f"{flight.unit} processed", put(state, _next_slice(flight))
        if can(state, "worker"):
            yield f"!a worker of {flight.unit} is killed at random", self._struck(paid(state, "worker"), flight)

    def _struck(self, state: PipeState, flight: Flight) -> PipeState:
        if flight.phase == "work":
            if flight.strikes + 1 < STRIKES:
                return put(state, flight._replace(strikes=flight.strikes + 1))
            whole = tuple(range(len(self.world.units[flight.unit])))
            return put(state, flight._replace(phase="alone", strikes=0, work=(whole,)))
        head, rest = flight.work[0], flight.work[1:]
        if len(head) > 1:
            half = len(head) // 2
            return put(state, flight._replace(strikes=0, work=(head[:half], head[half:], *rest)))
        if flight.strikes + 1 < (3 if "leaf3" in self.world.fixes else 1):
            return put(state, flight._replace(strikes=flight.strikes + 1))
        victims = tuple((flight.unit, row) for row in head)
        return put(state, _next_slice(flight._replace(bad=flight.bad + victims)))

    # Dedup: probe in order, then insert into every partition

    def _probed(self, state: PipeState, flight: Flight) -> Steps:
        unit = flight.unit
        if unit > state.next_settled or (state.inserting and "wait_inserts" in self.world.protocol):
            return
        kept = self._kept(state, unit, flight.bad)
        before = dict(state.settled).get(unit)
        if "rollback" in self.world.fixes and before is not None and before != kept:
            yield f"{unit} replayed with another verdict: back to the last commit", resumed(self.world, state)
            return
        settled = tuple(sorted({**dict(state.settled), unit: kept}.items()))
        moved = put(state, flight._replace(phase="insert", strikes=0, work=(), kept=kept))
        yield (
            f"dedup settles {unit}",
            moved._replace(
                inserting=(*state.inserting, (unit, tuple(range(self.world.parts)))),
                next_settled=max(state.next_settled, unit + 1),
                settled=settled,
            ),
        )

    def _kept(self, state: PipeState, unit: int, quarantined: tuple[Key, ...]) -> Rows:
        below = "probe_below" in self.world.protocol
        bands: dict[Band, set[str]] = {}
        for band, key in state.memory | state.durable:
            if key[0] < unit or not below:
                bands.setdefault(band, set()).add(self.world.units[key[0]][key[1]])
        visible = state.frozen if "frozen" in self.world.fixes else state.earlier_units
        for text in self.world.earlier[:visible]:
            for band in enumerate(text):
                bands.setdefault(band, set()).add(text)
        kept: list[int] = []
        for row, text in enumerate(self.world.units[unit]):
            others = set().union(*(bands.get(band, ()) for band in enumerate(text)))
            others |= {self.world.units[unit][other] for other in kept}
            if (unit, row) not in quarantined and not any(repeats(text, other) for other in others):
                kept.append(row)
        return tuple(kept)

    def _inserts(self, state: PipeState) -> Steps:
        open_inserts = state.inserting[:1] if "wait_inserts" in self.world.protocol else state.inserting
        for unit, parts in open_inserts:
            flight = next((f for f in state.flights if f.unit == unit), None)
            for part in parts:
                yield f"index {part} inserts {unit}", self._inserted(state, unit, flight, part, parts)

    def _inserted(
        self, state: PipeState, unit: int, flight: Flight | None, part: int, parts: tuple[int, ...]
    ) -> PipeState:
        left = tuple(other for other in parts if other != part)
        new = (
            of_partition(self.world, frozenset(self.world.entries(unit, flight.kept)), part) if flight else frozenset()
        )
        inserting = [(u, left if u == unit else others) for u, others in state.inserting]
        after = state._replace(
            memory=state.memory | (new - state.durable), inserting=tuple((u, rest) for u, rest in inserting if rest)
        )
        if left or not flight:
            return after
        if not after.drained and not after.model and not self._sample_full(after):
            entry = (unit, flight.kept, flight.bad)  # spooled, and out of the window
            return without(after, unit)._replace(spool=(*after.spool, entry))
        return put(after, flight._replace(phase="tokenize", strikes=0, work=()))

    # Tokenizer spool

    def _sample_full(self, state: PipeState) -> bool:
        return sum(len(unit[1]) for unit in state.spool) >= self.world.sample

    def _spool(self, state: PipeState) -> Steps:
        if not self.world.sample:
            return
        all_settled = state.next_settled == len(self.world.units) and not state.inserting
        if not state.model and (self._sample_full(state) or all_settled):
            yield "train tokenizer", state._replace(model=tuple(unit[:2] for unit in state.spool))
        if not state.model or state.drained:
            return
        if not state.spool:
            yield "spool is empty", state._replace(drained=True)
        elif "spool_slots" in self.world.fixes or len(state.flights) < self.world.window:
            unit, kept, bad = state.spool[0]
            flight = Flight(unit, "tokenize", bad=bad, kept=kept, spooled=True)
            yield f"spooled {unit} re-enters", put(state, flight)._replace(spool=state.spool[1:])

    # Writer and commit

    def _taken(self, state: PipeState, flight: Flight) -> Steps:
        unit = flight.unit
        ledger = (unit, len(self.world.units[unit]), flight.kept, flight.bad)
        opened = (*state.open, (unit, flight.kept, flight.bad))
        full = sum(len(kept) for _, kept, _ in opened) >= self.world.target or unit == len(self.world.units) - 1
        yield (
            f"writer takes {unit}",
            without(state, unit)._replace(
                open=opened,
                next_written=unit + 1,
                step=int(full),
                ledgers=with_ledger(self.world, state.ledgers, ledger),
                pending=state.pending | {("ledger", ledger)},
            ),
        )

    def _commit(self, state: PipeState) -> Steps:
        line = open_line(self.world, state)
        if not state.step or line is None:
            return
        content = open_content(state)
        name = shard_name(self.world, state.shards, content)
        temporary, entry = ("temporary", state.shards, content), ("name", name, content)
        after, pending = state._replace(step=state.step + 1), state.pending
        fixes, protocol = self.world.fixes, self.world.protocol
        match state.step:
            case 1:
                yield "write temporary shard", after._replace(pending=pending | {temporary})
            case 2:
                synced = pending - {temporary} if "fsync_tmp" in protocol else pending
                yield "fsync shard", after._replace(pending=synced)
            case 3:
                files = renamed(state.files, name, content)
                yield "rename shard", after._replace(files=files, pending=pending | {entry})
            case 4:
                synced = pending - {entry} if "fsync_dir" in protocol else pending
                yield "fsync folder", after._replace(pending=synced)
            case 5:
                synced = frozenset(p for p in pending if p[0] != "ledger") if "files_sync" in fixes else pending
                yield "close unit files", after._replace(pending=synced)
            case 6:
                if "index_sync" not in fixes or not any(key[0] <= line.last for _, key in state.memory):
                    shown = after if "publish" in fixes else show(after, state.shards, content)
                    lines = (*state.lines, line)
                    yield (
                        "append manifest line",
                        shown._replace(lines=lines, pending=pending | {("line", state.shards)}),
                    )
            case 7:
                synced = frozenset(p for p in pending if p[0] != "line")
                done = show(state, state.shards, content)._replace(pending=synced)
                yield "fsync manifest", done._replace(step=0, shards=state.shards + 1, open=())


def _next_slice(flight: Flight) -> Flight:
    rest = flight.work[1:]
    return flight._replace(phase="alone" if rest else "probe", strikes=0, work=rest)


def _line_problem(state: PipeState, line: Line) -> str | None:
    if dict(state.files).get(line.name) != line.content:
        return f"committed shard {line.number} is not what its manifest line says"
    if any(ledger not in state.ledgers for ledger in line.ledgers):
        return f"ledger files of shard {line.number} are missing"
    if line.content[2] != state.model or line.content[0] != state.configuration:
        return f"shard {line.number} was made with another model or configuration"
    for number, shown in state.seen:
        if number == line.number and shown[0] == state.configuration and shown != line.content:
            return f"the trainer saw another shard {line.number}"
    for _, documents, kept, bad in line.ledgers:
        if {row for _, row in bad} & set(kept) or len(kept) + len(bad) > documents:
            return f"the ledger of shard {line.number} does not balance"
    return None
