"""What may befall the pipeline model: kills, power losses, lost objects, and actors of a dead driver that still act."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

from tests.protocol.pipe_state import (
    Entry,
    Flight,
    Pending,
    PipeState,
    PipeWorld,
    Zombie,
    can,
    open_content,
    open_line,
    paid,
    renamed,
    shard_name,
    with_ledger,
)

Steps = Iterator[tuple[str, PipeState]]


def resumed(world: PipeWorld, state: PipeState) -> PipeState:
    """A new driver, or under `rollback` the same one after the loss of an ordered actor: behind the last commit."""
    start = state.lines[-1].last + 1 if state.lines else 0
    durable, pending, seen = state.durable, state.pending, state.seen
    if "rollback" in world.fixes:
        durable = frozenset(entry for entry in durable if entry[1][0] < start)
    if "publish" in world.fixes:  # fsync what is accepted, then show it to the loader
        seen = tuple(sorted({*seen, *((line.number, line.content) for line in state.lines)}, key=repr))
        pending = frozenset(p for p in pending if p[0] != "line")
    return state._replace(
        up=True,
        admitted=_admitted(world, start),
        flights=(),
        next_settled=start,
        inserting=(),
        settled=(),
        next_written=start,
        open=(),
        step=0,
        shards=len(state.lines),
        memory=frozenset(),
        durable=durable,
        pending=pending,
        seen=seen,
        spool=() if "spool_reset" in world.fixes else state.spool,
        drained=bool(not world.sample or state.lines),
    )


def _admitted(world: PipeWorld, start: int) -> frozenset[int]:
    if "cursors" in world.fixes:
        return frozenset(range(start))
    # Only an ordinal is known: it is dealt over the lanes as if none of them had ended.
    count = len(world.lanes)
    at = [start // count + (lane < start % count) for lane in range(count)]
    return frozenset(unit for unit, (lane, i) in enumerate(world.order) if i < at[lane])


def restarts(world: PipeWorld, state: PipeState) -> Steps:
    """A dead driver is started again, perhaps with --fresh and another configuration: then the plan is a new one."""
    yield "restart", resumed(world, state)
    if can(state, "fresh"):
        wiped = paid(state, "fresh")._replace(
            configuration=1,
            frozen=state.earlier_units,
            lines=(),
            files=frozenset(),
            ledgers=frozenset(),
            durable=frozenset(),
            pending=frozenset(),
            seen=(),
            model=None,
            spool=(),
        )
        yield "!restart --fresh with another configuration", resumed(world, wiped)


def actors_die(world: PipeWorld, state: PipeState) -> Steps:
    """An index partition or the writer dies while the driver lives."""
    for part in range(world.parts):
        mine = of_partition(world, state.memory, part)
        if mine:
            yield f"index {part} flushes", state._replace(memory=state.memory - mine, durable=state.durable | mine)
            if can(state, "index"):
                lost = paid(state, "index")._replace(memory=state.memory - mine)
                yield f"!index {part} dies and restarts", resumed(world, lost) if "rollback" in world.fixes else lost
    if can(state, "writer") and state.open:
        yield "!writer dies and restarts", _writer_lost(world, state)


def _writer_lost(world: PipeWorld, state: PipeState) -> PipeState:
    lost = paid(state, "writer")._replace(open=(), step=0)
    if "rollback" in world.fixes:
        return resumed(world, lost)
    again = {unit for unit, _, _ in state.open}  # through the normal gate; later units keep their slots
    return lost._replace(admitted=state.admitted - again, next_written=state.open[0][0])


def driver_dies(world: PipeWorld, state: PipeState) -> Steps:
    """The driver is killed (its actors may still end their last call), or the machine loses power (nothing may)."""
    if can(state, "kill"):
        left = (*state.zombies, *_left_behind(world, state))
        yield "!kill -9 of the driver", paid(state, "kill")._replace(up=False, memory=frozenset(), zombies=left)
    if can(state, "power"):
        for lost in _subsets(state.pending):
            yield f"!power loss, lost: {[p[:2] for p in lost]}", _powered_off(state, set(lost))


def _left_behind(world: PipeWorld, state: PipeState) -> Iterator[Zombie]:
    if 1 <= state.step <= 6:
        yield Zombie("writer", state.step, (state.shards, open_content(state)), open_line(world, state))
    for part in range(world.parts):
        if mine := of_partition(world, state.memory, part):
            yield Zombie("index", part, mine)
    for flight in state.flights:
        ledger = (flight.unit, len(world.units[flight.unit]), flight.kept, flight.bad)
        if flight.phase == "write":
            yield Zombie("ledger", 0, (state.configuration, ledger))
        if flight.phase == "insert" and world.sample and not state.model:
            yield Zombie("spool", 0, (flight.unit, flight.kept, flight.bad))


def _powered_off(state: PipeState, lost: set[Pending]) -> PipeState:
    torn = {p[2] for p in lost if p[0] == "temporary"}
    there = {file for file in state.files if ("name", *file) not in lost}
    return paid(state, "power")._replace(
        up=False,
        memory=frozenset(),
        files=frozenset((name, "TORN" if content in torn else content) for name, content in there),
        lines=tuple(line for line in state.lines if ("line", line.number) not in lost),
        ledgers=frozenset(ledger for ledger in state.ledgers if ("ledger", ledger) not in lost),
        pending=frozenset(),
        zombies=(),
    )


def _subsets(items: frozenset[Pending]) -> Iterator[tuple[Pending, ...]]:
    """All subsets of a few items; of many items the small ones and their complements."""
    ordered = sorted(items, key=repr)
    if len(ordered) <= 5:
        return chain.from_iterable(combinations(ordered, n) for n in range(len(ordered) + 1))
    singles = [(item,) for item in ordered]
    complements = [tuple(other for other in ordered if other != item) for item in ordered]
    return iter([(), tuple(ordered), *singles, *complements])


def zombies_act(world: PipeWorld, state: PipeState) -> Steps:
    """Actors of a dead driver end their last call (1.1 s were measured) while a new driver already runs."""
    for zombie in state.zombies:
        rest = state._replace(zombies=tuple(z for z in state.zombies if z != zombie))
        match zombie.kind:
            case "index":  # a sorted run that no manifest line names does not exist
                listed = "index_listed" in world.fixes
                durable = state.durable if listed else state.durable | zombie.what
                yield f"!zombie index {zombie.step} flushes", rest._replace(durable=durable)
            case "ledger":
                ledgers = with_ledger(world, state.ledgers, zombie.what[1])
                yield f"!zombie writes the files of unit {zombie.what[1][0]}", rest._replace(ledgers=ledgers)
            case "spool":
                yield f"!zombie spools unit {zombie.what[0]}", _spooled_late(world, rest, zombie)
            case "writer":
                yield from _zombie_writer(world, rest, zombie)


def _spooled_late(world: PipeWorld, state: PipeState, zombie: Zombie) -> PipeState:
    if "spool_names" in world.fixes:  # every session's spool has names of its own
        return state
    spool = tuple(zombie.what if unit[0] == zombie.what[0] else unit for unit in state.spool)
    return state._replace(spool=spool)


def _zombie_writer(world: PipeWorld, state: PipeState, zombie: Zombie) -> Steps:
    number, content = zombie.what
    if zombie.step <= 3:
        files = renamed(state.files, shard_name(world, number, content), content)
        again = zombie._replace(step=6)
        yield f"!zombie renames shard {number}", state._replace(files=files, zombies=(*state.zombies, again))
    elif "driver_appends" not in world.fixes and zombie.line is not None:
        yield f"!zombie appends line {number}", state._replace(lines=(*state.lines, zombie.line))


def of_partition(world: PipeWorld, entries: frozenset[Entry], part: int) -> frozenset[Entry]:
    """Give the entries that one index partition holds."""
    return frozenset(entry for entry in entries if world.partition(entry[0]) == part)


def objects_lost(state: PipeState, flight: Flight) -> Steps:
    """A unit's data went with its node: it is read again from the source, without a strike, in the slot it has."""
    if flight.phase in {"tokenize", "write"} and can(state, "lost"):
        replay = Flight(flight.unit, spooled=flight.spooled)
        flights = tuple(replay if f is flight else f for f in state.flights)
        yield f"!object of {flight.unit} lost: replay from the source", paid(state, "lost")._replace(flights=flights)
