"""Which runs are merged next, whatever there is of them, and what ends merging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.deduplication.merging import FAN, due

_MOST = 1 << 32


@dataclass(frozen=True)
class Made:
    """A run of so many documents."""

    first: int
    documents: int


def made(sizes: Sequence[int]) -> list[Made]:
    runs, first = list[Made](), 0
    for size in sizes:
        runs.append(Made(first, size))
        first += size
    return runs


def merged_all(runs: list[Made]) -> tuple[list[Made], list[int]]:
    """Merge until nothing is due; give what is left, and how many were merged at a time."""
    turns = list[int]()
    while group := due(runs):
        assert group == sorted(group, key=lambda run: run.first)
        one = Made(group[0].first, sum(run.documents for run in group))
        assert one.documents < _MOST
        gone = {*group}
        runs = [*(run for run in runs if run not in gone), one]
        turns.append(len(group))
    return runs, turns


@pytest.mark.parametrize("size", [2_000, 450_000, 1 << 30])
def test_more_than_32_bits_number_are_merged_as_far_as_they_go(size: int) -> None:
    """Two thousand files of one size, as earlier runs bring them: no more than 64 at a time, and few are left."""
    runs, turns = merged_all(made([size] * 2_000))
    assert max(turns) <= 64
    assert sum(run.documents for run in runs) == size * 2_000
    assert len(runs) <= 3 * size * 2_000 / _MOST + 3 * 16


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(1 << 28, _MOST)), max_size=60))
@settings(deadline=None, max_examples=40)
def test_at_most_three_of_a_size_stay_where_they_fit_into_one(sizes: list[int]) -> None:
    """Sizes are powers of 4; of four or more that stay, no two fit into one."""
    runs, _ = merged_all(made(sizes))
    by_size: dict[int, list[int]] = {}
    for run in runs:
        by_size.setdefault(max(0, run.documents.bit_length() - 1) // 2, []).append(run.documents)
    for some in by_size.values():
        assert len(some) < FAN or sum(sorted(some)[:2]) >= _MOST


def test_a_posting_is_written_a_few_times() -> None:
    """Files that come at once are merged by 64, not by 4: two turns for four thousand."""
    runs, turns = merged_all(made([2_000] * 64**2))
    assert len(runs) == 1
    assert len(turns) == 64 + 1
