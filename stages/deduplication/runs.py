"""Index files: what the index learnt between two commits, as one immutable file each, sorted to be asked as it lies.

Version 2 is an Arrow IPC file of one record batch, uncompressed, so that it can be mapped: the kept documents in order
of arrival (`unit`, `doc_id`, `_exact`, `_signed`, `_signature`, `_shingles`, those that the options ask for), and for
each table (the bands, then the key) `print_TT` and `row_TT`: the sorted postings of `kernels/sorted_postings.py`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from headrace.schemas.durable import canonical_json, publish, sync_file, sync_refs, temporary_beside
from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import reach
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.signatures import from_columns
from headrace.stages.kernels.arrays import Array
from headrace.stages.kernels.sorted_postings import fingerprints, frozen, packed, unpacked

INDEX_VERSION = 2
FOLDER = "index"
PRINT, ROW = "print_{:02d}", "row_{:02d}"  # of a table
_VERSION, _PARAMETERS = b"headrace.index.version", b"headrace.index.parameters"
_REMEDY = "restore the file from a copy, or start again with --fresh"


@dataclass(frozen=True, slots=True)
class IndexRuns:
    """Writes and reads the files of one stage; `parameters` is what the entries depend on."""

    context: RunContext
    rules: Rules
    parameters: dict[str, object]

    def write(self, entries: pa.Table, first: int, last: int) -> FileRef:
        """Publish the entries of units first to last, in order of arrival, and their postings, durably."""
        run = self.context.run
        (run / FOLDER).mkdir(parents=True, exist_ok=True)
        stem = f"{self.context.stage}-{first:08d}-{last:08d}"
        temporary = temporary_beside(run / FOLDER / f"{stem}.arrow")
        table = self._table(entries.combine_chunks())
        try:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
            reach("index.temporary.synced")
            ref = publish(temporary, run, FOLDER, stem, ".arrow")
        finally:
            temporary.unlink(missing_ok=True)
        reach("index.renamed")
        sync_refs(run, [ref])
        reach("index.synced")
        return ref

    def read(self, ref: FileRef) -> pa.Table:
        """Load the entries of one file; FormatError as `open_index` raises it."""
        table = open_index(self.context.run, ref, self.parameters)
        postings = {name.format(number) for number in range(tables_of(self.rules)) for name in (PRINT, ROW)}
        return table.select([name for name in table.column_names if name not in postings])

    def _table(self, entries: pa.Table) -> pa.Table:
        table = pa.table({**dict(zip(entries.column_names, entries.columns, strict=True)), **self._postings(entries)})
        made = {_VERSION: str(INDEX_VERSION).encode(), _PARAMETERS: canonical_json(self.parameters)}
        return table.replace_schema_metadata(made)

    def _postings(self, entries: pa.Table) -> dict[str, Array]:
        batch = frozen(from_columns(entries, self.rules.pieces))
        columns: dict[str, Array] = {}
        for number, values in enumerate(packed(fingerprints(batch, self.rules.policy, self.rules.masks))):
            prints, rows = unpacked(values)
            columns[PRINT.format(number)], columns[ROW.format(number)] = pa.array(prints), pa.array(rows)
        return columns


def tables_of(rules: Rules) -> int:
    """Give the number of tables: one a band, and one for the key."""
    return rules.bands + rules.exact


def open_index(run: Path, ref: FileRef, parameters: dict[str, object]) -> pa.Table:
    """Map one file: its columns are the file's pages, not memory of their own.

    FormatError, with the file's name, if it is not the file that was committed, or was made by another version or with
    other options. The pages that are hashed are those that are used: each byte is read from storage once.
    """
    path = run / ref.name
    if not path.is_file():
        raise FormatError("a file of the dedup index is missing", where=str(path), remedy=_REMEDY)
    content = mapped(path)
    if (found := hashlib.sha256(content).hexdigest()) != ref.sha256:
        why = f"its SHA-256 is {found}, the manifest says {ref.sha256}"
        raise FormatError("a file of the dedup index is damaged", where=str(path), why=why, remedy=_REMEDY)
    try:
        table = pa.ipc.open_file(content).read_all()
    except pa.ArrowInvalid as error:
        raise FormatError("not a dedup index", where=str(path), why=str(error), remedy=_REMEDY) from error
    _check(table.schema.metadata or {}, parameters, str(path))
    return table


def count_documents(run: Path, ref: FileRef) -> int:
    """Give the number of documents of a file without reading or checking more than its footer."""
    path = run / ref.name
    try:
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
            return sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))
    except FileNotFoundError as error:
        raise FormatError("a file of the dedup index is missing", where=str(path), remedy=_REMEDY) from error
    except (pa.ArrowException, OSError) as error:  # what is not hashed yet may be anything
        raise FormatError("not a dedup index", where=str(path), why=str(error), remedy=_REMEDY) from error


def mapped(path: Path) -> pa.Buffer:
    """Map a file's content; no file descriptor stays open, and the map lives as long as what is made of it."""
    if not path.stat().st_size:
        return pa.py_buffer(b"")  # there is no map of nothing
    with pa.memory_map(str(path)) as source:
        return source.read_buffer()


def _check(metadata: dict[bytes, bytes], parameters: dict[str, object], where: str) -> None:
    if (version := metadata.get(_VERSION, b"").decode()) != str(INDEX_VERSION):
        raise FormatError(
            f"version {version or 'none'} of the dedup index is not known",
            where=where,
            why=f"this Headrace reads version {INDEX_VERSION}",
            remedy="use the release that wrote the run, or start again with --fresh",
        )
    if (made := metadata.get(_PARAMETERS, b"")) != (now := canonical_json(parameters)):
        raise FormatError(
            "a dedup index was made with other options",
            where=where,
            why=f"it has {made.decode()}, the stage has {now.decode()}",
            remedy="use the options of the run, or start again with --fresh",
        )
