"""What a text holds of one list."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Found:
    """How often a text holds each word of a list, and their weight together."""

    words: Counter[str] = field(default_factory=Counter)
    weight: float = 0.0

    @property
    def matches(self) -> int:
        """Count all matches."""
        return self.words.total()


NOTHING = Found()
