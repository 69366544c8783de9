"""How a tokenizer is trained when the configuration gives none."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class TrainOptions(BaseModel):
    """Options of the training; the defaults keep Chinese, white space and line breaks intact."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    vocab_size: int = Field(32_000, ge=300, le=1 << 20, description="Ids wanted; a small sample may give fewer.")
    model_type: Literal["unigram", "bpe"] = Field("unigram", description="The algorithm of the model.")
    sample_bytes: int = Field(16_000_000, ge=1, description="Train on this much text: the first kept documents.")
    character_coverage: float = Field(
        0.9995, gt=0, le=1, description="Share of characters that get an id of their own; the rest is spelled in bytes."
    )
    byte_fallback: bool = Field(True, description="Spell characters without an id in bytes, so that nothing is lost.")
    split_digits: bool = Field(True, description="One id a digit.")
    max_sentence_bytes: int = Field(4096, ge=16, description="Longer lines are trained on in pieces of this size.")
    threads: int = Field(4, ge=1, le=256, description="Part of the result: the model depends on it.")
