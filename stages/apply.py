"""Run one stage over one unit: verdicts become settled rows, and no exception loses a document."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.document import DROPPED, QUARANTINED, VERDICT_SCHEMA
from headrace.schemas.ledger import StageCounts, appended
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import BatchStage, DocumentStage, OrderedStage, Stage, judged
from headrace.stages.contract import check_result
from headrace.stages.documents import NOT_THE_DOCUMENT, process_documents, said, unusable
from headrace.stages.writing.parsed import put_back, set_aside


def apply(name: str, stage: Stage, batch: UnitBatch) -> UnitBatch:
    """Run a stateless stage (or the stateless half of an ordered one) over the live documents of a unit.

    An exception costs only the document that raised it: the stage is run again row by row, and that row is quarantined.
    """
    seen, aside = set_aside(batch.documents)
    if isinstance(stage, OrderedStage):
        return batch.but(documents=put_back(stage.prepare(seen), aside))
    return settle(name, batch, put_back(guarded(stage, seen), aside))


def guarded(stage: Stage, table: pa.Table) -> pa.Table:
    """Give the stage's table; where it raises, the rows that raise when alone come back quarantined."""
    if isinstance(stage, DocumentStage):
        return process_documents(stage, table)
    if not isinstance(stage, BatchStage):
        raise TypeError(f"{type(stage).__name__} has none of the three stage bases")
    try:
        after = stage.process(table)
    except NOT_THE_DOCUMENT as error:
        raise unusable(stage, error) from error
    except Exception:
        if table.num_rows == 0:
            raise
    else:
        check_result(stage, table, after)
        return after
    return pa.concat_tables(
        [_alone(stage, table.slice(row, 1)) for row in range(table.num_rows)], promote_options="default"
    )


def _alone(stage: BatchStage, row: pa.Table) -> pa.Table:
    try:
        after = stage.process(row)
    except NOT_THE_DOCUMENT as error:
        raise unusable(stage, error) from error
    except Exception as error:  # noqa: BLE001  # whatever a stage raises costs one document
        return judged(row, [QUARANTINED], ["exception"], detail=[cause(error)])
    check_result(stage, row, after)
    return after


def cause(error: BaseException) -> str:
    """Say what an exception was and where it was raised, on one line, without paths of this machine."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].name}:{frames[-1].lineno}" if frames else ""
    return said(error) + place


@dataclass(frozen=True, slots=True)
class Sieve:
    """What an ordered stage decided about a unit, apart from the unit: small, so that the text need not travel with it.

    `verdicts` has VERDICT_SCHEMA and one row a document; `spent` names private columns that nobody needs any more.
    """

    stage: str
    verdicts: pa.Table
    spent: tuple[str, ...] = ()

    def sift(self, batch: UnitBatch) -> UnitBatch:
        """Settle the unit that the verdicts are about."""
        table = batch.documents.drop_columns([name for name in self.spent if name in batch.documents.column_names])
        for field in VERDICT_SCHEMA:
            table = table.append_column(field, self.verdicts[field.name])
        return settle(self.stage, batch, table)


def settle(name: str, batch: UnitBatch, table: pa.Table) -> UnitBatch:
    """Split a judged table into live and settled rows, and count what the stage did."""
    received = batch.documents.num_rows
    if "verdict" not in table.column_names:
        counts = StageCounts(name, received, table.num_rows - received, table.num_rows)
        return batch.but(documents=table, counts=appended(batch.counts, counts))
    live = pc.is_null(table["verdict"])
    kept = table.filter(live).drop_columns(VERDICT_SCHEMA.names)
    gone = table.filter(pc.invert(live))
    tally = Counter(zip(gone["verdict"].to_pylist(), gone["reason"].to_pylist(), strict=True))
    counts = StageCounts(
        name,
        received,
        table.num_rows - received,
        kept.num_rows,
        {str(reason): n for (verdict, reason), n in sorted(tally.items()) if verdict == DROPPED},
        {str(reason): n for (verdict, reason), n in sorted(tally.items()) if verdict == QUARANTINED},
    )
    settled = batch.settled
    if gone.num_rows:
        settled = (*settled, gone.append_column("stage", pa.array([name] * gone.num_rows, pa.string())))
    return batch.but(documents=kept, settled=settled, counts=appended(batch.counts, counts))
