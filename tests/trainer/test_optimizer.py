from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from headrace.schemas.training import ModelConfig, OptimizerConfig
from headrace.trainer.model import Decoder
from headrace.trainer.optimizer import clip, learning_rate, make_optimizer

CONFIG = OptimizerConfig(lr=0.01, weight_decay=0.1, warmup_steps=5, min_lr_share=0.2)


def decoder() -> Decoder:
    model = Decoder(ModelConfig(layers=1, heads=1, width=8, hidden=8), 10)
    model.initialise(0)
    return model


def test_only_matrices_are_decayed() -> None:
    """Without gradients a step shrinks matrices and leaves norms alone."""
    model = decoder()
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    for p in model.parameters():
        p.grad = torch.zeros_like(p)
    make_optimizer(model, CONFIG).step()
    for name, p in model.named_parameters():
        expected = before[name] * (1 - 0.01 * 0.1) if p.dim() >= 2 else before[name]
        assert torch.allclose(p, expected, atol=0, rtol=1e-6), name


def test_every_parameter_is_trained() -> None:
    """The groups together hold each weight once."""
    model = decoder()
    held = [id(p) for group in make_optimizer(model, CONFIG).param_groups for p in group["params"]]
    assert sorted(held) == sorted(id(p) for p in model.parameters())


def test_the_rate_rises_and_falls() -> None:
    """It reaches its peak after the warm-up, never rises again, and ends at its minimum."""
    rates = [learning_rate(CONFIG, step, 50) for step in range(60)]
    assert rates[4] == max(rates) == 0.01
    assert all(a < b for a, b in pairwise(rates[:5]))
    assert all(a >= b for a, b in pairwise(rates[4:]))
    assert rates[50] == rates[-1] == pytest.approx(0.002)


def test_without_a_known_end_the_rate_stays() -> None:
    """A run that still grows must not decide the rate by how far it has grown."""
    assert learning_rate(CONFIG, 1_000_000, None) == 0.01


@pytest.mark.parametrize(("largest", "expected"), [(1.0, 1.0), (0.0, 5.0), (9.0, 5.0)])
def test_clipping_scales_the_gradient_and_reports_the_norm_before(largest: float, expected: float) -> None:
    """A norm of 5 becomes at most the limit; 0 means no limit."""
    layer = torch.nn.Linear(1, 2, bias=False)
    layer.weight.grad = torch.tensor([[3.0], [4.0]])
    assert clip(layer, largest) == 5.0
    assert float(layer.weight.grad.norm()) == pytest.approx(expected, rel=1e-5)
