"""The rules without which pipeline and trainer wait for each other for ever, or the order changes: on the real code."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path

import pytest
from tests.loader.token_runs import TokenRun, make_run

from headrace.loader.stream import ShardedDataset
from headrace.schemas.errors import HeadraceError
from headrace.schemas.training import LoaderConfig, minimum_ahead


@dataclass
class World:
    """A pipeline that opens a shard only while written - acknowledged < ahead, and ranks that read in lockstep."""

    folder: Path
    shards: list[int]
    config: LoaderConfig
    ahead: int
    world: int = 1
    seed: int = 0
    acknowledged: int = 0
    log: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.run = TokenRun(self.folder)
        self.written = 0
        self.readers = self.start()
        self.random = random.Random(self.seed)

    def start(self) -> list[ShardedDataset]:
        """Start the ranks of a launch."""
        return [
            ShardedDataset(self.folder, self.config, rank=r, world=self.world, follow=False) for r in range(self.world)
        ]

    def write(self) -> bool:
        """Commit the next shard if pace allows it."""
        if self.written == len(self.shards) or self.written - self.acknowledged >= self.ahead:
            return False
        self.run.add(self.shards[self.written])
        self.written += 1
        if self.written == len(self.shards):
            self.run.end()
        return True

    def step(self) -> bool:
        """Let every rank take a step if its samples are there."""
        try:
            batches = [reader.next_batch() for reader in self.readers]
        except HeadraceError:  # the run is not finished: its shards are not there yet
            return False
        if any(batch is None for batch in batches):
            self.acknowledged = len(self.shards)
            return False
        self.log += [batch.samples.tolist() for batch in batches if batch]
        self.acknowledged = max(self.acknowledged, min(r.acknowledged_shards() for r in self.readers))
        assert self.written - self.acknowledged <= self.ahead
        return True

    def finishes(self) -> bool:
        """Run until the epoch is over; False if nothing can move any more."""
        while self.readers[0].epoch == 0:
            first, second = self.random.sample([self.write, self.step], 2)
            if not (first() or second() or self.readers[0].epoch):
                return False
        return True


def loader(window_shards: int, global_batch: int, seed: int = 5) -> LoaderConfig:
    return LoaderConfig(window_shards=window_shards, global_batch=global_batch, seed=seed)


def test_ahead_of_one_window_and_one_shard_is_too_small(tmp_path: Path) -> None:
    """A batch that straddles two windows needs both, so K + 1 deadlocks and the formula does not."""
    least = minimum_ahead(2, 4, 6)
    assert least == 4
    finished = {
        ahead: [World(tmp_path / f"{ahead}-{seed}", [3] * 4, loader(2, 4, seed), ahead).finishes() for seed in range(5)]
        for ahead in (3, least)
    }
    assert not all(finished[3])
    assert all(finished[least])


@pytest.mark.parametrize("seed", range(12))
def test_the_formula_always_suffices(tmp_path: Path, seed: int) -> None:
    """Random shards, windows, batches and world sizes never wait for ever, and never see another order."""
    draw = random.Random(seed)
    shards = [draw.randint(2, 5) for _ in range(draw.randint(3, 9))] + [draw.randint(0, 3)]
    window, batch, world = draw.randint(1, 3), draw.choice([4, 8, 12]), draw.choice([1, 2, 4])
    ahead = minimum_ahead(window, batch, window * min(shards[:-1]))
    w = World(tmp_path / "run", shards, loader(window, batch), ahead, world, seed)
    if sum(shards) < batch:
        return
    assert w.finishes()
    again = World(tmp_path / "again", shards, loader(window, batch), len(shards), world, seed + 1)
    assert again.finishes()
    assert w.log == again.log


def test_acknowledged_never_falls_and_ends_at_all_shards(tmp_path: Path) -> None:
    """The count grows with the position, and everything is acknowledged when the epoch is over."""
    make_run(tmp_path, [5, 3, 6, 4, 7])
    d = ShardedDataset(tmp_path, loader(2, 4), follow=False)
    counts = [d.acknowledged_shards(), *(d.acknowledged_shards() for _ in d)]
    assert all(a <= b for a, b in pairwise(counts))
    assert (counts[0], counts[-1]) == (0, 5)


def test_a_shard_is_acknowledged_only_when_nothing_of_it_is_needed(tmp_path: Path) -> None:
    """Leading shards behind the reader hold none of the samples that are still to come."""
    make_run(tmp_path, [5, 3, 6, 4, 7, 2])
    starts = [0, 5, 8, 14, 18, 25, 27]
    order = [batch.samples.tolist() for batch in ShardedDataset(tmp_path, loader(3, 1), follow=False)]
    d = ShardedDataset(tmp_path, loader(3, 1), follow=False)
    for step, _ in enumerate(d, start=1):
        left = min((n for [n] in order[step:]), default=27)
        assert d.acknowledged_shards() == sum(left >= end for end in starts[1:])


def test_only_the_end_line_releases_the_shorter_last_window(tmp_path: Path) -> None:
    """Without it a reader cannot know whether the window will still fill, with it the rest is read."""
    run = make_run(tmp_path, [2, 2, 2], end=False)
    d = ShardedDataset(tmp_path, loader(2, 2), follow=False)
    assert [d.next_batch() is not None for _ in range(2)] == [True, True]
    with pytest.raises(HeadraceError, match="not finished"):
        d.next_batch()
    run.end()
    assert sum(1 for _ in d) == 1


def test_a_restart_after_the_end_keeps_the_order_of_the_growing_run(tmp_path: Path) -> None:
    """The first epoch is windowed for ever: resuming when the run is finished repeats and loses nothing."""
    run = make_run(tmp_path, [2, 2], end=False)
    d = ShardedDataset(tmp_path, loader(2, 2), follow=False)
    batch = d.next_batch()
    assert batch is not None
    first, state = batch.samples.tolist(), d.state_dict()
    run.add(2)
    run.add(2)
    run.end()
    resumed = ShardedDataset(tmp_path, loader(2, 2), follow=False)
    resumed.load_state_dict(state)
    order = first + list(chain.from_iterable(b.samples.tolist() for b in resumed))
    fresh = ShardedDataset(tmp_path, loader(2, 2), follow=False)
    assert order == list(chain.from_iterable(b.samples.tolist() for b in fresh))
    assert sorted(order) == list(range(8))


def test_a_checkpoint_is_valid_however_far_the_run_has_grown(tmp_path: Path) -> None:
    """The state hashes the prefix of the manifest it is about, not the whole."""
    run = make_run(tmp_path, [2], end=False)
    d = ShardedDataset(tmp_path, loader(1, 2), follow=False)
    d.next_batch()
    state = d.state_dict()
    for _ in range(3):
        run.add(2)
        resumed = ShardedDataset(tmp_path, loader(1, 2), follow=False)
        resumed.load_state_dict(state)
        assert resumed.consumed == 2
    other = make_run(tmp_path / "other", [3, 2], end=False)
    assert other.sequences == 5
    with pytest.raises(HeadraceError, match="another run"):
        ShardedDataset(tmp_path / "other", loader(1, 2), follow=False).load_state_dict(state)
