"""A range of a split that kills whoever reads it: quarantined as a whole, since it has no documents yet."""

from __future__ import annotations

import pyarrow as pa

from headrace.pipeline.host import Done, Job
from headrace.pipeline.plan import READ
from headrace.schemas.document import DOCUMENT_SCHEMA, QUARANTINED
from headrace.schemas.ledger import FileCount, StageCounts
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import conform, judged


def unreadable(job: Job, cause: str, deaths: int) -> tuple[UnitBatch, Done]:
    """Give the unit that stands for the rest of the split: one quarantined row that names file and range."""
    if job.request is None or job.split is None:
        raise ValueError(f"unit {job.unit}: nothing says what was read")
    cursor, split = job.request.cursor, job.split
    file = split.files[min(cursor.file, len(split.files) - 1)]
    others = [f.path for f in split.files[cursor.file + 1 :]]
    until = "its end" if split.end is None else f"byte {split.end}"
    detail = f"the reader died {deaths} times between byte {cursor.offset} and {until}"
    if others:
        detail += f"; with it went {', '.join(others)}"
    row = {
        "doc_id": [f"{split.source}:{file.path}#{cursor.offset}"],
        "source": [split.source],
        "path": [file.path],
        "offset": [cursor.offset],
    }
    table = judged(conform(pa.table(row)), [QUARANTINED], [cause], detail=[detail])
    table = table.append_column("stage", pa.array([READ], pa.string()))
    counts = (StageCounts(READ, 1, 0, 0, {}, {cause: 1}), *(StageCounts(s, 0, 0, 0) for s in job.stages[1:]))
    files = tuple(FileCount(f"{split.source}:{f.path}", 0, cause) for f in split.files[cursor.file :])
    empty = conform(table.slice(0, 0).select(DOCUMENT_SCHEMA.names))
    return UnitBatch(job.unit, empty, (table,), counts, files), Done(job.unit, {}, counts, None, 1, 0)
