"""Repeats are counted by arrays beside the survivors: what a run of any size takes is known before it is read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from xxhash import xxh3_64_intdigest

from headrace.pipeline.what_if.deciding import Decided
from headrace.pipeline.what_if.repeats import Repeats
from headrace.schemas.index import found_in

KEPT = 4  # stages
DEDUP = 2


def decided(left: list[int], leaves: list[int]) -> Decided:
    """Give what became of documents and what would; all else does not matter here."""
    count = len(left)
    nothing, numbers = np.zeros(count, np.int64), np.zeros(count)
    letters = np.full(count, None, np.object_)
    places = np.array(left, np.int64), np.array(leaves, np.int64)
    return Decided(nothing, nothing, *places, numbers, numbers, letters, np.zeros(count, np.bool_))


def test_repeats_are_counted_with_what_they_repeat() -> None:
    """Only of survivors that would leave before the stage that compared them, and only if the repeat stays.

    A survivor in an earlier run is none of them, whatever its doc_id.
    """
    rng = np.random.default_rng(3)
    ids = [f"web:{number}" for number in range(400)]
    repeats = Repeats(np.unique(np.array([xxh3_64_intdigest(name.encode()) for name in ids[:300]], np.uint64)))
    gone: dict[str, int] = {}
    counted: list[str] = []
    for begin in range(0, 400, 100):
        unit = ids[begin : begin + 100]
        leaves = rng.choice([0, 1, 3, KEPT], 100).tolist()
        gone |= dict(zip(unit, leaves, strict=True))
        copied = rng.choice(ids[: begin + 100], 50).tolist()
        stays, here = rng.random(50) < 0.7, rng.random(50) < 0.8
        details = [None if own else found_in("runs/week1") for own in here]
        table = pa.table(
            {
                "doc_id": [*unit, *(f"copy:{begin + n}" for n in range(50))],
                "survivor": [*[None] * 100, *copied],
                "detail": pa.array([*[None] * 100, *details], pa.string()),
            }
        )
        repeats.add(table, decided([KEPT] * 100 + [DEDUP] * 50, leaves + np.where(stays, DEDUP, 0).tolist()))
        counted += [
            name
            for name, stay in zip(copied, stays & here, strict=True)
            if stay and name in ids[:300] and gone[name] < DEDUP
        ]
    assert repeats.documents == {DEDUP: len(counted)}
    assert len(counted) > len(set(counted)) > 20
    assert repeats.originals[DEDUP].sum() == len(set(counted))
    assert repeats.gone.nbytes + repeats.originals[DEDUP].nbytes == 3 * len(repeats.survivors)


def test_without_repeats_nothing_is_counted() -> None:
    """A run without a stage that compares."""
    repeats = Repeats(np.zeros(0, np.uint64))
    repeats.add(pa.table({"doc_id": ["a"], "survivor": ["b"]}), decided([KEPT], [0]))
    assert (repeats.documents, repeats.originals) == ({}, {})
