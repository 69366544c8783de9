"""The worlds that the model is searched in: one per hole, small exhaustive ones, and random ones."""

from __future__ import annotations

import random
from typing import NamedTuple

from tests.protocol.pace_model import FIXES as PACE_FIXES
from tests.protocol.pace_model import PaceWorld
from tests.protocol.pipe_state import FIXES as PIPE_FIXES
from tests.protocol.pipe_state import PROTOCOL, PipeWorld

Lanes = tuple[tuple[tuple[str, ...], ...], ...]

TWO: Lanes = ((("abc",), ("abd",)),)  # one lane, two units, the second repeats the first
LANES: Lanes = ((("abc",), ("xyz",)), (("abd",),))  # two lanes of different length
ONE: Lanes = ((("abc",),),)
DOUBT: Lanes = ((("ab?",), ("abd",)),)  # a document that is kept or quarantined, and a repeat of it
PAIR: Lanes = ((("abc",), ("xyz",)),)


class Hole(NamedTuple):
    """A world that breaks without one rule; `want` picks one of several kinds of problem."""

    rule: str
    world: PipeWorld | PaceWorld
    want: str = ""


def pipe(
    lanes: Lanes, *, window: int = 1, parts: int = 1, target: int = 1, sample: int = 0, **faults: int
) -> PipeWorld:
    """Give a world; the other keywords are faults, and how often each may strike."""
    return PipeWorld(lanes, window=window, parts=parts, target=target, sample=sample, faults=faults)


def pace(shards: tuple[int, ...], k: int, batch: int = 2, **faults: int) -> PaceWorld:
    """Give a world of a trainer that is required and has one rank."""
    return PaceWorld(shards, k, batch, faults=faults)


# name -> hole
HOLES: dict[str, Hole] = {
    "index_sync": Hole("index_sync", pipe(TWO, parts=2, kill=1)),
    "rollback, driver killed": Hole("rollback", pipe(DOUBT, window=2, kill=1)),
    "rollback, object lost": Hole("rollback", pipe(DOUBT, window=2, lost=1)),
    "rollback, index dies": Hole("rollback", pipe(TWO, index=1)),
    "rollback, writer dies": Hole("rollback", pipe(PAIR, target=2, writer=1)),
    "order_admit": Hole("order_admit", pipe(LANES)),
    "spool_slots": Hole("spool_slots", pipe(TWO, sample=1)),
    "spool_reset": Hole("spool_reset", pipe(PAIR, sample=2, kill=1)),
    "spool_names": Hole("spool_names", pipe(DOUBT, sample=2, kill=1)),
    "files_sync": Hole("files_sync", pipe(ONE, power=1)),
    "publish": Hole("publish", pipe(((("ab?",),),), power=1)),
    "driver_appends": Hole("driver_appends", pipe(TWO, kill=1), "doubled at"),
    "index_listed": Hole("index_listed", pipe(DOUBT, kill=1)),
    "names, unit files": Hole("names", pipe(((("ab?",),),), kill=1)),
    "names, fresh": Hole("names", pipe(ONE, kill=1, fresh=1)),
    "frozen": Hole("frozen", PipeWorld(ONE, window=1, parts=1, earlier=("abd",), faults={"advance": 1})),
    "frozen, between two sessions": Hole(
        "frozen", PipeWorld(PAIR, window=1, parts=1, earlier=("xya",), faults={"advance": 1, "kill": 1})
    ),
    "leaf3": Hole("leaf3", pipe(ONE, worker=4)),
    "cursors": Hole("cursors", pipe(((("abc",),), (("def",), ("ghi",), ("xyz",))), kill=1)),
    "ahead2k": Hole("ahead2k", pace((3, 3, 3, 3), 2, 4)),
    "ack_gen, a rank that left": Hole(
        "ack_gen", PaceWorld((2,) * 5, 1, worlds=(2, 1), faults={"restart": 1}), "deadlock"
    ),
    "ack_gen, a rank not up yet": Hole("ack_gen", PaceWorld((2,) * 5, 1, worlds=(2,))),
    "end_line": Hole("end_line", pace((2, 2, 2), 2)),
    "one_order": Hole("one_order", pace((2, 2, 2, 2), 2, restart=1)),
    "prefix_hash": Hole("prefix_hash", pace((2, 2, 2, 2), 1, restart=1)),
    "unbind": Hole("unbind", PaceWorld((2,) * 5, 1, mode="none", faults={"attach": 1, "leave": 1})),
}

# Steps the protocol always had; `rollback` is off here, since it would hide some of them.
REMOVED: dict[str, PipeWorld] = {
    "fsync_tmp": pipe(ONE, power=1),
    "fsync_dir": pipe(ONE, power=1),
    "probe_below": pipe(TWO, window=2, lost=1),
    "wait_inserts": pipe(TWO, window=2),
}

QUICK: dict[str, PipeWorld | PaceWorld] = {
    "two lanes, actors": pipe(LANES, window=2, target=2, index=1, writer=1, lost=1),
    "poison and random kills": pipe(((("abc", "x!z"), ("abd",)),), window=2, worker=2, lost=1),
    "spool": pipe(((("abc",), ("xyz",), ("abd",)),), window=2, sample=2, power=1),
    "windows, restarts": PaceWorld((3, 3, 3, 3, 1), 2, 4, worlds=(2, 1, 4), faults={"restart": 2}),
    "late trainer": PaceWorld(
        (2, 3, 2, 2, 1), 2, worlds=(2, 1), mode="none", faults={"attach": 1, "leave": 1, "restart": 1}
    ),
}

EXHAUSTIVE: dict[str, PipeWorld] = {
    "two lanes, crashes": pipe(LANES, window=2, parts=2, target=2, kill=1, power=1),
    "uncertain document, crashes": pipe(DOUBT, window=2, kill=1, power=1),
    "uncertain document, lost objects": pipe(DOUBT, window=2, parts=2, lost=2, index=1),
    "uncertain document, spool": pipe(DOUBT, window=2, sample=2, kill=1, lost=1),
    "spool, lost objects": pipe(((("abc",), ("xyz",), ("abd",)),), window=2, sample=2, lost=2, writer=1),
    "spool, kill": pipe(PAIR, sample=1, kill=1),
    "earlier run, fresh": PipeWorld(
        TWO, window=1, parts=1, earlier=("zbd",), faults={"advance": 1, "kill": 1, "fresh": 1}
    ),
}


def random_pipe(rng: random.Random, fixes: frozenset[str] = PIPE_FIXES) -> PipeWorld:
    """Give a random world of the pipeline."""
    most = {"kill": 3, "power": 2, "worker": 2, "lost": 2, "index": 2, "writer": 2, "fresh": 1, "advance": 1}
    units = [tuple(_text(rng) for _ in range(rng.randint(0, 3))) for _ in range(12)]
    lanes = tuple(tuple(rng.sample(units, rng.randint(1, 4))) for _ in range(rng.randint(1, 3)))
    earlier = tuple(_letters(rng) for _ in range(rng.randint(0, 2)))
    return PipeWorld(
        lanes,
        window=rng.randint(1, 4),
        parts=rng.randint(1, 3),
        target=rng.randint(1, 4),
        sample=rng.choice((0, 0, 2, 4)),
        earlier=earlier,
        frozen_at=rng.randint(0, len(earlier)),
        faults={fault: rng.randint(0, limit) for fault, limit in most.items()},
        fixes=fixes,
        protocol=PROTOCOL,
    )


def _letters(rng: random.Random) -> str:
    return "".join(rng.choice("abc") for _ in range(3))


def _text(rng: random.Random) -> str:
    letters = _letters(rng)
    return letters if rng.random() > 0.2 else letters[:2] + rng.choice("!?")


def random_pace(rng: random.Random, fixes: frozenset[str] = PACE_FIXES) -> PaceWorld:
    """Give a random world of writer and trainer."""
    shards = (*(rng.randint(2, 4) for _ in range(rng.randint(1, 9))), rng.randint(0, 4))
    return PaceWorld(
        shards,
        rng.randint(1, 3),
        rng.choice((4, 8)),
        worlds=tuple(rng.choice((1, 2, 4)) for _ in range(4)),
        mode=rng.choice(("required", "none")),
        faults={"restart": 3, "attach": 1, "leave": rng.randint(0, 1)},
        fixes=fixes,
    )
