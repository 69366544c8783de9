"""What each step measured, one JSON object a line. Times are in it, so it is never part of byte identity."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path

from headrace.loader.shards import Layout
from headrace.schemas.durable import replace_file
from headrace.schemas.training import ModelConfig
from headrace.trainer.device import Device
from headrace.trainer.learner import Learned

_LOG = logging.getLogger(__name__)
_LINE_EVERY_S = 1.0


def flops_per_token(model: ModelConfig, layout: Layout) -> int:
    """Give the arithmetic of one trained token: 6 N + 6 L W T.

    N counts the weights of matrix products (blocks and output, not the embedding's look-up); attention costs 12 L W T
    in layers, width and sequence length, of which causality leaves half.
    """
    blocks = model.layers * (4 * model.width**2 + 3 * model.width * model.hidden_width)
    weights = blocks + layout.vocabulary_size * model.width
    return 6 * weights + 6 * model.layers * model.width * layout.sequence_length


class Metrics:
    """Appends to `metrics.jsonl` and says how it goes, at most once a second."""

    def __init__(self, path: Path, *, flops: int, device: Device, steps: int | None) -> None:
        self._path, self._flops, self._peak, self._steps = path, flops, device.peak_flops, steps
        self._said = 0.0

    def resume(self, step: int) -> None:
        """Forget lines of steps after `step`: they are about to be taken again. A torn last line goes too."""
        if not self._path.exists():
            return
        lines = self._path.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if line.endswith(b"\n") and json.loads(line)["step"] <= step]
        replace_file(self._path, b"".join(kept))

    def write(
        self, step: int, epoch: int, learned: Learned, *, wait_s: float, seconds: float, tombstones: int = 0
    ) -> None:
        """Append the line of a step that took `seconds`, of which `wait_s` went by until its batch was there.

        `tombstones` is the revision that its batch respects: `headrace forget` tells by it which steps came before.
        """
        tokens_s = learned.tokens / seconds
        line = {
            "step": step,
            "epoch": epoch,
            "loss": learned.loss,
            "lr": learned.lr,
            "grad_norm": learned.grad_norm,
            "tokens": learned.tokens,
            "tok_s": round(tokens_s, 1),
            "mfu": self._peak and round(tokens_s * self._flops / self._peak, 4),
            "data_wait_share": round(wait_s / seconds, 4),
            "seconds": round(seconds, 6),
            "tombstones": tombstones,
        }
        with self._path.open("a", encoding="utf-8") as f:
            f.write(json.dumps(line) + "\n")
        self._say(step, learned, tokens_s)

    def _say(self, step: int, learned: Learned, tokens_s: float) -> None:
        if (now := time.monotonic()) - self._said >= _LINE_EVERY_S or step == self._steps:
            self._said = now
            of = f" of {self._steps}" if self._steps else ""
            _LOG.info("step %d%s, loss %.4f, lr %.2e, %.0f tokens/s", step, of, learned.loss, learned.lr, tokens_s)
