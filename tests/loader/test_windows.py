from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.loader.windows import Reach, Schedule, schedule

COUNTS = st.lists(st.integers(0, 9), max_size=9)


def make(
    counts: list[int], window_shards: int = 2, *, ended: bool = True, shuffle: bool = True, seed: int = 3
) -> Schedule:
    return schedule(counts, window_shards=window_shards, seed=seed, shuffle=shuffle, ended=ended)


@given(COUNTS, st.integers(1, 4), st.integers(0, 2), st.booleans())
def test_an_epoch_reads_every_sequence_once(counts: list[int], window: int, epoch: int, shuffle: bool) -> None:  # noqa: FBT001
    """The samples of a finished run's epoch are all its sequences."""
    s = make(counts, window, shuffle=shuffle)
    assert sorted(s.samples(epoch, 0, s.total).tolist()) == list(range(s.total))


@given(COUNTS, st.integers(1, 4), st.data())
def test_any_cut_of_the_positions_gives_the_same_samples(counts: list[int], window: int, data: st.DataObject) -> None:
    """Samples of [a, b) are those of the whole epoch at these positions."""
    s = make(counts, window)
    a, b = sorted(data.draw(st.tuples(st.integers(0, s.total), st.integers(0, s.total))))
    assert s.samples(0, a, b).tolist() == s.samples(0, 0, s.total)[a:b].tolist()


@given(COUNTS, st.integers(1, 4), st.integers(0, 9))
def test_a_growing_run_has_the_order_of_the_finished_one(counts: list[int], window: int, published: int) -> None:
    """What is released early never changes its place."""
    growing, finished = make(counts[:published], window, ended=False), make(counts, window)
    reach = growing.reach(0).positions
    assert growing.samples(0, 0, reach).tolist() == finished.samples(0, 0, reach).tolist()


@given(COUNTS, st.integers(1, 4), st.data())
def test_acknowledged_means_that_no_later_position_reads_it(
    counts: list[int], window: int, data: st.DataObject
) -> None:
    """`last_needed` equals a loop over all positions."""
    s = make(counts, window)
    if not s.total:
        return
    chosen = s.window_at(data.draw(st.integers(0, s.total - 1)))
    shards = s.shard_of(s.samples(0, 0, s.total))
    first = chosen * window
    for i, last in enumerate(s.last_needed(chosen)):
        later = [p for p, shard in enumerate(shards) if first <= shard <= first + i]
        assert last == max(later, default=-1)


def test_samples_stay_within_their_window() -> None:
    """The first epoch mixes K shards with each other, and no others."""
    s = make([5, 5, 5, 5, 5])
    assert sorted(s.samples(0, 0, 10).tolist()) == list(range(10))
    assert sorted(s.samples(0, 10, 20).tolist()) == list(range(10, 20))


def test_later_epochs_mix_the_whole_run() -> None:
    """The second epoch's first window holds sequences of all shards."""
    s = make([50] * 6)
    assert set(s.shard_of(s.samples(1, 0, 100)).tolist()) == set(range(6))


@pytest.mark.parametrize(
    ("published", "ended", "reach"),
    [(1, False, Reach(0, final=False)), (3, False, Reach(6, final=False)), (3, True, Reach(9, final=True))],
)
def test_only_the_end_releases_a_shorter_last_window(published: int, ended: bool, reach: Reach) -> None:  # noqa: FBT001
    """Two of three shards can be read until the end of the run is known."""
    assert make([3] * published, ended=ended).reach(0) == reach


def test_a_later_epoch_waits_for_the_end() -> None:
    """The permutation of the whole run needs its size."""
    assert make([3, 3], ended=False).reach(1) == Reach(0, final=False)
    assert make([3, 3]).reach(1) == Reach(6, final=True)


def test_without_shuffling_sequences_come_as_written() -> None:
    """With shuffle = false the order is the identity."""
    assert np.array_equal(make([4, 4], shuffle=False).samples(0, 2, 7), np.arange(2, 7))
