"""FineWeb's own rules of lines (Penedo et al. 2024, arXiv 2406.17557, section 3.6), in datatrove's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.preset import Preset

if TYPE_CHECKING:
    from headrace.schemas.arrays import Floats
    from headrace.stages.statistics.statistics import Statistics

_PAPER = "FineWeb, section 3.6."


class Fineweb(Preset):
    """Rules of lines that FineWeb adds to Gopher's and C4's; the data set itself asked `gopher`, `c4` and these."""

    name: ClassVar[str] = "fineweb"
    own: ClassVar[frozenset[str]] = frozenset({"short_line_share"})

    min_full_lines: float | None = Field(1, ge=0, description="Lines that are not blank. datatrove.")
    min_ended_line_share: float | None = Field(
        0.12, ge=0, description=f"Lines that end with a mark that ends sentences, of those not blank. {_PAPER}"
    )
    max_short_line_share: float | None = Field(
        0.67, ge=0, description=f"Lines of at most `short_line_characters`, of those not blank. {_PAPER}"
    )
    max_repeated_line_character_share: float | None = Field(
        0.01,
        ge=0,
        description="Characters of lines that are copies of earlier ones, of all but line feeds. datatrove; "
        "the paper says 0.1.",
    )
    max_newline_share: float | None = Field(0.3, ge=0, description="Line feeds per word or mark. datatrove.")
    short_line_characters: int = Field(30, ge=0, description=f"Characters up to which a line is short. {_PAPER}")

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give the share of short lines."""
        return statistics.short_line_share(self.short_line_characters)
