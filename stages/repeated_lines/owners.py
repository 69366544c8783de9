"""The documents that lines are found in: their numbers, and their doc_ids, mostly on disk."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Column, Offsets
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.deduplication.by_file import by_file
from headrace.stages.deduplication.committed_file import FileKind
from headrace.stages.deduplication.signatures import in_one_piece
from headrace.stages.repeated_lines.written_ids import WrittenIds

_FIELDS: list[tuple[str, pa.DataType]] = [("unit", pa.int64()), ("doc_id", pa.string())]
_SCHEMA = pa.schema(_FIELDS)
_REMEDY = "restore the file from a copy, or start again with --fresh"
_KIND = FileKind("the line index", 2, b"headrace.owners.version", b"headrace.owners.parameters", _REMEDY)


class Owners:
    """Documents by number, in order of units; those that are written are not in memory."""

    def __init__(self, context: RunContext, parameters: dict[str, object]) -> None:
        self._context, self._parameters = context, parameters
        self._files, self._written = list(context.committed), WrittenIds(context.run, _KIND, parameters)
        sizes = [0, *(len(self._written.of(ref)) for ref in self._files)]
        self._begins: Offsets = np.cumsum(sizes)  # of each file, and of what is not written
        self._firsts: list[int] = [int(self._begins[-1])]  # of unit `first_unit + i`, and behind the last
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
        """Give the doc_ids of settled documents, by their numbers in any order; null for the number -1."""
        open_units = np.array(self._firsts[self._open - self._context.first_unit : -1], np.int64)
        begins = np.concatenate([self._begins[:-1], open_units])  # of each file, then of each unit that is not written
        asked = by_file(np.searchsorted(begins, numbers, side="right") - 1)
        parts: list[Array] = [pa.nulls(0, pa.string())]
        for place, which in asked.parts:
            rows = numbers[which] - begins[place]
            parts.append(self._ids_in(place).take(pa.array(rows)) if place >= 0 else pa.nulls(len(which), pa.string()))
        return asked.put_back(pa.concat_arrays(parts))

    def _ids_in(self, place: int) -> Array:
        """Give the doc_ids of a file, or of a unit that is not written, these behind those."""
        if place < len(self._files):
            return self._written.of(self._files[place])
        return in_one_piece(self._units[place - len(self._files)]["doc_id"])

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Write the documents of units up to `through` that are not written yet; no file if there are none."""
        count = through + 1 - self._open
        if count <= 0:
            return ()
        table = pa.concat_tables(self._units[:count])
        begin, self._open, self._units = self._open, through + 1, self._units[count:]
        if not table.num_rows:
            return ()
        stem = f"{self._context.stage}-{begin:08d}-{through:08d}"
        batches = table.combine_chunks().to_batches()
        ref = _KIND.write(self._context.run, stem, _SCHEMA, batches, self._parameters)
        self._files.append(ref)
        self._begins = np.append(self._begins, self._begins[-1] + table.num_rows)
        return (ref,)
