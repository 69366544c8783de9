"""Dedup: drop documents that repeat an earlier kept one, exactly or nearly, and name the one that stays."""

from __future__ import annotations

from typing import ClassVar, Literal

import pyarrow as pa
from pydantic import Field, model_validator

from headrace.stages.base import OrderedStage, OrderedState, RunContext
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.view import views


class Dedup(OrderedStage):
    """Keep the first of documents whose views are equal or nearly so.

    A document is dropped as `exact_duplicate` or `near_duplicate`, with the survivor's doc_id and their similarity, if
    it repeats an earlier kept document in unit order, or one that a run of `against` kept: `detail` then names the run.
    An empty view is never a near duplicate.
    """

    version: ClassVar[int] = 2

    kind: Literal["dedup"] = "dedup"
    exact: bool = Field(True, description="Drop documents whose views are equal.")
    minhash: MinHash | None = Field(
        MinHash(), description="How near duplicates are found; null: they are not, or by `simhash`."
    )
    simhash: SimHash | None = Field(
        None, description="Find near duplicates by fingerprints of 64 bits, in place of `minhash`."
    )
    verify: Literal["signature", "exact"] = Field(
        "signature",
        description="signature: similarity is estimated from the signatures. exact: it is the Jaccard similarity of "
        "the shingle sets, which are then kept in memory (8 bytes a shingle).",
    )
    against: tuple[str, ...] = Field(
        (),
        description="Folders of earlier runs, oldest first, relative to the configuration: documents that repeat one "
        "that such a run kept are dropped, too. Those runs need a stage with the same options.",
    )

    @model_validator(mode="before")
    @classmethod
    def _simhash_in_place_of_the_default(cls, options: object) -> object:
        if isinstance(options, dict) and options.get("simhash") is not None:
            return {"minhash": None, **options}
        return options

    @model_validator(mode="after")
    def _something_to_do(self) -> Dedup:
        if self.minhash is not None and self.simhash is not None:
            raise ValueError("minhash and simhash are two ways to find near duplicates: give one, or the stage twice")
        if not self.exact and self._near is None:
            raise ValueError("exact is false, minhash and simhash are null: nothing to find; leave the stage out")
        return self

    @property
    def _near(self) -> MinHash | SimHash | None:
        return self.minhash or self.simhash

    @property
    def earlier_runs(self) -> tuple[str, ...]:
        """The runs of `against`."""
        return self.against

    @property
    def index_parameters(self) -> dict[str, object]:
        """Every option but `against`: what a run is compared with does not change what it remembers of a document."""
        return {"stage": self.model_dump(mode="json", exclude={"against"}), "version": self.version}

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add each document's key, signature and, where needed, shingle set."""
        from headrace.stages.deduplication import signatures as s

        data, offsets = views(table["text"])
        if self.exact:
            table = table.append_column(s.KEY, s.exact_keys(data, offsets))
        if self._near is None:
            return table
        for name, column in s.near_columns(data, offsets, self._near, sets=self.verify == "exact").items():
            table = table.append_column(name, column)
        return table

    def open(self, context: RunContext) -> OrderedState:
        """Give the state of the committed units, from their index runs."""
        from headrace.stages.deduplication.rules import rules_of
        from headrace.stages.deduplication.state import DedupState

        return DedupState(context, rules_of(self._near, self.verify, exact=self.exact), self.index_parameters)
