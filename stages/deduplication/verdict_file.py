"""The verdicts of two passes: one file a run, in unit order, read by the second pass."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from headrace.schemas.durable import canonical_json, publish, sha256_file, sync_file, sync_refs, temporary_beside
from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import reach
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication.components import Dropped
from headrace.stages.deduplication.spooled import Spooled

VERDICTS_VERSION = 1
FOLDER = "index"
_COLUMNS: dict[str, pa.DataType] = {
    "unit": pa.int64(),
    "doc_id": pa.string(),
    "fate": pa.uint8(),
    "value": pa.float64(),
    "survivor": pa.string(),
    "way": pa.string(),  # to whom `value` is the similarity, where that is not the survivor
}
SCHEMA = pa.schema(_COLUMNS)
_VERSION, _ORIGIN, _POLICIES = b"headrace.verdicts.version", b"headrace.verdicts.origin", b"headrace.verdicts.policies"
_ROWS = 1 << 16  # a record batch: its doc_ids are in memory
_REMEDY = "restore the file from a copy, or start again with --fresh"

Policies = Mapping[str, int | None]


def write_verdicts(
    run: Path, stage: str, origin: Mapping[str, object], documents: Spooled, gone: Dropped, policies: Policies
) -> FileRef:
    """Publish the verdicts durably; the same first pass gives the same bytes."""
    metadata = {
        _VERSION: str(VERDICTS_VERSION).encode(),
        _ORIGIN: canonical_json(origin),
        _POLICIES: canonical_json(policies),
    }
    (run / FOLDER).mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(run / FOLDER / f"{stage}-verdicts.arrow")
    try:
        with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, SCHEMA.with_metadata(metadata)) as writer:
            for batch in _batches(documents, gone):
                writer.write_batch(batch)
        sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
        reach("verdicts.temporary.synced")
        ref = publish(temporary, run, FOLDER, f"{stage}-verdicts", ".arrow")
    finally:
        temporary.unlink(missing_ok=True)
    sync_refs(run, [ref])
    reach("verdicts.synced")
    return ref


def _batches(documents: Spooled, gone: Dropped) -> Iterator[pa.RecordBatch]:
    for first in range(0, len(gone.documents), _ROWS):
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
    path = run / ref.name
    try:
        if (found := sha256_file(path)) != ref.sha256:
            why = f"its SHA-256 is {found}, {ref.sha256} was written"
            raise FormatError("the verdicts of dedup are damaged", where=str(path), why=why, remedy=_REMEDY)
        table = _mapped(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise FormatError("no verdicts of dedup", where=str(path), why=str(error), remedy=_REMEDY) from error
    if (table.schema.metadata or {}).get(_VERSION) != str(VERDICTS_VERSION).encode():
        why = f"this Headrace reads version {VERDICTS_VERSION} of them"
        raise FormatError("verdicts of dedup of another release", where=str(path), why=why, remedy=_REMEDY)
    return table


def verdicts_of(run: Path, stage: str, origin: Mapping[str, object]) -> FileRef | None:
    """Find whole verdicts of the same origin that a session before this one left; None: they are to be made."""
    for path in sorted((run / FOLDER).glob(f"{stage}-verdicts-*.arrow")):
        digest = sha256_file(path)
        if not path.stem.endswith(f"-{digest[:12]}"):
            continue
        ref = FileRef(f"{FOLDER}/{path.name}", digest, path.stat().st_size)
        if (_mapped(path).schema.metadata or {}).get(_ORIGIN) == canonical_json(origin):
            return ref
    return None


def policies_in(path: Path) -> dict[str, int | None]:
    """Read what each policy would have kept."""
    found: dict[str, int | None] = json.loads((_mapped(path).schema.metadata or {}).get(_POLICIES, b"{}"))
    return found


def _mapped(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
        return reader.read_all()


def policy_counts(documents: int, first_seen: int | None, firsts: int, moved: int | None) -> dict[str, int | None]:
    """Give how many documents there are, and how many of them each policy keeps.

    `moved`: components of which `best` keeps another document than `components`; None where nothing is graded.
    """
    best = None if moved is None else firsts
    return {"documents": documents, "first_seen": first_seen, "components": firsts, "best": best, "moved": moved}
