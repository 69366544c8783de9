"""Dedup_lines: take out lines or paragraphs that came before; menus, cookie notices, licence headers stay once."""

from __future__ import annotations

from typing import ClassVar, Literal

import pyarrow as pa
from pydantic import Field

from headrace.stages.base import OrderedStage, OrderedState, RunContext

Spared = Literal["code", "tables", "own"]


class DedupLines(OrderedStage):
    """Take out of texts the lines that earlier documents had; what is left is byte for byte as it was.

    Lines are compared as views: case, width, white space and traditional characters are no matter. What is taken out of
    a document stays in an earlier one that this stage kept. A document of which hardly anything is new is dropped as
    `max_seen_share`, one of which nothing is left as `emptied`, with the doc_id of the one that has most of it. Each
    gets `values.seen_lines` and `values.seen_line_share` (`seen_paragraphs`, `seen_paragraph_share`).
    """

    version: ClassVar[int] = 2

    kind: Literal["dedup_lines"] = "dedup_lines"
    unit: Literal["line", "paragraph"] = Field(
        "line", description="line: each line. paragraph: lines up to a blank one, and blank ones behind them, together."
    )
    min_letters: int = Field(
        40,
        ge=1,
        description="A repeated line is taken out from so many letters and digits on; those of scripts without spaces "
        "(Han, kana, Thai) count three each.",
    )
    min_run_letters: int = Field(
        80, ge=1, description="Shorter lines are taken out where all the repeated ones in a row have so many together."
    )
    occurrences: int = Field(1, ge=1, le=16, description="In how many documents a line stays.")
    spare: tuple[Spared, ...] = Field(
        ("code", "tables", "own"),
        description="What is left alone. code: fenced code. tables: lines that begin with a bar. own: copies of a line "
        "within a document, such as refrains, which stay or go together; without it `occurrences` counts copies.",
    )
    max_seen_share: float | None = Field(
        0.9, ge=0, le=1, description="Above this share of letters in lines that are taken out: dropped. null: never."
    )

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add the keys and letters of each document's lines."""
        from headrace.stages.repeated_lines.pieces import asked_columns

        each = "own" not in self.spare
        for name, column in asked_columns(table["text"], self.unit, self.spare, each=each).items():
            table = table.append_column(name, column)
        return table

    def open(self, context: RunContext) -> OrderedState:
        """Give the state of the committed units, from their index files."""
        from headrace.stages.repeated_lines.state import LineState

        return LineState(context, self, {"stage": self.model_dump(mode="json"), "version": self.version})
