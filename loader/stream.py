"""Read the sequences of a run in one reproducible order, while the pipeline may still be writing it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from headrace.loader.batch import Batch, assemble
from headrace.loader.follow import Published
from headrace.loader.forgotten import ForgottenRows
from headrace.loader.order import IntArray
from headrace.loader.shards import Layout
from headrace.loader.state import LoaderState
from headrace.loader.store import ShardStore
from headrace.loader.waiting import OnWait, Patience, Waiting
from headrace.loader.windows import Schedule, schedule
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.training import LoaderConfig

ORDER_BLOCK = 4096  # positions whose order is computed together: 100 us for few cost as much as for thousands


class ShardedDataset:
    """Global batches of a run, of which rank r of w receives the samples r, r + w, ...

    Any world size sees the same global order, and the order of a run that still grows is that of the finished run.
    Iterating gives the rest of the current epoch and waits for shards that are still to come. Sequences that hold a
    document which is forgotten on request are padding, from the first batch that is gathered after the request.

    >>> dataset = ShardedDataset("runs/demo", LoaderConfig(global_batch=32))  # doctest: +SKIP
    >>> for batch in dataset:  # doctest: +SKIP
    ...     train(batch.tokens, batch.lengths)
    """

    def __init__(
        self,
        run: Path | str,
        config: LoaderConfig,
        *,
        rank: int = 0,
        world: int = 1,
        follow: bool = True,
        on_wait: OnWait | None = None,
    ) -> None:
        _check_share(config, rank, world)
        self.config, self.rank, self.world = config, rank, world
        self.epoch, self.consumed = 0, 0
        self.skip = frozenset(config.skip)
        self._patience = Patience(config.poll_s, config.patience_s, follow=follow, on_wait=on_wait)
        self._published = Published(Path(run))
        self._store = ShardStore(Path(run), verify=config.verify)
        self._forgotten = ForgottenRows(Path(run))
        self._schedule = self._new_schedule()
        self._block: tuple[int, int, IntArray] = (-1, 0, np.empty(0, np.int64))
        self._needed: tuple[int, IntArray] = (-1, np.empty(0, np.int64))

    @property
    def waited_s(self) -> float:
        """Seconds this reader has waited for shards."""
        return self._patience.waited_s

    def layout(self) -> Layout:
        """Give sequence length and vocabulary; waits for the first shard."""
        while not self._published.shards:
            if self._published.ended:
                raise HeadraceError("the run has no token shards", where=str(self._published.run), remedy=_READ_REPORT)
            self._wait(shards=1)
        return self._store.layout(self._published.shards)

    def set_epoch(self, epoch: int) -> None:
        """Begin an epoch; changes nothing if it is the current one, so that a resumed loop may call it too."""
        if epoch != self.epoch:
            self.seek(epoch, 0)

    def seek(self, epoch: int, consumed: int) -> None:
        """Go on behind the first `consumed` samples of an epoch. Costs nothing, however far that is."""
        self.epoch, self.consumed = epoch, consumed

    def next_batch(self) -> Batch | None:
        """Give the next batch, or None at the end of an epoch; the call after that begins the next epoch."""
        if self._more():
            return self._read(self._claim())
        self._turn()
        return None

    def __iter__(self) -> Iterator[Batch]:
        return self.share(0, 1)

    def share(self, worker: int, workers: int) -> Iterator[Batch]:
        """Give every `workers`-th of this rank's batches until the epoch ends, for parallel reading processes."""
        for number in itertools.count():
            if not self._more():
                self._turn()
                return
            first = self._claim()
            if number % workers == worker:
                yield self._read(first)

    def acknowledged_shards(self) -> int:
        """Count the leading shards of which no rank needs anything any more in the first epoch.

        Those of a completely read window, and in the current one those before the first that is still needed.
        """
        s = self._schedule
        if self.epoch or self._over():
            return s.shards
        if self.consumed >= s.reach(0).positions:
            return s.released
        window = s.window_at(self.consumed)
        if self._needed[0] != window:
            self._needed = window, s.last_needed(window)
        return window * s.window_shards + int(np.searchsorted(self._needed[1], self.consumed))

    def state_dict(self) -> dict[str, Any]:
        """Give the position behind the last batch, as JSON; it is the same however far the run has grown since."""
        self._poll()  # reading may have been done by other processes
        lines = self._lines_touched()
        digest = self._published.prefix_sha256(lines)
        c = self.config
        skip = tuple(sorted(self.skip))
        return LoaderState(lines, digest, c.window_shards, c.seed, c.shuffle, self.epoch, self.consumed, skip).to_json()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another reader of this run was, on any rank of any world; refuses a state of another run.

        Sequences that were skipped then are skipped from now on too.
        """
        saved = LoaderState.from_json(state)
        self._poll()
        saved.check(self.config, self._published)
        self.skip = frozenset(self.config.skip) | frozenset(saved.skip)
        self.seek(saved.epoch, saved.samples_consumed)

    def _more(self) -> bool:
        """Wait until the next global batch can be read; False when the epoch has none."""
        while self.consumed + self.config.global_batch > (reach := self._schedule.reach(self.epoch)).positions:
            if reach.final:
                self._check_size()
                return not self._over()
            self._wait(self._shards_wanted())
        return True

    def _over(self) -> bool:
        reach = self._schedule.reach(self.epoch)
        smallest = self.config.global_batch if self.config.drop_last else 1
        return reach.final and self.consumed + smallest > reach.positions

    def _check_size(self) -> None:
        smallest = self.config.global_batch if self.config.drop_last else 1
        if self._schedule.total < smallest:
            what = f"the run has {self._schedule.total} sequences, which do not fill one batch of {smallest}"
            remedy = "lower loader.global_batch, or set loader.drop_last to false"
            raise HeadraceError(what, where=str(self._published.run), remedy=remedy)

    def _claim(self) -> int:
        first = self.consumed
        self.consumed = first + self.config.global_batch
        return first

    def _turn(self) -> None:
        self.seek(self.epoch + 1, 0)

    def _read(self, first: int) -> Batch:
        self._forgotten.look()
        mine = self._samples(first)[self.rank :: self.world]
        batch = self._gather(mine, first)
        if not self._forgotten.revision:
            return batch
        shards = np.unique(self._schedule.shard_of(mine[mine >= 0]))
        gone = self._forgotten.rows(batch, self._published, shards.tolist())
        return self._gather(np.where(gone, -1, mine), first) if gone.any() else batch

    def _gather(self, mine: IntArray, first: int) -> Batch:
        places = np.flatnonzero(mine >= 0)
        found = mine[places]
        shards = self._schedule.shard_of(found)
        infos, layout = self._published.shards, self.layout()
        taken = self._store.take(infos, shards, found - self._schedule.starts[shards], places)
        return assemble(
            taken,
            mine,
            sequence_length=layout.sequence_length,
            pad_id=layout.pad_id,
            epoch=self.epoch,
            consumed=first + self.config.global_batch,
            tombstones=self._forgotten.revision,
        )

    def _samples(self, first: int) -> IntArray:
        """Give the sequences of the global batch at a position; -1 for those that are skipped or missing."""
        size = self.config.global_batch
        epoch, begin, block = self._block
        if epoch != self.epoch or not begin <= first <= begin + len(block) - size:
            end = min(first + max(size, ORDER_BLOCK), self._schedule.reach(self.epoch).positions)
            block = self._schedule.samples(self.epoch, first, end)
            self._block = self.epoch, first, block
            begin = first
        samples = block[first - begin : first - begin + size]
        samples = np.where(np.isin(samples, list(self.skip)), -1, samples)
        return np.pad(samples, (0, size - len(samples)), constant_values=-1)

    def _lines_touched(self) -> int:
        """Count the leading manifest lines that decided which samples came so far."""
        s, published = self._schedule, self._published
        if self.epoch or not self.consumed:
            return published.lines if self.epoch else 0
        last = s.window_at(min(self.consumed, s.total) - 1)
        shards = (last + 1) * s.window_shards
        return published.lines_with(shards) if shards <= s.shards else published.lines  # the end released it

    def _shards_wanted(self) -> int:
        if self.epoch:
            return self._schedule.shards + 1
        return self._schedule.released + self.config.window_shards

    def _wait(self, shards: int) -> None:
        published = self._published
        waiting = Waiting(
            self.rank, self.epoch, shards, len(published.shards), self.acknowledged_shards(), published.run
        )
        self._patience.wait(waiting, self._poll)

    def _poll(self) -> bool:
        if not self._published.poll():
            return False
        self._schedule = self._new_schedule()
        return True

    def _new_schedule(self) -> Schedule:
        c, p = self.config, self._published
        sequences = [shard.sequences for shard in p.shards]
        return schedule(sequences, window_shards=c.window_shards, seed=c.seed, shuffle=c.shuffle, ended=p.ended)


_READ_REPORT = "read the run's report: every document was dropped, or the input was empty"


def _check_share(config: LoaderConfig, rank: int, world: int) -> None:
    if not 0 <= rank < world:
        raise ConfigError(f"rank {rank} does not exist among {world} ranks", remedy="count ranks from 0")
    if config.global_batch % world:
        what = f"a global batch of {config.global_batch} cannot be shared by {world} ranks"
        raise ConfigError(what, where="loader.global_batch", remedy=f"set it to a multiple of {world}")
