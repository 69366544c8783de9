"""The verdicts of two passes: one file a run, in unit order, read by the second pass."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from headrace.schemas.durable import canonical_json, sync_refs
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication.committed_file import FOLDER, FileKind, mapped
from headrace.stages.deduplication.components import Dropped
from headrace.stages.deduplication.spooled import Spooled
from headrace.stages.deduplication.telling import Tell, told, unheard

_COLUMNS: dict[str, pa.DataType] = {
    "unit": pa.int64(),
    "doc_id": pa.string(),
    "fate": pa.uint8(),
    "value": pa.float64(),
    "survivor": pa.string(),
    "way": pa.string(),  # to whom `value` is the similarity, where that is not the survivor
}
SCHEMA = pa.schema(_COLUMNS)
_ORIGIN = b"headrace.verdicts.origin"
_ROWS = 1 << 16  # a record batch: its doc_ids are in memory
_REMEDY = "restore the file from a copy, or start again with --fresh"
_KIND = FileKind("the verdicts of dedup", 1, b"headrace.verdicts.version", _ORIGIN, _REMEDY, steps="verdicts")


def write_verdicts(
    run: Path,
    stage: str,
    origin: Mapping[str, object],
    documents: Spooled,
    gone: Dropped,
    tell: Tell = unheard,
) -> FileRef:
    """Publish the verdicts durably; the same first pass gives the same bytes."""
    return _KIND.write(run, f"{stage}-verdicts", SCHEMA, _batches(documents, gone, tell), origin)


def _batches(documents: Spooled, gone: Dropped, tell: Tell) -> Iterator[pa.RecordBatch]:
    for first in told(tell, "verdicts written", range(0, len(gone.documents), _ROWS)):
        rows = slice(first, first + _ROWS)
        numbers = gone.documents[rows]
        columns = [
            pa.array(documents.units[numbers], pa.int64()),
            documents.ids(numbers),
            pa.array(gone.fates[rows], pa.uint8()),
            pa.array(gone.similarities[rows], pa.float64()),
            documents.ids(gone.survivors[rows]),
            documents.ids(gone.ways[rows]),
        ]
        yield pa.record_batch(columns, schema=SCHEMA)


def open_verdicts(run: Path, ref: FileRef) -> pa.Table:
    """Map the verdicts into memory; FormatError if they are not those that were committed."""
    return _KIND.open(run / ref.name, ref.sha256)


def verdicts_of(run: Path, stage: str, origin: Mapping[str, object]) -> FileRef | None:
    """Find whole verdicts of the same origin that a session before this one left; None: they are to be made.

    That session may have died, or the machine, between their name and its sync: they are synced before they are given.
    """
    for path in sorted((run / FOLDER).glob(f"{stage}-verdicts-*.arrow")):
        content = mapped(path)
        digest = hashlib.sha256(content).hexdigest()
        if not path.stem.endswith(f"-{digest[:12]}"):
            continue
        ref = FileRef(f"{FOLDER}/{path.name}", digest, content.size)
        if _metadata(content).get(_ORIGIN) == canonical_json(origin):
            sync_refs(run, [ref])
            return ref
    return None


def _metadata(content: pa.Buffer) -> dict[bytes, bytes]:
    return pa.ipc.open_file(content).schema.metadata or {}


def policy_counts(documents: int, first_seen: int | None, firsts: int, moved: int | None) -> dict[str, int | None]:
    """Give how many documents there are, and how many of them each policy keeps.

    `moved`: components of which `best` keeps another document than `components`; None where nothing is graded.
    """
    best = None if moved is None else firsts
    return {"documents": documents, "first_seen": first_seen, "components": firsts, "best": best, "moved": moved}
