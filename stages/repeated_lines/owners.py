"""The documents that lines are found in: their numbers, and their doc_ids, mostly on disk."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.schemas.durable import canonical_json, publish, sha256_file, sync_file, sync_refs, temporary_beside
from headrace.schemas.errors import FormatError
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.kernels.arrays import Array, Column, Offsets

_FOLDER = "index"
_VERSION, _PARAMETERS = b"headrace.owners.version", b"headrace.owners.parameters"
_OWNERS_VERSION = b"2"
_FIELDS: list[tuple[str, pa.DataType]] = [("unit", pa.int64()), ("doc_id", pa.string())]
_SCHEMA = pa.schema(_FIELDS)
_REMEDY = "restore the file from a copy, or start again with --fresh"


class Owners:
    """Documents by number, in order of units; those that are written are not in memory."""

    def __init__(self, context: RunContext, parameters: dict[str, object]) -> None:
        self._context = context
        self._metadata = {_VERSION: _OWNERS_VERSION, _PARAMETERS: canonical_json(parameters)}
        self._files = list(context.committed)
        sizes = [0, *(self._read(ref).num_rows for ref in self._files)]
        self._begins: list[int] = np.cumsum(sizes).tolist()  # of each file, and of what is not written
        self._firsts: list[int] = [self._begins[-1]]  # of unit `first_unit + i`, and behind the last
        self._units: list[pa.Table] = []  # those that are not written yet
        self._open = context.first_unit  # the first unit that is not written

    def first_of(self, unit: int) -> int:
        """Give the number of a unit's first document; a unit that is not there yet comes next."""
        return self._firsts[max(0, min(unit - self._context.first_unit, len(self._firsts) - 1))]

    def settle(self, unit: int, doc_ids: Column) -> None:
        """Name the documents of a unit; one that came before is known already."""
        if unit - self._context.first_unit < len(self._firsts) - 1:
            return
        columns = [pa.array(np.full(len(doc_ids), unit), pa.int64()), doc_ids]
        self._units.append(pa.table(columns, schema=_SCHEMA))
        self._firsts.append(self._firsts[-1] + len(doc_ids))

    def doc_ids(self, numbers: Offsets) -> Array:
        """Give the doc_ids of settled documents, in the order of their numbers."""
        places = np.searchsorted(self._begins, numbers, side="right") - 1
        parts: list[Array] = [pa.nulls(0, pa.string())]
        for place in np.unique(places).tolist():
            written = place < len(self._files)
            table = self._read(self._files[place]) if written else pa.concat_tables(self._units)
            rows = pa.array(numbers[places == place] - self._begins[place], pa.int64())
            parts.append(table["doc_id"].take(rows).combine_chunks())
        return pa.concat_arrays(parts)

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Write the documents of units up to `through` that are not written yet; no file if there are none."""
        count = through + 1 - self._open
        if count <= 0:
            return ()
        table = pa.concat_tables(self._units[:count])
        begin, self._open, self._units = self._open, through + 1, self._units[count:]
        if not table.num_rows:
            return ()
        ref = self._write(table, begin, through)
        self._files.append(ref)
        self._begins.append(self._begins[-1] + table.num_rows)
        return (ref,)

    def _write(self, table: pa.Table, first: int, last: int) -> FileRef:
        run = self._context.run
        (run / _FOLDER).mkdir(parents=True, exist_ok=True)
        stem = f"{self._context.stage}-{first:08d}-{last:08d}"
        temporary = temporary_beside(run / _FOLDER / f"{stem}.arrow")
        schema = _SCHEMA.with_metadata(self._metadata)
        try:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
                writer.write_table(table.combine_chunks())
            sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
            ref = publish(temporary, run, _FOLDER, stem, ".arrow")
        finally:
            temporary.unlink(missing_ok=True)
        sync_refs(run, [ref])
        return ref

    def _read(self, ref: FileRef) -> pa.Table:
        path = self._context.run / ref.name
        if not path.is_file():
            raise FormatError("a file of the line index is missing", where=str(path), remedy=_REMEDY)
        if (found := sha256_file(path)) != ref.sha256:
            why = f"its SHA-256 is {found}, the manifest says {ref.sha256}"
            raise FormatError("a file of the line index is damaged", where=str(path), why=why, remedy=_REMEDY)
        try:
            with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
                table = reader.read_all()
        except pa.ArrowInvalid as error:
            raise FormatError("not a line index", where=str(path), why=str(error), remedy=_REMEDY) from error
        if (table.schema.metadata or {}) != self._metadata:
            why = "it was written with other options, or by another release"
            remedy = "use the options and the release of the run, or start again with --fresh"
            raise FormatError("a line index was made otherwise", where=str(path), why=why, remedy=remedy)
        return table
