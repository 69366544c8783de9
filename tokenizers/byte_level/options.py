"""What a model file leaves open: the pattern and special tokens of a rank file, and which special tokens mean what."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

EngineChoice = Literal["fast", "reference"]


class ByteLevelOptions(BaseModel):
    """What the user says of a `tokenizer.json` or rank file; for most files the defaults are right."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    pattern: str | None = Field(
        None, description="Rank files alone: how texts are cut into words; a name as `llama3`, or an expression."
    )
    special_tokens: dict[str, int] = Field(
        default_factory=dict, description="Rank files alone: the special tokens and their ids."
    )
    bos: str | None = Field(None, description="The special token that begins a document; by default found by its name.")
    eos: str | None = Field(None, description="The special token that ends a document; by default found by its name.")
    pad: str | None = Field(None, description="The special token that pads; by default found by its name.")
    allowed_special: tuple[str, ...] = Field(
        (), description="Special tokens that a text may spell; all others are read as plain text."
    )

    def key(self) -> str:
        """Give the options that change ids as text, empty when none is set."""
        changed = self.model_dump(exclude_defaults=True)
        return repr(sorted(changed.items())) if changed else ""
