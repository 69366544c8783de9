"""Cutting into units changes nothing: for every container, any unit size and any cursor, also where it is damaged."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.stages.parts import a_source, a_split
from tests.stages.reading.containers import CONTAINERS, mutated
from tests.stages.reading.same_parts import Everything, read_by_cursors, read_whole

WHOLE = 1 << 26
MOST, MOST_OF_LZMA = 120_000_000, 320_000_000  # a damaged header may ask for a dictionary of 256 MiB, and gets it
TABLES = (".parquet", ".arrow", "r.zip")  # which know no kinds of records
KINDS = [
    (name, records)
    for name in CONTAINERS
    for records in ("lines", "paragraphs", "file")
    if records == "lines" or not name.endswith(TABLES)
]
FEW = settings(
    max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize(("name", "records"), KINDS)
@FEW
@given(unit_bytes=st.integers(1, 6000))
def test_units_of_any_size_give_the_same(tmp_path: Path, name: str, records: str, unit_bytes: int) -> None:
    """Documents, faults, counts, lines and metadata are those of one long unit; fresh readers agree from any cursor."""
    (tmp_path / name).write_bytes(CONTAINERS[name])
    source = a_source(records=records)
    whole = read_whole(tmp_path, name, source, WHOLE)
    assert whole[0]
    assert not whole[1]
    assert read_whole(tmp_path, name, source, unit_bytes) == whole
    assert read_by_cursors(a_split(tmp_path, name), source, max(unit_bytes, 500)) == whole


def watched(read: Callable[[], Everything]) -> tuple[Everything, int]:
    """Give what was read, and the most bytes that Python held meanwhile."""
    tracemalloc.start()
    try:
        return read(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check(folder: Path, name: str, data: bytes, rng: random.Random) -> Everything:
    """Read bytes in several ways: nothing is raised, all ways agree, memory is bounded."""
    (folder / name).write_bytes(data)
    source = a_source(records=rng.choice(("lines", "paragraphs", "file")))
    whole, peak = watched(lambda: read_whole(folder, name, source, WHOLE))
    assert peak < (MOST_OF_LZMA if "lzma" in name or name.endswith(".zip") or "xz" in name else MOST)
    unit_bytes = rng.choice((700, 3000, 20_000))
    assert read_whole(folder, name, source, unit_bytes) == whole
    if rng.random() < 0.3:
        assert read_by_cursors(a_split(folder, name), source, unit_bytes) == whole
    return whole


@pytest.mark.parametrize("name", CONTAINERS)
def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path, name: str) -> None:
    """Flipped bits, cuts, gaps, and pieces of other files give documents and named faults, never an exception."""
    assert fuzzed(tmp_path, name, range(6)) == 6


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CONTAINERS)
def test_damaged_files_of_many_kinds(tmp_path: Path, name: str) -> None:
    """The same with many more files."""
    assert fuzzed(tmp_path, name, range(6, 1006)) == 1000


def fuzzed(folder: Path, name: str, seeds: Any) -> int:
    """Check as many damaged files as there are seeds."""
    count = 0
    for seed in seeds:
        rng = random.Random(f"{name} {seed}")
        try:
            check(folder, name, mutated(CONTAINERS[name], rng), rng)
        except BaseException as error:
            error.add_note(f"seed {seed} of {name}")
            raise
        count += 1
    return count
