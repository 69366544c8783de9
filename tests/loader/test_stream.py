from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.loader.token_runs import make_run, tokens_of

from headrace.loader.batch import Batch
from headrace.loader.order import IntArray
from headrace.loader.state import StateError
from headrace.loader.stream import ShardedDataset
from headrace.loader.waiting import Waiting
from headrace.loader.windows import Schedule
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.training import LoaderConfig

SHARDS = [5, 3, 6, 4, 7, 3, 5]  # 33 sequences; with K = 2 the windows are 8, 10, 10 and, released by the end, 5


def config(**changes: Any) -> LoaderConfig:
    return LoaderConfig(**{"global_batch": 4, "window_shards": 2, "seed": 1, "poll_s": 0.01, **changes})


def dataset(run: Path, *, rank: int = 0, world: int = 1, **changes: Any) -> ShardedDataset:
    return ShardedDataset(run, config(**changes), rank=rank, world=world, follow=False)


def samples(batches: Iterator[Batch] | ShardedDataset) -> list[list[int]]:
    return [batch.samples.tolist() for batch in batches]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    make_run(folder, SHARDS)
    return folder


def test_an_epoch_has_whole_batches_of_different_sequences(run: Path) -> None:
    """33 sequences give 8 batches of 4, and the incomplete ninth is left out."""
    seen = samples(dataset(run))
    assert [len(batch) for batch in seen] == [4] * 8
    assert len(set(chain.from_iterable(seen))) == 32


def test_batches_hold_the_tokens_of_their_samples(run: Path) -> None:
    """A sample's number leads to its tokens."""
    for batch in dataset(run):
        assert batch.tokens.tolist() == [tokens_of(n, 8) for n in batch.samples.tolist()]


def test_the_last_batch_can_be_padded(run: Path) -> None:
    """drop_last = false reads everything, with padding in place of what is missing."""
    seen = samples(dataset(run, drop_last=False))
    assert sorted(chain.from_iterable(seen)) == [-1, -1, -1, *range(33)]
    last = list(dataset(run, drop_last=False))[-1]
    assert (last.lengths[last.samples < 0] == 0).all()
    assert (last.tokens[last.samples < 0] == 0).all()


@pytest.mark.parametrize("world", [2, 4])
def test_any_world_size_sees_the_same_global_order(run: Path, world: int) -> None:
    """The ranks' batches, dealt back together, are those of one rank, in every epoch."""
    ranks = [dataset(run, rank=r, world=world) for r in range(world)]
    alone = dataset(run)
    for _ in range(3):
        parts = [samples(rank) for rank in ranks]
        merged = [[batch[i % world][i // world] for i in range(4)] for batch in zip(*parts, strict=True)]
        assert merged == samples(alone)


def test_every_epoch_has_another_order(run: Path) -> None:
    """Iterating again gives the next epoch, with the same number of batches."""
    d = dataset(run)
    first, second, third = samples(d), samples(d), samples(d)
    assert d.epoch == 3
    assert len(first) == len(second) == len(third) == 8
    assert first != second != third


def test_skipped_sequences_are_padding_in_their_place(run: Path) -> None:
    """Leaving a sequence out moves no other."""
    plain, skipped = samples(dataset(run)), samples(dataset(run, skip=(7, 20)))
    assert skipped == [[-1 if n in (7, 20) else n for n in batch] for batch in plain]


@pytest.mark.parametrize("done", [0, 1, 3, 8, 9, 20])
@pytest.mark.parametrize("world", [1, 2])
def test_resuming_anywhere_continues_the_same_samples(run: Path, done: int, world: int) -> None:
    """After any number of batches, in any epoch and on another world size, the state leads to the same next batch."""
    reader, straight = dataset(run), dataset(run)
    taken = _take(straight, 30)
    assert _take(reader, done) == taken[:done]
    state = json.loads(json.dumps(reader.state_dict()))
    resumed = [dataset(run, rank=r, world=world) for r in range(world)]
    for rank in resumed:
        rank.load_state_dict(state)
    parts = [_take(rank, 30 - done) for rank in resumed]
    merged = [[batch[i % world][i // world] for i in range(4)] for batch in zip(*parts, strict=True)]
    assert merged == taken[done:]


def _take(d: ShardedDataset, count: int) -> list[list[int]]:
    taken: list[list[int]] = []
    while len(taken) < count:
        if (batch := d.next_batch()) is not None:
            taken.append(batch.samples.tolist())
    return taken


def test_two_resumes_in_a_row_do_not_restart(run: Path) -> None:
    """A state saved right after loading one is the same state."""
    d = dataset(run)
    _take(d, 11)
    for _ in range(3):
        state, d = d.state_dict(), dataset(run)
        d.load_state_dict(state)
    assert d.state_dict() == state
    assert (d.epoch, d.consumed) == (1, 12)


def test_set_epoch_in_a_resumed_loop_keeps_the_position(run: Path) -> None:
    """The epoch that is running is not begun again, another one is."""
    d = dataset(run)
    _take(d, 3)
    d.set_epoch(0)
    assert d.consumed == 12
    d.set_epoch(2)
    assert (d.epoch, d.consumed) == (2, 0)


def test_the_state_does_not_depend_on_how_far_the_run_has_grown(tmp_path: Path) -> None:
    """A reader that saw two shards and one that saw the end save the same."""
    growing = make_run(tmp_path, SHARDS[:2], end=False)
    early = dataset(tmp_path)
    first = [_take(early, 1), early.state_dict(), _take(early, 1), early.state_dict()]
    for count in SHARDS[2:]:
        growing.add(count)
    growing.end()
    late = dataset(tmp_path)
    assert first == [_take(late, 1), late.state_dict(), _take(late, 1), late.state_dict()]


def test_skips_of_the_state_stay(run: Path) -> None:
    """What was skipped before is skipped after, with what is skipped in addition."""
    d = dataset(run, skip=(3,))
    resumed = dataset(run, skip=(4,))
    resumed.load_state_dict(d.state_dict())
    assert resumed.state_dict()["skip"] == [3, 4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version is 2"),
        ({"order_version": 0}, "order_version is 0"),
        ({"weights_version": 1}, "weights_version is 1"),
        ({"seed": 2}, r"seed was 2 and is 1.*Set loader\.seed to 2"),
        ({"window_shards": 3}, "window_shards was 3 and is 2"),
        ({"shuffle": False}, "shuffle was False and is True"),
        ({"manifest_sha256": "0"}, "first 2 manifest lines are not those"),
        ({"manifest_lines": 99}, "99 manifest lines, the run has only 8"),
    ],
)
def test_a_foreign_state_is_refused(run: Path, change: dict[str, Any], message: str) -> None:
    """Another release, configuration or run is named, not misread."""
    d = dataset(run)
    _take(d, 1)
    with pytest.raises(StateError, match=message):
        dataset(run).load_state_dict(d.state_dict() | change)


def test_batches_that_cannot_be_shared_are_refused(run: Path) -> None:
    """A global batch must divide among the ranks."""
    with pytest.raises(ConfigError, match=r"4 cannot be shared by 3 ranks.*multiple of 3"):
        dataset(run, world=3)
    with pytest.raises(ConfigError, match="rank 2 does not exist among 2"):
        dataset(run, rank=2, world=2)


def test_a_run_smaller_than_one_batch_is_an_error(tmp_path: Path) -> None:
    """It would give epochs without batches for ever."""
    make_run(tmp_path, [3])
    with pytest.raises(HeadraceError, match=r"3 sequences.*one batch of 4.*loader\.global_batch"):
        list(dataset(tmp_path))
    assert samples(dataset(tmp_path, drop_last=False, shuffle=False)) == [[0, 1, 2, -1]]


def test_a_run_without_shards_is_an_error(tmp_path: Path) -> None:
    """A finished run in which nothing was kept has no layout."""
    make_run(tmp_path, [])
    with pytest.raises(HeadraceError, match="no token shards"):
        dataset(tmp_path).layout()


def test_without_following_an_unfinished_run_is_an_error(tmp_path: Path) -> None:
    """The message says what is missing and how to wait for it."""
    make_run(tmp_path, [4, 4, 4], end=False)
    d = dataset(tmp_path)
    _take(d, 2)
    with pytest.raises(HeadraceError, match=r"not finished.*rank 0 waits for shard 4.*follow=True"):
        d.next_batch()


def test_a_reader_waits_for_shards_and_counts_the_seconds(tmp_path: Path) -> None:
    """Following blocks until the window is complete, and the wait is measured."""
    growing = make_run(tmp_path, [4], end=False)
    d = ShardedDataset(tmp_path, config())
    assert d.waited_s == 0
    timer = threading.Timer(0.2, lambda: growing.add(4))
    timer.start()
    assert d.next_batch() is not None
    assert 0.05 < d.waited_s < 10
    timer.join()


def test_who_waits_for_whom_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """After the patience has run out a warning names rank, shards and acknowledgement; on_wait can end the waiting."""
    make_run(tmp_path, [4, 4, 4], end=False)
    looks: list[Waiting] = []

    def leave(waiting: Waiting) -> None:
        looks.append(waiting)
        if caplog.records:
            raise InterruptedError

    d = ShardedDataset(tmp_path, config(patience_s=0.05), on_wait=leave)
    _take(d, 2)
    with pytest.raises(InterruptedError):
        d.next_batch()
    assert "rank 0 waits for shard 4 or the end of the run (epoch 0, 3 shards published" in caplog.text
    assert "it has acknowledged 2" in caplog.text
    assert len(looks) > 1
    assert d.consumed == 8


def test_a_later_epoch_waits_for_the_end_of_the_run(tmp_path: Path) -> None:
    """The order of the whole needs the whole."""
    growing = make_run(tmp_path, [4, 4], end=False)
    d = dataset(tmp_path)
    _take(d, 2)
    with pytest.raises(HeadraceError, match="not finished"):
        d.next_batch()
    growing.end()
    assert d.next_batch() is None
    assert d.next_batch() is not None
    assert d.epoch == 1


def test_reading_lmdb_gives_the_same_batches(tmp_path: Path, run: Path) -> None:
    """The format of the shards is invisible."""
    make_run(tmp_path, SHARDS, format="lmdb")
    for a, b in zip(dataset(tmp_path), dataset(run), strict=True):
        assert np.array_equal(a.tokens, b.tokens)
        assert np.array_equal(a.piece_ends, b.piece_ends)


def test_resume_computes_nothing_on_the_way(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeking far into a late epoch asks for the order of the next positions only."""
    asked: list[IntArray] = []

    def samples_at(self: Schedule, epoch: int, first: int, last: int) -> IntArray:
        asked.append(np.arange(first, last))
        return np.arange(first, last)

    monkeypatch.setattr(Schedule, "samples", samples_at)
    d = dataset(run)
    d.seek(10**9, 28)
    assert d.next_batch() is not None
    assert (d.epoch, d.consumed, [a.tolist() for a in asked]) == (10**9, 32, [list(range(28, 33))])
