"""The two halves behind the first pass: verdicts on all documents at once, and the ordered state that applies them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.document import DROPPED, VERDICT_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import Sieve
from headrace.stages.base import RunContext
from headrace.stages.deduplication.components import NOTHING, Dropped, best, components, dropped
from headrace.stages.deduplication.kept_entries import KeptEntries, Sign
from headrace.stages.deduplication.options import Keep
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import IndexRuns
from headrace.stages.deduplication.scratch import Scratch
from headrace.stages.deduplication.spooled import Spooled
from headrace.stages.deduplication.telling import Tell, unheard
from headrace.stages.deduplication.verdict_file import open_verdicts, policy_counts
from headrace.stages.kernels.band_index import EXACT

REASONS = pa.array(["", "exact_duplicate", "near_duplicate"])


def settle_all(
    documents: Spooled, rules: Rules, keep: Keep, scratch: Scratch, *, compare: bool, tell: Tell = unheard
) -> tuple[Dropped, dict[str, int | None]]:
    """Give the verdicts of a policy on all documents, and what each policy would have kept.

    There are none of `first_seen`, which judges for itself, document by document.
    """
    found = components(documents.known, rules, scratch, compare=compare, tell=tell)
    graded = bool(np.any(documents.grades >= 0))
    ranked = best(found.firsts, documents.grades, documents.authorities) if graded or keep == "best" else None
    stays = ranked if ranked is not None and keep == "best" else found.firsts
    gone = NOTHING if keep == "first_seen" else dropped(documents.known, found, stays, rules)
    own = np.arange(len(found.firsts)) == found.firsts
    moved = None if ranked is None else int(np.count_nonzero(ranked[own] != found.firsts[own]))
    seen = None if found.first_seen is None else int(np.count_nonzero(found.first_seen))
    return gone, policy_counts(len(own), seen, int(np.count_nonzero(own)), moved)


class SettledState:
    """Takes out of each unit what the verdicts name; a document that the first pass did not have stays.

    A unit that comes again gets the same answer. At commits it writes index files of what was kept, so that later runs
    can be compared with this one; `sign` signs what the first pass did not have. In memory: 8 bytes a dropped document,
    and the doc_ids since the last commit.
    """

    def __init__(self, context: RunContext, rules: Rules, parameters: dict[str, object], sign: Sign) -> None:
        if context.settled is None:
            raise HeadraceError(
                "there are no verdicts of the first pass",
                where=f"stage {context.stage}",
                remedy="this is a bug of the pipeline: start the same command again",
            )
        self._stage, self._threshold = context.stage, rules.threshold
        self._file: FileRef = context.settled
        self._named = context.first_unit > 0  # the first commit named the file
        self._verdicts = open_verdicts(context.run, self._file)
        self._units = self._verdicts["unit"].to_numpy()
        self._entries = KeptEntries(context.run, parameters, sign)
        self._runs = IndexRuns(context, rules, parameters)
        self._next = context.first_unit

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, None]:
        """Settle one unit."""
        return self.judge(batch).sift(batch), None

    def judge(self, batch: UnitBatch) -> Sieve:
        """Give the verdicts on a unit that `accept` applies."""
        begin, end = np.searchsorted(self._units, [batch.unit, batch.unit + 1])
        rows = self._verdicts.slice(begin, end - begin).combine_chunks()
        places = pc.index_in(batch.documents["doc_id"].combine_chunks(), rows["doc_id"].combine_chunks())
        self._entries.keep(batch.unit, batch.documents.filter(places.is_null()))
        found = rows.take(places)
        fates = found["fate"].cast(pa.int64())
        equal = pc.equal(fates, pa.scalar(EXACT))
        columns = {
            "verdict": pc.if_else(fates.is_valid(), pa.scalar(DROPPED), pa.scalar(None, pa.string())),
            "reason": REASONS.take(fates.combine_chunks()),
            "value": found["value"],
            "threshold": pc.if_else(equal, pa.scalar(1.0), pa.scalar(self._threshold)),
            "survivor": found["survivor"],
            "detail": pc.call_function(
                "binary_join_element_wise", [pa.scalar("by way of"), found["way"], pa.scalar(" ")]
            ),
        }
        return Sieve(self._stage, pa.table(columns, schema=VERDICT_SCHEMA))

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Write an index file of what was kept; the first commit's line vouches for the verdicts, too."""
        refs = () if self._named else (self._file,)
        first, self._next, self._named = self._next, through + 1, True
        entries = self._entries.between(first, through)
        return (*refs, self._runs.write(entries, first, through)) if entries.num_rows else refs

    def finish(self) -> None:
        """Nothing is left to say at the end."""
