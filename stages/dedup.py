"""Dedup: drop documents that repeat an earlier kept one, exactly or nearly, and name the one that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import pyarrow as pa
from pydantic import Field, model_validator

from headrace.stages.base import OrderedStage, OrderedState, RunContext
from headrace.stages.deduplication.options import Keep, MinHash, SimHash
from headrace.stages.view import views

if TYPE_CHECKING:
    from headrace.stages.deduplication.rules import Rules, Verify


class Dedup(OrderedStage):
    """Keep the first of documents whose views are equal or nearly so, or one of all that belong together.

    A document is dropped as `exact_duplicate` or `near_duplicate`, with the survivor's doc_id and their similarity, if
    it repeats an earlier kept document in unit order, or one that a run of `against` kept: `detail` then names the run.
    An empty view is never a near duplicate.

    With `keep: components` or `best` the chain up to here runs twice, first over all documents, to sign them. Documents
    that are equal or near belong together, and so do those that each is near to in turn; one of them stays. `value` is
    then the similarity to the survivor, or, where that is below the threshold, to the document that `detail` names, by
    way of which the dropped one belongs to it.
    """

    version: ClassVar[int] = 3
    beside: ClassVar[frozenset[str]] = frozenset({"compare"})

    kind: Literal["dedup"] = "dedup"
    exact: bool = Field(True, description="Drop documents whose views are equal.")
    minhash: MinHash | None = Field(
        MinHash(), description="How near duplicates are found; null: they are not, or by `simhash`."
    )
    simhash: SimHash | None = Field(
        None, description="Find near duplicates by fingerprints of 64 bits, in place of `minhash`."
    )
    verify: Literal["sketch", "signature", "exact"] | None = Field(
        None,
        description="How similar two documents are that were found together. sketch: by their sketches, a bit or two a "
        "shingle, 256 bytes at least, wrong by 0.006 or so. signature: by their signatures, wrong by 0.04. exact: by "
        "their shingles, of which 8 bytes each are kept. null: sketch, with simhash signature.",
    )
    keep: Keep = Field(
        "first_seen",
        description="Which one stays. first_seen: what repeats no kept one before it, in one pass. components: of all "
        "that belong together the first. best: of these the one with the best grade, then the highest authority, then "
        "the first; needs `grade` before it.",
    )
    compare: bool | None = Field(
        None,
        description="Count what each policy would have kept, for the report. null: where the chain runs twice anyway, "
        "with components and best. true: with first_seen, too; the chain then runs twice, the first time to count. 12 "
        "bytes a document and band on disk for the time.",
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
        if self.verify and self._near is None:
            raise ValueError("verify is about near duplicates, and minhash and simhash are null: leave it out")
        if self.simhash and self.simhash.threshold is not None and self.verified_by == "signature":
            raise ValueError(
                "simhash.threshold is a similarity of shingles, and fingerprints are compared by their bits: "
                "set verify: sketch, or leave it out"
            )
        if self.against and self.two_passes:
            raise ValueError(f"against compares document by document: it goes with keep: first_seen, not {self.keep}")
        if self.against and self.compare:
            raise ValueError(
                "compare counts for each policy, and of them only first_seen goes with against: leave out one of both"
            )
        return self

    @property
    def two_passes(self) -> bool:
        """Whether all documents are looked at before one is judged."""
        return self.keep != "first_seen"

    @property
    def needs_first_pass(self) -> bool:
        """Whether the chain up to here runs twice: to judge, or only to count."""
        return self.two_passes or bool(self.compare)

    @property
    def counts_policies(self) -> bool:
        """Whether the report says what each policy would have kept."""
        return self.two_passes if self.compare is None else self.compare

    @property
    def _near(self) -> MinHash | SimHash | None:
        return self.minhash or self.simhash

    @property
    def verified_by(self) -> Verify:
        """What `verify` comes to."""
        return self.verify or ("signature" if self.simhash else "sketch")

    @property
    def earlier_runs(self) -> tuple[str, ...]:
        """The runs of `against`."""
        return self.against

    @property
    def index_parameters(self) -> dict[str, object]:
        """Every option that decides what is remembered of a document: not which one stays, nor `against`."""
        others = {"against", "compare", "keep"}
        options = self.model_dump(mode="json", exclude=others) | {"verify": self.verified_by}
        return {"stage": options, "version": self.version}

    @property
    def rules(self) -> Rules:
        """What the options come to."""
        from headrace.stages.deduplication.rules import rules_of

        return rules_of(self._near, self.verified_by, exact=self.exact)

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add what is signed of each document; nothing where a first pass has done that."""
        return table if self.two_passes else self.signed(table)

    def signed(self, table: pa.Table) -> pa.Table:
        """Add each document's key, signature and, where needed, shingle set."""
        from headrace.stages.deduplication import signatures as s

        data, offsets = views(table["text"])
        if self.exact:
            table = table.append_column(s.KEY, s.exact_keys(data, offsets))
        if self._near is None:
            return table
        for name, column in s.near_columns(data, offsets, self._near, self.verified_by).items():
            table = table.append_column(name, column)
        return table

    def open(self, context: RunContext) -> OrderedState:
        """Give the state of the committed units from their index runs; in a second pass, one that applies verdicts."""
        from headrace.stages.deduplication.settled import SettledState
        from headrace.stages.deduplication.state import DedupState

        if self.two_passes:
            return SettledState(context, self.rules, self.index_parameters, self.signed)
        return DedupState(context, self.rules, self.index_parameters)
