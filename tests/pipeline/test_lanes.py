"""The order of units belongs to the plan: round-robin over lanes, strict, and the same after any restart."""

from __future__ import annotations

import random

import pytest

from headrace.pipeline.lanes import Lanes
from headrace.schemas.source import Cursor

PARTS = {0: 3, 1: 1, 2: 2, 3: 1, 4: 4}  # split -> parts
DEALT = [[0, 3], [1, 4], [2]]


def following(cursor: Cursor) -> Cursor | None:
    """Give the next part of the split, or None at its end."""
    last = cursor.part + 1 == PARTS[cursor.split]
    return None if last else Cursor(cursor.split, cursor.part + 1, 0, (cursor.part + 1) * 10)


def walk(lanes: Lanes, seed: int, until: int | None = None) -> list[tuple[int, int, int]]:
    """Hand out units and answer their reads in any order; give (unit, split, part) of all."""
    rng, out, open_reads = random.Random(seed), [], []
    while not lanes.ended and (until is None or lanes.handed_out < until):
        request = lanes.next()
        if request:
            out.append((request.unit, request.cursor.split, request.cursor.part))
            open_reads.append(request)
        if open_reads and (request is None or rng.random() < 0.5):
            done = open_reads.pop(rng.randrange(len(open_reads)))
            lanes.read(done.unit, following(done.cursor))
    for request in open_reads:
        lanes.read(request.unit, following(request.cursor))
    return out


def test_order_is_round_robin_and_does_not_depend_on_who_reads_first() -> None:
    """Whatever order reads come back in, units are handed out in the plan's order."""
    walks = [walk(Lanes(DEALT), seed) for seed in range(20)]
    assert all(w == walks[0] for w in walks)
    assert [(split, part) for _, split, part in walks[0]] == [
        (0, 0), (1, 0), (2, 0), (0, 1), (4, 0), (2, 1), (0, 2), (4, 1), (3, 0), (4, 2), (4, 3),
    ]  # fmt: skip


@pytest.mark.parametrize("stop", range(1, 11))
def test_a_restart_behind_any_unit_goes_on_in_the_same_order(stop: int) -> None:
    """Ordinals are not positions once a lane has ended: a restart needs the committed positions (`cursors`)."""
    whole = walk(Lanes(DEALT), 0)
    first = Lanes(DEALT)
    assert walk(first, stop, until=stop) == whole[:stop]
    positions, turn = first.commit(stop - 1)
    assert walk(Lanes(DEALT, positions, turn, stop), 5) == whole[stop:]


def test_a_lane_that_still_reads_holds_the_order_back() -> None:
    """A unit whose turn it is not cannot slip in: admission is strictly in global order (`order_admit`)."""
    lanes = Lanes([[0], [1]])
    first, second = lanes.next(), lanes.next()
    assert first and second and (first.cursor.split, second.cursor.split) == (0, 1)
    lanes.read(second.unit, None)  # the second lane has ended; the first one's read is still out
    assert lanes.next() is None
    lanes.read(first.unit, following(first.cursor))
    third = lanes.next()
    assert third and third.cursor == Cursor(0, 1, 0, 10)


def test_reading_a_unit_again_changes_nothing() -> None:
    """A replay from the source reports the same end twice; the lane moves once."""
    lanes = Lanes([[0]])
    request = lanes.next()
    assert request
    for _ in range(2):
        lanes.read(request.unit, following(request.cursor))
    again = lanes.next()
    assert again and again.cursor.part == 1
