from __future__ import annotations

import random
from pathlib import Path

import pytest

from headrace.pipeline.committed import Committed
from headrace.pipeline.dups.read_again import _splits

NAMES = ("a.txt", "b#1.txt", "c.zip", "c.zip!x.txt", "a.txt!", "d/a.txt", "d#2", "周.txt")


@pytest.mark.parametrize("seed", range(5))
def test_splits_are_those_that_a_plain_comparison_of_names_finds(seed: int) -> None:
    """Files with the signs of offsets and archives in their names, whole ones and parts, of two sources."""
    rng = random.Random(seed)
    splits: list[list[object]] = []
    for source in ("web", "web#"):
        splits += [[source, rng.sample(NAMES, 2), 0, None] for _ in range(3)]
        splits += [[source, [rng.choice(NAMES)], begin, rng.choice([begin + 100, None])] for begin in (0, 100, 200)]
    inputs = [[source, name, 1, "0"] for source in ("web", "web#") for name in NAMES]
    plan = {"inputs": inputs, "splits": splits, "places": {"roots": {}}}
    inner = ("", "!m.txt", "!d/m#1.txt")
    ids = [
        f"{source}:{name}{rng.choice(inner)}#{rng.randint(0, 300)}" for source in ("web", "web#", "x") for name in NAMES
    ]
    found = {split.index: inside for split, inside in _splits(Committed(Path("run"), plan, ()), ids)}
    plain = {index: frozenset(d for d in ids if _is_in(d, split)) for index, split in enumerate(splits)}
    assert found == {index: inside for index, inside in plain.items() if inside}
    assert found


def _is_in(doc_id: str, split: list[object]) -> bool:
    source, names, begin, end = split
    assert isinstance(names, list)
    assert isinstance(begin, int)
    content, _, offset = doc_id.rpartition("#")
    inside = begin <= int(offset) and (not isinstance(end, int) or int(offset) < end)
    of_file = any(content == f"{source}:{name}" or content.startswith(f"{source}:{name}!") for name in names)
    return of_file and inside
