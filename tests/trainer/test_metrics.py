from __future__ import annotations

import json
from pathlib import Path

import torch

from headrace.loader.shards import Layout
from headrace.schemas.training import ModelConfig
from headrace.trainer.device import Device
from headrace.trainer.learner import Learned
from headrace.trainer.metrics import Metrics, flops_per_token
from headrace.trainer.model import Decoder

LEARNED = Learned(loss=2.5, lr=0.01, grad_norm=0.5, tokens=300)
CPU = Device(torch.device("cpu"), torch.float32)


def open_metrics(path: Path) -> Metrics:
    return Metrics(path, flops=10, device=CPU, steps=None)


def test_a_step_is_a_line(tmp_path: Path) -> None:
    """All of a step's figures, with rates and shares worked out; MFU is null where no peak is known."""
    path = tmp_path / "metrics.jsonl"
    open_metrics(path).write(7, 1, LEARNED, wait_s=0.5, seconds=2.0, tombstones=3)
    assert json.loads(path.read_text()) == {
        "step": 7,
        "epoch": 1,
        "loss": 2.5,
        "lr": 0.01,
        "grad_norm": 0.5,
        "tokens": 300,
        "tok_s": 150.0,
        "mfu": None,
        "data_wait_share": 0.25,
        "seconds": 2.0,
        "tombstones": 3,
    }


def test_steps_that_are_taken_again_have_one_line(tmp_path: Path) -> None:
    """Resuming forgets the lines after the checkpoint, and a torn one."""
    path = tmp_path / "metrics.jsonl"
    m = open_metrics(path)
    m.resume(0)
    for step in range(1, 6):
        m.write(step, 0, LEARNED, wait_s=0, seconds=1)
    with path.open("a") as f:
        f.write('{"step": 6, "lo')
    m.resume(3)
    m.write(4, 0, LEARNED, wait_s=0, seconds=1)
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 2, 3, 4]


def test_the_arithmetic_of_a_token_follows_the_weights() -> None:
    """6 per weight of a matrix product, and causal attention on top."""
    config = ModelConfig(layers=3, heads=2, width=16, hidden=40)
    layout = Layout(sequence_length=32, vocabulary_size=100, pad_id=0, tokenizer_sha256="")
    weights = sum(p.numel() for p in Decoder(config, 100).parameters() if p.dim() >= 2)
    assert flops_per_token(config, layout) == 6 * weights + 6 * 3 * 16 * 32
