"""A range of a split that kills whoever reads it: quarantined as a whole, since it has no documents yet."""

from __future__ import annotations

from headrace.pipeline.host import Done, Job, read_batch
from headrace.schemas.errors import HeadraceError
from headrace.schemas.ledger import FileCount
from headrace.schemas.source import Source
from headrace.schemas.unit import UnitBatch
from headrace.stages.reading.part import Draft, Fault


def unreadable(job: Job, cause: str, deaths: int) -> tuple[UnitBatch, Done]:
    """Give the unit that stands for the rest of the split: one quarantined row that names file and range."""
    if job.request is None or job.split is None:
        raise ValueError(f"unit {job.unit}: nothing says what was read")
    cursor, split = job.request.cursor, job.split
    if split.hashes:
        what, why = f"unit {job.unit} of the run that is run again cannot be read", f"its reader died {deaths} times"
        where = f"{split.root}/{split.files[1].path}"
        raise HeadraceError(what, where=where, why=f"{why} ({cause})", remedy="give the workers more memory")
    first, *others = split.files[min(cursor.file, len(split.files) - 1) :]
    until = "its end" if split.end is None else f"byte {split.end}"
    place = f"byte {cursor.offset}" + (f" of member {cursor.member}" if cursor.member else "")
    detail = f"the reader died {deaths} times between {place} and {until}"
    if others:
        detail += f"; with it went {', '.join(f.path for f in others)}"
    draft = Draft(
        Source(name=split.source, paths=(split.root,)),
        faults=[Fault(first.path, cursor.offset, cause, detail)],
        files=[FileCount(f"{split.source}:{f.path}", 0, cause) for f in (first, *others)],
    )
    batch = read_batch(job.unit, draft.finished(None))
    return batch, Done(job.unit, {}, batch.counts, None, 1, 0)
