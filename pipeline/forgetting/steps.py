"""Which steps of the bundled trainer used given sequences. No log of samples is needed: the order is arithmetic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headrace.loader.order import IntArray
from headrace.loader.windows import Schedule, schedule
from headrace.pipeline.committed import Committed
from headrace.pipeline.forgetting.sequences import Sequences
from headrace.pipeline.standing import all_metrics
from headrace.schemas.errors import FormatError
from headrace.schemas.training import TRAINER_FOLDER, LoaderConfig

_BLOCK = 1 << 20  # positions looked through together: 8 MB


@dataclass(frozen=True, slots=True)
class Trained:
    """What a run's training has done with sequences; steps count from 1, as in the trainer's metrics.

    `checkpoints` are those that are kept: `clean` ones were saved before the first of the steps, `tainted` ones after.
    """

    steps: int  # taken so far
    used: Mapping[int, tuple[int, ...]]  # epoch -> steps
    clean: tuple[int, ...]
    tainted: tuple[int, ...]


def trained(committed: Committed, sequences: Sequences) -> Trained | None:
    """Give the steps that used sequences before these were forgotten; None if no trainer ever took a step.

    A step counts as one that used them unless the trainer's metrics say that its batch respected the request.
    `loader.skip` is not regarded: the trainer does not note since when a sequence was in it.
    """
    folder = committed.run / TRAINER_FOLDER
    saved = sorted(int(path.stem.partition("-")[2]) for path in (folder / "checkpoints").glob("step-*.json"))
    metrics = all_metrics(committed.run)
    steps = max([0, *saved[-1:], *(line["step"] for line in metrics[-1:])])
    if not steps:
        return None
    respected = np.zeros(steps + 1, np.int64)
    for line in metrics:
        respected[line["step"]] = line.get("tombstones", 0)
    config = _order(folder, saved)
    used: dict[int, tuple[int, ...]] = {}
    for epoch, taken, numbers in _uses(committed, config, steps, sequences):
        before = respected[taken] < sequences.revisions[numbers]
        if before.any():
            used[epoch] = tuple(np.unique(taken[before]).tolist())
    first = min((epoch[0] for epoch in used.values()), default=steps + 1)
    clean, tainted = (tuple(s for s in saved if (s < first) is early) for early in (True, False))
    return Trained(steps, used, clean, tainted)


def _order(folder: Path, saved: list[int]) -> LoaderConfig:
    """Give the loader's options that decided the order: the newest checkpoint's, before the first one the trainer's."""
    path = folder / "checkpoints" / f"step-{saved[-1]:08d}.json" if saved else folder / "config.json"
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
        return LoaderConfig.model_validate((value["binding"] if saved else value)["loader"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "restore it from a copy; without it nothing says in which order the trainer read"
        why = " ".join(str(error).split())
        raise FormatError("the trainer's options cannot be read", where=str(path), why=why, remedy=remedy) from error


def _uses(
    committed: Committed, config: LoaderConfig, steps: int, sequences: Sequences
) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Give for each epoch the steps that read sequences, and which of them: the index in `sequences.numbers`."""
    shards = [line.shard.sequences for line in committed.lines if line.shard]
    window, seed, shuffle = config.window_shards, config.seed, config.shuffle
    order = schedule(shards, window_shards=window, seed=seed, shuffle=shuffle, ended=committed.ended)
    batch = config.global_batch
    whole = order.total // batch if config.drop_last else -(-order.total // batch)
    in_epoch = whole if committed.ended else steps  # a run that grows is in its first epoch
    for epoch in range(-(-steps // in_epoch) if in_epoch and sequences.numbers.size else 0):
        read = min(in_epoch, steps - epoch * in_epoch) * batch
        positions, numbers = _positions(order, epoch, read, sequences.numbers)
        yield epoch, epoch * in_epoch + positions // batch + 1, numbers


def _positions(order: Schedule, epoch: int, read: int, wanted: IntArray) -> tuple[IntArray, IntArray]:
    """Give the positions among the first `read` of an epoch at which wanted sequences stand, and which they are."""
    last = min(read, order.reach(epoch).positions)
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for begin in range(0, last, _BLOCK):
        samples = order.samples(epoch, begin, min(begin + _BLOCK, last))
        at = np.searchsorted(wanted, samples).clip(max=len(wanted) - 1)
        hits = np.flatnonzero(wanted[at] == samples)
        found.append((hits + begin, at[hits]))
    positions, numbers = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return positions, numbers
