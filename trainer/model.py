"""The decoder: pre-norm blocks of causal attention with rotary positions, and SwiGLU."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # the name everybody knows
from torch import Tensor, nn

from headrace.schemas.training import ModelConfig

Rotation = tuple[Tensor, Tensor]


class RmsNorm(nn.Module):
    """Scale each vector to mean square one, times a learned weight."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Give the normalised vectors."""
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


class Attention(nn.Module):
    """Multi-head attention to the tokens before, and within the document if a mask says so."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=False)
        self.out = nn.Linear(config.width, config.width, bias=False)

    def forward(self, x: Tensor, rotation: Rotation, mask: Tensor | None) -> Tensor:
        """Mix each token with those it may see."""
        b, t, width = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        q, k = rotated(q, rotation), rotated(k, rotation)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        return self.out(mixed.transpose(1, 2).reshape(b, t, width))  # type: ignore[no-any-return]


class SwiGlu(nn.Module):
    """A gated feed-forward layer."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gate_up = nn.Linear(config.width, 2 * config.hidden_width, bias=False)
        self.down = nn.Linear(config.hidden_width, config.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token by itself."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)  # type: ignore[no-any-return]


class Block(nn.Module):
    """Attention, then SwiGLU, each on the normalised stream and added to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention_norm = RmsNorm(config.width, config.norm_eps)
        self.attention = Attention(config)
        self.feed_norm = RmsNorm(config.width, config.norm_eps)
        self.feed = SwiGlu(config)

    def forward(self, x: Tensor, rotation: Rotation, mask: Tensor | None) -> Tensor:
        """Give the stream with both parts added."""
        x = x + self.attention(self.attention_norm(x), rotation, mask)
        return x + self.feed(self.feed_norm(x))  # type: ignore[no-any-return]


class Decoder(nn.Module):
    """Token ids in, logits of the next token out."""

    def __init__(self, config: ModelConfig, vocabulary_size: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(vocabulary_size, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = RmsNorm(config.width, config.norm_eps)
        self.head = nn.Linear(config.width, vocabulary_size, bias=False)
        if config.tie_weights:
            self.head.weight = self.embedding.weight

    def forward(self, tokens: Tensor, positions: Tensor, segments: Tensor | None = None) -> Tensor:
        """Give the logits [b, t, vocabulary]; with `segments` a token sees only those of its own segment."""
        rotation = angles(positions, self.config)
        mask = None if segments is None else document_mask(segments)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, rotation, mask)
        return self.head(self.norm(x))  # type: ignore[no-any-return]

    def initialise(self, seed: int) -> None:
        """Draw all weights anew from a seed, the same on every device."""
        generator = torch.Generator().manual_seed(seed)
        residual = self.config.init_std / math.sqrt(2 * self.config.layers)  # keeps the stream's variance with depth
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() >= 2:
                    std = residual if name.endswith(("out.weight", "down.weight")) else self.config.init_std
                    weight.copy_(torch.empty(weight.shape).normal_(0.0, std, generator=generator))


def angles(positions: Tensor, config: ModelConfig) -> Rotation:
    """Give cosine and sine of the rotary angles, [b, 1, t, head/2] each, in float32."""
    half = config.width // config.heads // 2
    steps = torch.arange(half, device=positions.device, dtype=torch.float32)
    turns = positions[:, None, :, None].float() * config.rope_base ** (-steps / half)
    return turns.cos(), turns.sin()


def rotated(x: Tensor, rotation: Rotation) -> Tensor:
    """Turn the two halves of each head's vectors by the angles of their positions."""
    cos, sin = rotation
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).type_as(x)


def document_mask(segments: Tensor) -> Tensor:
    """Say which tokens [b, 1, t, t] each token sees: those before it and itself, in its own segment."""
    same = segments[:, None, :, None] == segments[:, None, None, :]
    return same.tril()
