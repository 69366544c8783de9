"""The ordered half of dedup: units in, verdicts out, index files at shard borders."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64

from headrace.schemas.arrays import Array, Counts, Flags, text_buffers
from headrace.schemas.document import DROPPED, VERDICT_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import Sieve
from headrace.stages.base import ReplayDiffersError, RunContext
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.layers import Layers
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import IndexRuns
from headrace.stages.deduplication.signatures import (
    KEY,
    PRIVATE,
    SETS,
    SIGNATURE,
    SIGNED,
    from_columns,
    to_columns,
)
from headrace.stages.kernels.band_index import EXACT, KEPT
from headrace.stages.kernels.entries import Entries

EXACT_REASON, NEAR_REASON = "exact_duplicate", "near_duplicate"
_REASONS = np.array(["", EXACT_REASON, NEAR_REASON])
_BUG = "this is a bug of the pipeline: report it with events.jsonl"


class DedupState:
    """Which documents were kept so far, and by what they are found.

    Documents of earlier runs are numbered first, then the kept ones in unit order. `_lasts[i]` is the number after the
    last kept document of unit `first_unit + i`, so a unit that comes again is judged against what came before it,
    whatever was entered since. That and a mark are 16 bytes a unit of this session: 16 MB for 4 TB in units of 4 MB.
    """

    def __init__(self, context: RunContext, rules: Rules, parameters: dict[str, object]) -> None:
        self._context, self._rules = context, rules
        self._runs = IndexRuns(context, rules, parameters)
        self._layers = Layers(context, rules, parameters)
        self._lasts = array("q")
        self._marks = array("Q")  # of what each unit kept
        self._base = self._flushed = self._layers.count
        self._flushed_through = context.first_unit - 1

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, None]:
        """Settle one unit; a unit that came before gets the same verdicts, or ReplayDiffersError is raised."""
        return self.judge(batch).sift(batch), None

    def judge(self, batch: UnitBatch) -> Sieve:
        """Give the verdicts on a unit that `accept` applies."""
        return Sieve(self._context.stage, self._verdicts(self.settled(batch)), PRIVATE)

    def settled(self, batch: UnitBatch) -> Fates:
        """Give what becomes of a unit's documents: `judge` for those who have no use for verdicts."""
        place = self._place_of(batch.unit)
        return self._again(batch, place) if place < len(self._lasts) else self._new(batch)

    def asked(self, batch: UnitBatch) -> Fates:
        """Give what the units before this one say of its documents, each alone; `settled` is to follow."""
        self._place_of(batch.unit)
        return self._layers.ask(from_columns(batch.documents, self._rules.pieces), self._last_of(batch.unit - 1))

    def doc_ids(self, numbers: Counts) -> Array:
        """Give the doc_ids of survivors."""
        return self._layers.ids(numbers)

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
        refs = (self._runs.write(self._entries(first, last), begin, through),) if last > first else ()
        self._layers.added(refs, first, last)
        return refs

    def finish(self) -> None:
        """Nothing is left to say at the end."""

    @property
    def nbytes(self) -> int:
        """Memory of the documents that are in memory."""
        return self._layers.nbytes

    def close(self) -> None:
        """Let go of index files and of the processes that look them up."""
        self._layers.close()

    @property
    def _next_unit(self) -> int:
        return self._context.first_unit + len(self._lasts)

    def _place_of(self, unit: int) -> int:
        place = unit - self._context.first_unit
        if not 0 <= place <= len(self._lasts):
            raise HeadraceError(
                f"unit {unit} is out of order",
                where=f"stage {self._context.stage}",
                why=f"units from {self._context.first_unit} on are open, and {self._next_unit} is the next new one",
                remedy=_BUG,
            )
        return place

    def _last_of(self, unit: int) -> int:
        place = unit - self._context.first_unit
        return self._lasts[place] if place >= 0 else self._base

    def _new(self, batch: UnitBatch) -> Fates:
        entries = from_columns(batch.documents, self._rules.pieces)
        fates = self._layers.settle(entries)
        ids = kept_ids(batch.documents, fates)
        self._layers.name(ids)
        self._lasts.append(self._layers.count)
        self._marks.append(mark(ids, entries, fates))
        return fates

    def _again(self, batch: UnitBatch, place: int) -> Fates:
        entries = from_columns(batch.documents, self._rules.pieces)
        fates = self._layers.settle_again(entries, self._last_of(batch.unit - 1), self._lasts[place])
        if fates is not None and mark(kept_ids(batch.documents, fates), entries, fates) == self._marks[place]:
            return fates
        raise ReplayDiffersError(
            f"unit {batch.unit} came again and stage {self._context.stage} would keep others of it"
        )

    def _verdicts(self, fates: Fates) -> pa.Table:
        kept = fates.fates == KEPT
        survivors = self._layers.ids(fates.survivors[~kept])
        thresholds = np.where(fates.fates == EXACT, 1.0, self._rules.threshold)
        columns = {
            "verdict": pa.array(np.full(len(kept), DROPPED), pa.string(), mask=kept),
            "reason": pa.array(_REASONS[fates.fates], pa.string(), mask=kept),
            "value": pa.array(fates.similarities, pa.float64(), mask=kept),
            "threshold": pa.array(thresholds, pa.float64(), mask=kept),
            "survivor": pc.replace_with_mask(pa.nulls(len(kept), pa.string()), pa.array(~kept), survivors),
            "detail": self._layers.earlier.details(fates.survivors),
        }
        return pa.table(columns, schema=VERDICT_SCHEMA)

    def _entries(self, first: int, last: int) -> pa.Table:
        rules = self._rules
        names = [KEY] * rules.exact + [SIGNED, SIGNATURE] * (rules.bands > 0) + [SETS] * rules.sets
        numbers = np.arange(first, last)
        places = np.searchsorted(np.frombuffer(self._lasts, np.int64), numbers, side="right")
        units = pa.array(places + self._context.first_unit, pa.int64())
        columns = to_columns(self._layers.entries(first, last), names)
        return pa.table({"unit": units, "doc_id": self._layers.ids(numbers), **columns})


def kept_ids(documents: pa.Table, fates: Fates) -> Array:
    """Give the doc_ids of the kept documents."""
    return documents["doc_id"].filter(pa.array(fates.fates == KEPT)).combine_chunks()


def mark(ids: Array, entries: Entries, fates: Fates) -> int:
    """Give 64 bits of the kept documents: their doc_ids, keys and signatures."""
    state = xxh3_64()
    for part in _content(ids, entries, fates.fates == KEPT):
        state.update(part)
    return state.intdigest()


def _content(ids: Array, entries: Entries, kept: Flags) -> Iterator[bytes]:
    data, offsets = text_buffers(ids)
    yield data[offsets[0] : offsets[-1]].tobytes()
    yield (offsets - offsets[0]).tobytes()
    yield entries.keys[kept].tobytes() if len(entries.keys) else b""
    yield entries.signed[kept].tobytes()
    yield entries.signatures[kept].tobytes()
