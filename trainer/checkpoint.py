"""Checkpoints that are whole or not there, and that refuse to continue something else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from headrace.loader.shards import Layout
from headrace.schemas.durable import canonical_json, replace_file, sha256_file, sync_file, sync_folder, temporary_beside
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.training import TrainingConfig

CHECKPOINT_VERSION = 1
_ORDER_FIELDS = {"global_batch", "window_shards", "seed", "shuffle", "drop_last"}

Binding = dict[str, Any]


def binding(training: TrainingConfig, layout: Layout) -> Binding:
    """Give what must be the same for training to go on: model, optimizer, order of the samples, and the tokens.

    How long it trains, where, in which micro-batches and how often it saves may change.
    """
    trainer = training.trainer
    return {
        "loader": training.loader.model_dump(mode="json", include=_ORDER_FIELDS),
        "trainer.model": trainer.model.model_dump(mode="json"),
        "trainer.optimizer": {**trainer.optimizer.model_dump(mode="json"), "decay_steps": trainer.decay_steps},
        "trainer": {"seed": trainer.seed},
        "shards": {
            "sequence_length": layout.sequence_length,
            "vocabulary_size": layout.vocabulary_size,
            "tokenizer_sha256": layout.tokenizer_sha256,
        },
    }


class Checkpoints:
    """The newest checkpoints of a run: `step-N.pt` with `step-N.json`, which names its checksum and what it belongs to.

    The JSON is written last and removed first, so a checkpoint with one is whole.
    """

    def __init__(self, folder: Path, binding: Binding, *, keep: int) -> None:
        self._folder, self._binding, self._keep = folder, binding, keep
        folder.mkdir(parents=True, exist_ok=True)

    def save(self, step: int, content: Mapping[str, Any]) -> None:
        """Write a checkpoint durably, then remove the oldest beyond those to keep."""
        path = self._folder / f"step-{step:08d}.pt"
        temporary = temporary_beside(path)
        torch.save(dict(content), temporary)
        sync_file(temporary)
        seal = {"version": CHECKPOINT_VERSION, "step": step, "sha256": sha256_file(temporary), "binding": self._binding}
        temporary.replace(path)
        sync_folder(self._folder)
        replace_file(path.with_suffix(".json"), canonical_json(seal))
        self._prune()

    def newest(self) -> dict[str, Any] | None:
        """Load the newest checkpoint, or give None if there is none; refuses a damaged or foreign one."""
        seals = self._seals()
        if not seals:
            return None
        seal, path = json.loads(seals[-1].read_bytes()), seals[-1].with_suffix(".pt")
        if seal["version"] != CHECKPOINT_VERSION:
            why = f"its version is {seal['version']}, this release knows {CHECKPOINT_VERSION}"
            raise FormatError("the checkpoint cannot be read", where=str(path), why=why, remedy=_RELEASE)
        if not path.is_file() or sha256_file(path) != seal["sha256"]:
            why = "its checksum differs" if path.is_file() else "the file is missing"
            remedy = f"remove {seals[-1].name} beside it to go on from the one before"
            raise FormatError("the checkpoint is damaged", where=str(path), why=why, remedy=remedy)
        self._check(seal["binding"], path)
        content: dict[str, Any] = torch.load(path, weights_only=True)
        return content

    def _check(self, saved: Binding, path: Path) -> None:
        was, now = dict(_flat(saved)), dict(_flat(self._binding))
        changed = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
        if changed:
            why = "; ".join(f"{name} was {was.get(name)} and is {now.get(name)}" for name in changed)
            remedy = f"restore what changed, or remove {self._folder} to train anew"
            raise ConfigError("the checkpoint is of another training", where=str(path), why=why, remedy=remedy)

    def _seals(self) -> list[Path]:
        return sorted(self._folder.glob("step-*.json"))

    def _prune(self) -> None:
        seals = self._seals()
        for seal in seals[: -self._keep]:
            seal.unlink()
        kept = {seal.with_suffix(".pt") for seal in seals[-self._keep :]}
        left_over = [*self._folder.glob("step-*.pt"), *self._folder.glob(".*.tmp")]  # of killed processes too
        for path in left_over:
            if path not in kept:
                path.unlink()


def _flat(binding: Binding) -> Iterator[tuple[str, Any]]:
    for section, fields in binding.items():
        yield from ((f"{section}.{name}", value) for name, value in fields.items())


_RELEASE = "use the release that wrote it"
