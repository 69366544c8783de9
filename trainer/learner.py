"""One step of training, and everything it changes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from headrace.loader.batch import Batch
from headrace.loader.shards import Layout
from headrace.schemas.errors import HeadraceError
from headrace.schemas.training import TrainerConfig
from headrace.trainer.device import Device
from headrace.trainer.model import Decoder
from headrace.trainer.objective import Examples, loss_sum
from headrace.trainer.optimizer import clip, learning_rate, make_optimizer


@dataclass(frozen=True, slots=True)
class Learned:
    """What a step measured; `loss` is the mean over the predicted tokens of the global batch."""

    loss: float
    lr: float
    grad_norm: float
    tokens: int  # tokens of the batch that are not padding


class Learner:
    """Model, optimizer and step count."""

    def __init__(self, config: TrainerConfig, layout: Layout, device: Device) -> None:
        self.step = 0
        self._config, self._device = config, device
        self.model = Decoder(config.model, layout.vocabulary_size)
        self.model.initialise(config.seed)
        self.model.to(device.device)
        self.optimizer = make_optimizer(self.model, config.optimizer)

    def learn(self, batch: Batch) -> Learned:
        """Take one step on a batch."""
        config = self._config
        loss = self._gradients(Examples.of(batch, within_documents=config.model.document_mask))
        norm = clip(self.model, config.optimizer.clip)
        if not math.isfinite(norm):
            why = f"loss {loss}, gradient norm {norm}"
            remedy = "lower trainer.optimizer.lr or raise warmup_steps; the last checkpoint is from before"
            raise HeadraceError(f"step {self.step + 1} gives no finite gradient", why=why, remedy=remedy)
        lr = learning_rate(config.optimizer, self.step, config.decay_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.step()
        self.step += 1
        return Learned(loss, lr, norm, int(batch.lengths.sum()))

    def _gradients(self, examples: Examples) -> float:
        """Add up the gradients of the micro-batches: those of the mean loss over the whole batch's predicted tokens."""
        device = self._device
        count = max(1, examples.count)
        total = torch.zeros((), device=device.device)
        self.optimizer.zero_grad(set_to_none=True)
        for part in examples.split(self._config.micro_batch):
            with device.autocast():
                loss = loss_sum(self.model, part.to(device.device)) / count
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        return float(total)

    def state_dict(self) -> dict[str, Any]:
        """Give everything the next step depends on."""
        return {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all() if self._device.device.type == "cuda" else [],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on as if the process had never ended."""
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["rng"])
        if state["cuda_rng"] and self._device.device.type == "cuda":
            torch.cuda.set_rng_state_all(state["cuda_rng"])
