"""The documents that lines are found in: their numbers, and their doc_ids, mostly on disk."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Column, Offsets
from headrace.schemas.durable import publish, sync_file, sync_refs
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.deduplication.committed_file import FileKind
from headrace.stages.deduplication.runs import FOLDER
from headrace.stages.writing.files import writing

_FIELDS: list[tuple[str, pa.DataType]] = [("unit", pa.int64()), ("doc_id", pa.string())]
_SCHEMA = pa.schema(_FIELDS)
_REMEDY = "restore the file from a copy, or start again with --fresh"
_KIND = FileKind("the line index", 2, b"headrace.owners.version", b"headrace.owners.parameters", _REMEDY)


class Owners:
    """Documents by number, in order of units; those that are written are not in memory."""

    def __init__(self, context: RunContext, parameters: dict[str, object]) -> None:
        self._context, self._parameters = context, parameters
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
        (run / FOLDER).mkdir(parents=True, exist_ok=True)
        stem = f"{self._context.stage}-{first:08d}-{last:08d}"
        schema = _SCHEMA.with_metadata(_KIND.metadata(self._parameters))
        with writing(run / FOLDER / f"{stem}.arrow") as temporary:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
                writer.write_table(table.combine_chunks())
            sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
            ref = publish(temporary, run, FOLDER, stem, ".arrow")
        sync_refs(run, [ref])
        return ref

    def _read(self, ref: FileRef) -> pa.Table:
        return _KIND.open(self._context.run / ref.name, ref.sha256, self._parameters)
