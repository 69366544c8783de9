"""Dedup: drop documents that repeat an earlier kept one, exactly or nearly, and name the one that stays."""

from __future__ import annotations

from typing import ClassVar, Literal

import pyarrow as pa
from pydantic import Field, model_validator

from headrace.stages.base import OrderedStage, OrderedState, RunContext
from headrace.stages.deduplication.options import MinHash
from headrace.stages.view import views


class Dedup(OrderedStage):
    """Keep the first of documents whose views are equal or nearly so.

    A document is dropped as `exact_duplicate` or `near_duplicate`, with the survivor's doc_id and their similarity, if
    it repeats an earlier kept document in unit order. An empty view is never a near duplicate.
    """

    version: ClassVar[int] = 1

    kind: Literal["dedup"] = "dedup"
    exact: bool = Field(True, description="Drop documents whose views are equal.")
    minhash: MinHash | None = Field(MinHash(), description="How near duplicates are found; null: they are not.")
    verify: Literal["signature", "exact"] = Field(
        "signature",
        description="signature: similarity is estimated from the signatures. exact: it is the Jaccard similarity of "
        "the shingle sets, which are then kept in memory (4 bytes a shingle).",
    )

    @model_validator(mode="after")
    def _something_to_do(self) -> Dedup:
        if not self.exact and self.minhash is None:
            raise ValueError("exact is false and minhash is null: nothing to find; leave the stage out")
        return self

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add each document's key, signature and, where needed, shingle set."""
        from headrace.stages.deduplication import signatures as s

        data, offsets = views(table["text"])
        if self.exact:
            table = table.append_column(s.KEY, s.exact_keys(data, offsets))
        if self.minhash is None:
            return table
        signed, counts = s.signatures(data, offsets, self.minhash)
        table = table.append_column(s.SIGNATURE, signed)
        if self.verify == "signature":
            return table
        return table.append_column(s.SHINGLES, s.sets_of_shingles(data, offsets, self.minhash, counts))

    def open(self, context: RunContext) -> OrderedState:
        """Give the state of the committed units, from their index runs."""
        from headrace.stages.deduplication.index import Rules
        from headrace.stages.deduplication.state import DedupState

        parameters = {"stage": self.model_dump(mode="json"), "version": self.version}
        if self.minhash is None:
            return DedupState(context, Rules(self.exact, 0, 0, 1.0, sets=False), parameters)
        near = self.minhash
        rules = Rules(self.exact, near.bands, near.rows, near.threshold, sets=self.verify == "exact")
        return DedupState(context, rules, parameters)
