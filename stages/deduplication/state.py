"""The ordered half of dedup: units in, verdicts out, index runs at shard borders."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.document import DROPPED, VERDICT_SCHEMA
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import Sieve
from headrace.stages.base import ReplayDiffersError, RunContext
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.ids import DocumentIds
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import IndexRuns
from headrace.stages.deduplication.signatures import (
    KEY,
    PRIVATE,
    SHINGLES,
    SIGNATURE,
    SIGNED,
    from_columns,
    to_columns,
)
from headrace.stages.kernels.arrays import Array
from headrace.stages.kernels.band_index import EXACT, KEPT

EXACT_REASON, NEAR_REASON = "exact_duplicate", "near_duplicate"
_REASONS = np.array(["", EXACT_REASON, NEAR_REASON])
_BUG = "this is a bug of the pipeline: report it with events.jsonl"


class DedupState:
    """Which documents were kept so far, and by what they are found.

    Kept documents are numbered in unit order. `_lasts[i]` is the number after the last kept document of unit
    `first_unit + i`, so a unit that comes again is judged against what came before it, whatever was entered since.
    """

    def __init__(self, context: RunContext, rules: Rules, parameters: dict[str, object]) -> None:
        self._context, self._rules = context, rules
        self._runs = IndexRuns(context, rules, parameters)
        self._index = FirstSeenIndex(rules)
        self._ids = DocumentIds()
        self._lasts: list[int] = []
        for ref in context.committed:
            self._load(ref)
        self._base = self._flushed = self._index.count
        self._flushed_through = context.first_unit - 1

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, None]:
        """Settle one unit; a unit that came before gets the same verdicts, or ReplayDiffersError is raised."""
        return self.judge(batch).sift(batch), None

    def judge(self, batch: UnitBatch) -> Sieve:
        """Give the verdicts on a unit that `accept` applies."""
        place = batch.unit - self._context.first_unit
        if not 0 <= place <= len(self._lasts):
            raise HeadraceError(
                f"unit {batch.unit} is out of order",
                where=f"stage {self._context.stage}",
                why=f"units from {self._context.first_unit} on are open, and {self._next_unit} is the next new one",
                remedy=_BUG,
            )
        fates = self._again(batch, place) if place < len(self._lasts) else self._new(batch)
        return Sieve(self._context.stage, self._verdicts(fates), PRIVATE)

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Write what was kept in units up to `through` and is not written yet; no file if that is nothing."""
        if not self._flushed_through <= through < self._next_unit:
            raise HeadraceError(
                f"units up to {through} cannot be flushed",
                where=f"stage {self._context.stage}",
                why=f"{self._flushed_through} was the last flushed one, and {self._next_unit} has not come yet",
                remedy=_BUG,
            )
        first, last = self._flushed, self._last_of(through)
        begin, self._flushed, self._flushed_through = self._flushed_through + 1, last, through
        return (self._runs.write(self._entries(first, last), begin, through),) if last > first else ()

    def finish(self) -> None:
        """Nothing is left to say at the end."""

    @property
    def _next_unit(self) -> int:
        return self._context.first_unit + len(self._lasts)

    def _last_of(self, unit: int) -> int:
        place = unit - self._context.first_unit
        return self._lasts[place] if place >= 0 else self._base

    def _new(self, batch: UnitBatch) -> Fates:
        fates = self._index.settle(from_columns(batch.documents, self._rules.pieces))
        self._lasts.append(self._index.count)
        self._ids.extend(kept_ids(batch.documents, fates))
        return fates

    def _again(self, batch: UnitBatch, place: int) -> Fates:
        first, last = self._last_of(batch.unit - 1), self._lasts[place]
        fates = self._index.settle_again(from_columns(batch.documents, self._rules.pieces), first, last)
        if fates is not None and kept_ids(batch.documents, fates).equals(self._ids.take(np.arange(first, last))):
            return fates
        raise ReplayDiffersError(
            f"unit {batch.unit} came again and stage {self._context.stage} would keep others of it"
        )

    def _verdicts(self, fates: Fates) -> pa.Table:
        kept = fates.fates == KEPT
        survivors = self._ids.take(fates.survivors[~kept])
        thresholds = np.where(fates.fates == EXACT, 1.0, self._rules.threshold)
        columns = {
            "verdict": pa.array(np.full(len(kept), DROPPED), pa.string(), mask=kept),
            "reason": pa.array(_REASONS[fates.fates], pa.string(), mask=kept),
            "value": pa.array(fates.similarities, pa.float64(), mask=kept),
            "threshold": pa.array(thresholds, pa.float64(), mask=kept),
            "survivor": pc.replace_with_mask(pa.nulls(len(kept), pa.string()), pa.array(~kept), survivors),
            "detail": pa.nulls(len(kept), pa.string()),
        }
        return pa.table(columns, schema=VERDICT_SCHEMA)

    def _entries(self, first: int, last: int) -> pa.Table:
        rules = self._rules
        names = [KEY] * rules.exact + [SIGNED, SIGNATURE] * (rules.bands > 0) + [SHINGLES] * rules.sets
        numbers = np.arange(first, last)
        places = np.searchsorted(np.array(self._lasts), numbers, side="right")
        units = pa.array(places + self._context.first_unit, pa.int64())
        columns = to_columns(self._index.entries(first, last), names)
        return pa.table({"unit": units, "doc_id": self._ids.take(numbers), **columns})

    def _load(self, ref: FileRef) -> None:
        table = self._runs.read(ref)
        if table.num_rows and table["unit"][-1].as_py() >= self._context.first_unit:
            raise FormatError(
                "a file of the dedup index holds units that are not committed",
                where=ref.name,
                why=f"it goes up to unit {table['unit'][-1]}, the commit ends before unit {self._context.first_unit}",
                remedy="start again with --fresh",
            )
        self._index.extend(from_columns(table, self._rules.pieces))
        self._ids.extend(table["doc_id"])


def kept_ids(documents: pa.Table, fates: Fates) -> Array:
    """Give the doc_ids of the kept documents."""
    return documents["doc_id"].filter(pa.array(fates.fates == KEPT)).combine_chunks()
