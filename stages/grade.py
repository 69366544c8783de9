"""Grade: three signals between 0 and 1, their weighted mean, and a letter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field, model_validator

from headrace.schemas.arrays import Floats, floats, text_buffers, with_column
from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, differing, judged
from headrace.stages.kernels.characters import brackets, classes, sentence_marks

SIGNALS = ("length", "completeness", "authority")
Letter = Literal["A", "B", "C", "D"]
UNKNOWN_AUTHORITY = 0.5  # the same as a source that says nothing


class Weights(BaseModel):
    """How much each signal counts in the total; they are divided by their sum."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    length: float = Field(0.3, ge=0, description="Weight of scores.length.")
    completeness: float = Field(0.4, ge=0, description="Weight of scores.completeness.")
    authority: float = Field(0.3, ge=0, description="Weight of scores.authority.")

    @model_validator(mode="after")
    def _some_weight(self) -> Weights:
        whole = self.length + self.completeness + self.authority
        if not whole > 0:
            raise ValueError("all weights are 0: give at least one signal a weight above 0")
        if not math.isfinite(whole):
            raise ValueError("the sum of the weights is too large for a number: give smaller ones")
        return self


class Grade(BatchStage):
    """Score documents and give them a grade; by default all of them go on.

    length = bytes / (bytes + half_length_bytes).
    completeness = 0.5 if the text ends like a sentence, + 0.3 * min(1, sentences / full_sentences),
    + 0.2 * the share of its brackets and quotes that have a partner (1 without any).
    authority = the document's own, 0.5 where it is not known.
    Only divisions and sums: the scores are the same to the last bit on every machine.
    """

    version: ClassVar[int] = 2

    kind: Literal["grade"] = "grade"
    half_length_bytes: int = Field(500, ge=1, description="UTF-8 bytes of text at which the length score is 0.5.")
    full_sentences: int = Field(3, ge=1, description="Sentences from which a text counts as several.")
    weights: Weights = Field(Weights(), description="How much each signal counts.")
    a: float = Field(0.70, ge=0, le=1, description="Total from which a document is an A.")
    b: float = Field(0.50, ge=0, le=1, description="Total from which it is a B.")
    c: float = Field(0.30, ge=0, le=1, description="Total from which it is a C; the rest is D.")
    keep: tuple[Letter, ...] = Field(("A", "B", "C", "D"), min_length=1, description="Grades that go on.")

    @model_validator(mode="after")
    def _falling(self) -> Grade:
        if not self.a >= self.b >= self.c:
            raise ValueError(f"grades must fall: a {self.a} >= b {self.b} >= c {self.c}")
        return self

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with the columns scores.* and grade; documents of other grades than `keep` are dropped."""
        scores = self.scores(table)
        for name, score in scores.items():
            table = with_column(table, f"scores.{name}", pa.array(score))
        return self.decided(table)

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with total, grade and verdict by its three signals."""
        total = self._mean({name: floats(table, f"scores.{name}") for name in SIGNALS})
        table = with_column(table, "scores.total", pa.array(total))
        letters = np.array(["D", "C", "B", "A"])[sum(total >= bar for bar in (self.a, self.b, self.c))]
        table = with_column(table, "grade", pa.array(letters, pa.string()))
        dropped = pa.array(~np.isin(letters, self.keep))
        bar = min((getattr(self, g.lower(), 0.0) for g in self.keep), default=0.0)
        return judged(
            table,
            pc.if_else(dropped, DROPPED, None),
            pc.if_else(dropped, "grade", None),
            pc.if_else(dropped, pa.array(total), None),
            pc.if_else(dropped, bar, None),
        )

    def unanswerable(self, before: Grade) -> list[str]:
        """Name the changed options by which signals are measured."""
        return [name for name in differing(self, before) if name in ("half_length_bytes", "full_sentences")]

    def reads(self, before: Grade | None = None) -> tuple[str, ...]:  # any change may move any letter
        """Name the signals."""
        return tuple(f"scores.{name}" for name in SIGNALS)

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object]:  # there is one
        """Keep the document's grade, too."""
        return "keep", [letter for letter in ("A", "B", "C", "D") if letter in (*self.keep, row["grade"])]

    def scores(self, table: pa.Table) -> dict[str, Floats]:
        """Give each signal, in the order of the columns."""
        from headrace.stages.kernels.sentences import ENDED, PAIRABLE, SENTENCES, UNPAIRED, sentence_counts

        data, offsets = text_buffers(table["text"])
        size = np.diff(offsets).astype(np.float64)
        counts = sentence_counts(data, offsets, classes(), sentence_marks(), brackets())
        several = np.minimum(1.0, counts[:, SENTENCES] / self.full_sentences)
        paired = 1.0 - counts[:, UNPAIRED] / np.maximum(1, counts[:, PAIRABLE])
        completeness = 0.5 * counts[:, ENDED] + 0.3 * several + 0.2 * paired
        given = table["authority"].to_numpy().astype(np.float64)
        authority = np.where(np.isnan(given), UNKNOWN_AUTHORITY, given)
        length = size / (size + self.half_length_bytes)
        return dict(zip(SIGNALS, (length, completeness, authority), strict=True))

    def _mean(self, signals: dict[str, Floats]) -> Floats:
        weights = [getattr(self.weights, name) for name in signals]
        total = sum((weight * signal for weight, signal in zip(weights, signals.values(), strict=True)), np.float64(0))
        return np.asarray(total / sum(weights), np.float64)
