"""What is predicted: every next token of the same document, never padding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # the name everybody knows
from torch import Tensor

from headrace.loader.batch import Batch
from headrace.trainer.model import Decoder

IGNORED = -100


@dataclass(frozen=True, slots=True)
class Examples:
    """A batch as the model takes it: all tensors are [rows, sequence_length]."""

    tokens: Tensor
    targets: Tensor  # the next token, or IGNORED
    positions: Tensor
    segments: Tensor | None

    @classmethod
    def of(cls, batch: Batch, *, within_documents: bool) -> Examples:
        """Shift the tokens by one; positions start anew in every document if the model keeps within them."""
        segments = batch.segments()
        known = segments[:, 1:] >= 0
        if within_documents:
            known &= segments[:, 1:] == segments[:, :-1]
        targets = np.full_like(batch.tokens, IGNORED)
        targets[:, :-1] = np.where(known, batch.tokens[:, 1:], IGNORED)
        positions = batch.positions() if within_documents else np.broadcast_to(_columns(batch), batch.tokens.shape)
        return cls(
            torch.from_numpy(batch.tokens),
            torch.from_numpy(targets),
            torch.from_numpy(np.ascontiguousarray(positions)),
            torch.from_numpy(segments) if within_documents else None,
        )

    @property
    def count(self) -> int:
        """Tokens that are predicted."""
        return int((self.targets != IGNORED).sum())

    def split(self, rows: int | None) -> Iterator[Examples]:
        """Cut into parts of at most `rows` rows."""
        size = rows or len(self.tokens)
        for begin in range(0, len(self.tokens), size):
            cut = slice(begin, begin + size)
            segments = None if self.segments is None else self.segments[cut]
            yield Examples(self.tokens[cut], self.targets[cut], self.positions[cut], segments)

    def to(self, device: torch.device) -> Examples:
        """Copy to a device."""
        segments = None if self.segments is None else self.segments.to(device)
        return Examples(self.tokens.to(device), self.targets.to(device), self.positions.to(device), segments)


def loss_sum(model: Decoder, examples: Examples) -> Tensor:
    """Give the cross-entropy summed over the predicted tokens; the caller divides by the count of the global batch."""
    logits = model(examples.tokens, examples.positions, examples.segments)
    flat = logits.float().flatten(0, 1)
    return F.cross_entropy(flat, examples.targets.flatten(), ignore_index=IGNORED, reduction="sum")


def _columns(batch: Batch) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(batch.tokens.shape[1])
