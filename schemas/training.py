"""How shards are read and trained on: the `loader:` and `trainer:` sections, and the pace they need."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

TRAINER_FOLDER = "trainer"  # in the run folder: config.json, metrics.jsonl, trainer.log, checkpoints/


class LoaderConfig(BaseModel):
    """How trainers read the shards. Every field but the last three is part of the order of the samples."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    global_batch: int = Field(
        default=32, ge=1, description="Sequences a step, over all ranks; the same whatever the world size."
    )
    window_shards: int = Field(
        default=4, ge=1, description="The first epoch shuffles within windows of so many committed shards."
    )
    seed: int = Field(default=0, description="Seed of the order.")
    shuffle: bool = Field(default=True, description="false reads the sequences in the order they were written.")
    drop_last: bool = Field(
        default=True, description="Leave out an epoch's incomplete last batch; false fills it with padding."
    )
    skip: tuple[int, ...] = Field(
        default=(), description="Sequences to leave out, by their number in the run: padding in their place."
    )
    verify: bool = Field(
        default=False, description="Hash every shard before its first use; size and version are always checked."
    )
    poll_s: float = Field(
        default=0.2, gt=0, description="Time between two looks at a run that still grows, in seconds."
    )
    patience_s: float = Field(
        default=60.0, gt=0, description="After so many seconds of waiting, say who waits for whom."
    )


class ModelConfig(BaseModel):
    """A decoder: pre-norm, SwiGLU, rotary positions. Vocabulary and sequence length come from the shards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    layers: int = Field(default=4, ge=1, description="Decoder blocks.")
    heads: int = Field(default=4, ge=1, description="Attention heads; must divide `width` into even parts.")
    width: int = Field(default=256, ge=2, description="Channels of the residual stream.")
    hidden: int | None = Field(
        default=None, ge=1, description="Channels inside SwiGLU; by default 8/3 of the width, rounded up to 64."
    )
    rope_base: float = Field(default=10_000.0, gt=1, description="Base of the rotary frequencies.")
    norm_eps: float = Field(default=1e-5, gt=0, description="Added to the mean square in RMSNorm.")
    init_std: float = Field(default=0.02, gt=0, description="Standard deviation of the initial weights.")
    tie_weights: bool = Field(default=True, description="Use one matrix for the embedding and the output.")
    document_mask: bool = Field(default=True, description="Attention, positions and targets stay within one document.")

    @model_validator(mode="after")
    def _heads_divide(self) -> ModelConfig:
        if self.width % (2 * self.heads):
            raise ValueError(f"width {self.width} is not a multiple of 2 x heads = {2 * self.heads}")
        return self

    @property
    def hidden_width(self) -> int:
        """Channels inside SwiGLU."""
        return self.hidden or -(-8 * self.width // 3 // 64) * 64


class OptimizerConfig(BaseModel):
    """AdamW with linear warm-up and cosine decay."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    lr: float = Field(default=1e-3, gt=0, description="Peak learning rate.")
    min_lr_share: float = Field(
        default=0.1, ge=0, le=1, description="Learning rate at the end of the decay, as a share of the peak."
    )
    warmup_steps: int = Field(default=20, ge=0, description="Steps of linear warm-up.")
    decay_steps: int | None = Field(
        default=None,
        ge=1,
        description="Step at which the decay ends; by default `steps`. Without either the rate stays at its peak: the "
        "length of a run that still grows is not known.",
    )
    weight_decay: float = Field(
        default=0.1, ge=0, description="Decay of matrices; norms and other vectors are never decayed."
    )
    betas: tuple[float, float] = Field(default=(0.9, 0.95), description="AdamW's averaging factors.")
    clip: float = Field(default=1.0, ge=0, description="Largest gradient norm; 0 clips nothing.")


class TrainerConfig(BaseModel):
    """The bundled trainer: what it trains, for how long, and how it saves."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    mode: Literal["required", "none"] = Field(
        default="required",
        description="required: the pipeline starts a trainer and keeps its pace; none: trainers may attach.",
    )
    world_size: int = Field(default=1, ge=1, le=1, description="Ranks; this release trains in one process.")
    steps: int | None = Field(default=None, ge=1, description="Stop after so many steps.")
    epochs: int | None = Field(
        default=None, ge=1, description="Stop after so many passes over the run, if that comes earlier."
    )
    micro_batch: int | None = Field(
        default=None, ge=1, description="Sequences per forward pass; by default a rank's whole share."
    )
    seed: int = Field(default=0, description="Seed of the initial weights.")
    model: ModelConfig = ModelConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    checkpoint_every: int = Field(
        default=100, ge=1, description="Steps between checkpoints; one more is written at the end."
    )
    keep_checkpoints: int = Field(default=2, ge=1, description="How many of the newest checkpoints stay.")
    device: Literal["auto", "cpu", "cuda"] = Field(default="auto", description="auto takes the GPU if there is one.")
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto", description="auto: bfloat16 on a GPU that has it."
    )
    threads: int | None = Field(
        default=None, ge=1, description="CPU threads; by default torch decides. Part of bitwise repeatability."
    )
    beat_s: float = Field(
        default=1.0, gt=0, description="Longest time between two signs of life to the pipeline, in seconds."
    )
    pause_s: float = Field(
        default=0.0, ge=0, description="Sleep after every step, to see how the pipeline waits for a slow trainer."
    )

    @model_validator(mode="after")
    def _ends(self) -> TrainerConfig:
        if self.steps is None and self.epochs is None:
            raise ValueError("training would never end: give `steps`, `epochs` or both")
        return self

    @property
    def decay_steps(self) -> int | None:
        """The step at which the learning rate reaches its minimum, or None when it stays at its peak."""
        return self.optimizer.decay_steps or self.steps


class TrainingConfig(BaseModel):
    """What one trainer process is told: the two sections of the configuration that concern it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    loader: LoaderConfig = LoaderConfig()
    trainer: TrainerConfig


def minimum_ahead(window_shards: int, global_batch: int, fewest_sequences_in_window: int) -> int:
    """Give the smallest `ahead` with which pipeline and trainer cannot wait for each other for ever.

    A batch may begin in one window of K shards and reach over ceil((B - 1) / S) further ones, S being the fewest
    sequences in a full window; all of them must be written before any shard of the first is acknowledged.

    >>> minimum_ahead(window_shards=2, global_batch=4, fewest_sequences_in_window=6)
    4
    """
    reach = -(-(global_batch - 1) // max(1, fewest_sequences_in_window))
    return window_shards * (1 + reach)
