"""Which sequence stands at which position of an epoch, for a run that may still grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headrace.loader.order import IntArray, keyed


@dataclass(frozen=True, slots=True)
class Reach:
    """How many positions of an epoch may be read now, and whether that is the whole epoch."""

    positions: int
    final: bool


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """The order of all sequences of the shards that are published so far.

    The first epoch shuffles within windows of `window_shards` committed shards, for ever: whether the run still grows
    or is finished makes no difference. Only the `end` of the run releases a shorter last window. Later epochs shuffle
    the whole run. So what a position means never changes as the run grows.
    """

    starts: IntArray  # number of the first sequence of each shard, and the total behind the last
    window_shards: int
    seed: int
    shuffle: bool
    ended: bool

    @property
    def shards(self) -> int:
        """Published shards."""
        return len(self.starts) - 1

    @property
    def total(self) -> int:
        """Sequences of the published shards."""
        return int(self.starts[-1])

    @property
    def released(self) -> int:
        """Shards whose window is complete."""
        return self.shards if self.ended else self.shards - self.shards % self.window_shards

    def reach(self, epoch: int) -> Reach:
        """Tell how far an epoch can be read now."""
        if epoch == 0:
            return Reach(int(self.starts[self.released]), self.ended)
        return Reach(self.total if self.ended else 0, self.ended)

    def samples(self, epoch: int, first: int, last: int) -> IntArray:
        """Give the numbers of the sequences at positions [first, last) of an epoch, which must be within reach."""
        positions = np.arange(first, last, dtype=np.int64)
        if not self.shuffle:
            return positions
        if epoch:
            return keyed(self.total, seed=self.seed, epoch=epoch, window=None).at(positions)
        cuts = np.searchsorted(positions, self._borders(first, last))
        return np.concatenate([self._in_window(part) for part in np.split(positions, cuts)])

    def _borders(self, first: int, last: int) -> IntArray:
        borders = self.starts[self.window_shards : self.released : self.window_shards]
        return borders[np.searchsorted(borders, first, "right") : np.searchsorted(borders, last)]

    def _in_window(self, positions: IntArray) -> IntArray:
        if not positions.size:
            return positions
        window = self.window_at(int(positions[0]))
        begin, end = self.window_span(window)
        return keyed(end - begin, seed=self.seed, epoch=0, window=window).at(positions - begin) + begin

    def window_at(self, position: int) -> int:
        """Give the window of a position of the first epoch."""
        return (int(np.searchsorted(self.starts, position, "right")) - 1) // self.window_shards

    def window_span(self, window: int) -> tuple[int, int]:
        """Give the positions [begin, end) of a window of the first epoch."""
        first, last = self.window_shards * window, min(self.window_shards * (window + 1), self.shards)
        return int(self.starts[first]), int(self.starts[last])

    def shard_of(self, samples: IntArray) -> IntArray:
        """Give the shard each sequence lies in."""
        return np.searchsorted(self.starts, samples, "right") - 1

    def last_needed(self, window: int) -> IntArray:
        """Give, for each shard of a window, the last position of the first epoch that reads it or a shard before it."""
        begin, end = self.window_span(window)
        first = window * self.window_shards
        last = np.full(min(self.window_shards, self.shards - first), -1, np.int64)
        shards = self.shard_of(self.samples(0, begin, end)) - first
        last[shards] = np.arange(begin, end)  # assigned in order: the last position of each shard stays
        return np.maximum.accumulate(last)


def schedule(sequences: Sequence[int], *, window_shards: int, seed: int, shuffle: bool, ended: bool) -> Schedule:
    """Give the schedule of shards with so many sequences each."""
    starts = np.concatenate([[0], np.cumsum(np.asarray(sequences, np.int64))]).astype(np.int64)
    return Schedule(starts, window_shards, seed, shuffle, ended)
