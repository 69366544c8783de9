"""The ordered half of `urls`: what the lists decided, and then which addresses were there before."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Column
from headrace.schemas.document import VERDICT_SCHEMA
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import Sieve
from headrace.stages.base import RunContext
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.signatures import KEY
from headrace.stages.deduplication.state import DedupState

PAGE = "_url_page"  # 128-bit hash of the canonical address; null where there is none, or repeats may stay
REASON, DETAIL = "_url_reason", "_url_detail"
REPEATED = "url_repeated"


class UrlState:
    """Which addresses came before: the index of dedup, with addresses in place of views."""

    def __init__(self, context: RunContext, parameters: dict[str, object]) -> None:
        self._context = context
        rules = Rules(exact=True)
        self._seen = DedupState(context, rules, parameters)

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, None]:
        """Settle one unit; a unit that came before gets the same verdicts, or ReplayDiffersError is raised."""
        return self.judge(batch).sift(batch), None

    def judge(self, batch: UnitBatch) -> Sieve:
        """Give the verdicts on a unit: what a list took out is never the first of its address."""
        documents = batch.documents
        asked = pc.and_(pc.is_null(documents[REASON]), pc.is_valid(documents[PAGE]))
        open_ = documents.select(["doc_id", PAGE]).rename_columns(["doc_id", KEY]).filter(asked)
        repeats = self._seen.judge(batch.but(documents=open_.combine_chunks())).verdicts
        return Sieve(self._context.stage, _merged(documents, asked, repeats), (PAGE, REASON, DETAIL))

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Write the addresses of units up to `through` that are not written yet."""
        return self._seen.flush(through)

    def finish(self) -> None:
        """Nothing is left to say at the end."""

    def close(self) -> None:
        """Let go of index files and of the processes that look them up."""
        self._seen.close()


def _merged(documents: pa.Table, asked: Column, repeats: pa.Table) -> pa.Table:
    """Put the verdicts on repeats, one a row that was asked for, among those of the lists."""
    listed = pc.is_valid(documents[REASON])
    one = pc.if_else(listed, pa.scalar(1.0), pa.scalar(None, pa.float64()))
    own = {
        "verdict": pc.if_else(listed, pa.scalar("dropped"), pa.scalar(None, pa.string())),
        "reason": documents[REASON],
        "value": one,
        "threshold": one,
        "survivor": pa.nulls(len(listed), pa.string()),
        "detail": documents[DETAIL],
    }
    repeats = repeats.set_column(
        1, VERDICT_SCHEMA.field("reason"), pc.if_else(pc.is_valid(repeats["verdict"]), REPEATED, None).cast(pa.string())
    )
    mask = asked.combine_chunks() if isinstance(asked, pa.ChunkedArray) else asked
    columns = [pc.replace_with_mask(_whole(own[name]), mask, _whole(repeats[name])) for name in VERDICT_SCHEMA.names]
    return pa.table(columns, schema=VERDICT_SCHEMA)


def _whole(column: Column) -> Column:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
