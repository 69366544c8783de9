"""AdamW with decay on matrices only, linear warm-up, cosine decay and clipping."""

from __future__ import annotations

import math

import torch
from torch import nn

from headrace.schemas.training import OptimizerConfig


def make_optimizer(model: nn.Module, config: OptimizerConfig) -> torch.optim.AdamW:
    """Give AdamW over the model's parameters: matrices are decayed, norms and other vectors are not."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.lr, betas=config.betas)


def learning_rate(config: OptimizerConfig, step: int, decay_steps: int | None) -> float:
    """Give the rate of a step (from 0): up in a line, then down half a cosine to its minimum at `decay_steps`.

    >>> config = OptimizerConfig(lr=1.0, min_lr_share=0.1, warmup_steps=4)
    >>> [round(learning_rate(config, step, 8), 3) for step in range(10)]
    [0.25, 0.5, 0.75, 1.0, 1.0, 0.868, 0.55, 0.232, 0.1, 0.1]
    """
    if step < config.warmup_steps:
        return config.lr * (step + 1) / config.warmup_steps
    if decay_steps is None:
        return config.lr
    progress = min(1.0, (step - config.warmup_steps) / max(1, decay_steps - config.warmup_steps))
    share = config.min_lr_share + (1 - config.min_lr_share) * (1 + math.cos(math.pi * progress)) / 2
    return config.lr * share


def clip(model: nn.Module, largest: float) -> float:
    """Scale the gradients down to a norm of at most `largest` (0: leave them) and give the norm they had."""
    return float(torch.nn.utils.clip_grad_norm_(model.parameters(), largest or math.inf))
