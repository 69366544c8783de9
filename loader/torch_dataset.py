"""The shards as PyTorch data sets, with the names PyTorch users know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset, Sampler, get_worker_info

from headrace.loader.batch import Batch, assemble
from headrace.loader.follow import Published
from headrace.loader.forgotten import ForgottenRows
from headrace.loader.order import BLOCK, IntArray, keyed
from headrace.loader.store import ShardStore
from headrace.loader.stream import ShardedDataset
from headrace.schemas.errors import ConfigError, HeadraceError

Sample = dict[str, torch.Tensor]


class TokenDataset(Dataset[Sample]):
    """The sequences of a finished run by number, for a DataLoader with a sampler.

    A sample has `tokens`, `length` (tokens that are not padding), `segments` (which piece of a document each token
    belongs to, -1 in padding) and `sample`, its number. All have fixed shapes, so the default collation stacks them.
    A sequence that holds a document which is forgotten on request is padding, and its `sample` is -1.
    """

    def __init__(self, run: Path | str, *, verify: bool = False) -> None:
        self._published = Published(Path(run))
        self._published.poll()
        if not self._published.ended or not self._published.shards:
            why = f"{len(self._published.shards)} shards are published so far"
            remedy = "wait for its end, or read it as it grows with TokenStream"
            raise HeadraceError("the run is not finished", where=str(run), why=why, remedy=remedy)
        self._infos = tuple(self._published.shards)
        self._store = ShardStore(Path(run), verify=verify)
        self._forgotten = ForgottenRows(Path(run))
        self._layout = self._store.layout(self._infos)
        self._starts = np.cumsum([0] + [info.sequences for info in self._infos])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, index: int) -> Sample:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Sample]:
        """Read many sequences at once; a DataLoader calls this by itself."""
        fields = tensors(self._read(np.asarray(indices, np.int64)))
        return [{name: fields[name][i] for name in _FIELDS} for i in range(len(indices))]

    def _read(self, indices: IntArray) -> Batch:
        samples = np.where(indices < 0, indices + len(self), indices)
        if samples.size and not (samples.min() >= 0 and samples.max() < len(self)):
            raise IndexError(f"the run has {len(self)} sequences; asked for {indices.tolist()}")
        self._forgotten.look()
        batch = self._gather(samples)
        if not self._forgotten.revision:
            return batch
        shards = np.unique(np.searchsorted(self._starts, samples, "right") - 1)
        gone = self._forgotten.rows(batch, self._published, shards.tolist())
        return self._gather(np.where(gone, -1, samples)) if gone.any() else batch

    def _gather(self, samples: IntArray) -> Batch:
        places = np.flatnonzero(samples >= 0)
        found = samples[places]
        shards = np.searchsorted(self._starts, found, "right") - 1
        taken = self._store.take(self._infos, shards, found - self._starts[shards], places)
        length, pad = self._layout.sequence_length, self._layout.pad_id
        return assemble(taken, samples, sequence_length=length, pad_id=pad, epoch=0, consumed=0)


_FIELDS = ("tokens", "length", "segments", "sample")


def tensors(batch: Batch) -> Sample:
    """Give a batch as tensors of fixed shapes; `epoch` and `consumed` say where it stands."""
    return {
        "tokens": torch.from_numpy(batch.tokens),
        "length": torch.from_numpy(batch.lengths.astype(np.int64)),
        "segments": torch.from_numpy(batch.segments()),
        "sample": torch.from_numpy(batch.samples.astype(np.int64)),
        "epoch": torch.tensor(batch.epoch),
        "consumed": torch.tensor(batch.consumed),
    }


class DistributedSampler(Sampler[int]):
    """PyTorch's DistributedSampler without its memory: the order is computed as it is read.

    Where torch holds all indices in a Python list (6.8 GB for 50 million), this holds a block of them. `set_epoch`
    before each epoch gives it another order, the same on all ranks.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int = 1,
        rank: int = 0,
        *,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if not 0 <= rank < num_replicas:
            raise ConfigError(f"rank {rank} does not exist among {num_replicas} ranks", remedy="count ranks from 0")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        size, ranks = len(self.dataset), self.num_replicas
        return size // ranks if self.drop_last else -(-size // ranks)

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        permutation = keyed(size, seed=self.seed, epoch=self.epoch, window=None)
        for begin in range(0, len(self), BLOCK):
            steps = np.arange(begin, min(begin + BLOCK, len(self)))
            positions = (steps * self.num_replicas + self.rank) % size  # beyond the end: the first again, as torch does
            yield from (permutation.at(positions) if self.shuffle else positions).tolist()


class TokenStream(IterableDataset[Sample]):
    """A run in its one reproducible order, finished or not, for a DataLoader with any number of workers.

    Items are whole batches, so the DataLoader gets `batch_size=None`. Workers read ahead: call `received` with each
    batch, and `state_dict` is the position behind it, however much they have read.
    """

    def __init__(self, dataset: ShardedDataset) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Sample]:
        worker = get_worker_info()
        share = self._dataset.share(worker.id, worker.num_workers) if worker else iter(self._dataset)
        return map(tensors, share)

    def set_epoch(self, epoch: int) -> None:
        """Begin an epoch; changes nothing if it is the current one."""
        self._dataset.set_epoch(epoch)

    def received(self, batch: Mapping[str, torch.Tensor]) -> None:
        """Note that a batch has arrived where it is trained on."""
        self._dataset.seek(int(batch["epoch"]), int(batch["consumed"]))

    def state_dict(self) -> dict[str, Any]:
        """Give the position behind the last batch that was received."""
        return self._dataset.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where a state was saved."""
        self._dataset.load_state_dict(state)
