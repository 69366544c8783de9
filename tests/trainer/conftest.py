from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.loader.token_runs import make_run

from headrace.loader.launch import announce
from headrace.schemas.training import TRAINER_FOLDER, LoaderConfig, TrainerConfig, TrainingConfig
from headrace.trainer.loop import train
from headrace.trainer.stop import Stop

SHARDS = [9, 7, 8, 10, 6]  # 40 sequences: 10 batches of 4


def training(loader: dict[str, Any] | None = None, **trainer: Any) -> TrainingConfig:
    """Give a tiny training: a few thousand weights, one thread."""
    sizes = {"layers": 2, "heads": 2, "width": 16, "hidden": 32, **trainer.pop("model", {})}
    optimizer = {"lr": 0.01, "warmup_steps": 2, "decay_steps": 20, **trainer.pop("optimizer", {})}
    usual = {"threads": 1, "device": "cpu", "checkpoint_every": 100}
    return TrainingConfig(
        loader=LoaderConfig(**{"global_batch": 4, "window_shards": 2, "poll_s": 0.01, **(loader or {})}),
        trainer=TrainerConfig(**{**usual, **trainer}, model=sizes, optimizer=optimizer),
    )


def run_training(run: Path, config: TrainingConfig, stop: Stop | None = None) -> bool:
    """Train in this process, under a launch of its own or that of `stop`."""
    stop = stop or Stop(run, announce(run, 1).launch, None)
    return train(run, config, stop=stop)


def metrics(run: Path) -> list[dict[str, Any]]:
    """Give the lines of the metrics file."""
    path = run / TRAINER_FOLDER / "metrics.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def curve(run: Path) -> list[tuple[int, float, float]]:
    """Give what must be repeated bit by bit: step, loss and gradient norm."""
    return [(line["step"], line["loss"], line["grad_norm"]) for line in metrics(run)]


def weights(run: Path) -> dict[str, torch.Tensor]:
    """Give the weights of the newest checkpoint."""
    newest = max((run / TRAINER_FOLDER / "checkpoints").glob("*.pt"))
    found: dict[str, torch.Tensor] = torch.load(newest, weights_only=True)["model"]
    return found


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    """Tell whether two sets of weights are equal bit by bit."""
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture
def signals() -> Iterator[None]:
    """Put the handlers of the two signals back that a trainer installs."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Give a finished run whose sequences count upwards, which is easy to learn."""
    make_run(tmp_path / "run", SHARDS)
    return tmp_path / "run"
