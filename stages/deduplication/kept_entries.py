"""Entries of what a second pass keeps: out of the first pass's shards, so that hardly anything is signed twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array
from headrace.schemas.manifest import FIRST_PASS, read_manifest
from headrace.stages.deduplication.signatures import PRIVATE, in_one_piece
from headrace.stages.deduplication.spooled import read_shard

_NONE = pa.table({"unit": pa.array([], pa.int64()), "doc_id": pa.array([], pa.string())})

Sign = Callable[[pa.Table], pa.Table]


class _Kept(NamedTuple):
    """What is kept of a unit: doc_ids in order of arrival, and entries of those that the first pass did not have."""

    ids: Array
    signed: pa.Table | None


class KeptEntries:
    """Reads the shards in the order of units, each of them mapped and checked when the first of its units is due.

    A document that the first pass did not have, since a worker died of it there, is signed with `sign` when it comes.
    In memory: the doc_ids since the last commit, and the entries of such documents.
    """

    def __init__(self, run: Path, parameters: dict[str, object], sign: Sign) -> None:
        self._folder, self._parameters, self._sign = run / FIRST_PASS, parameters, sign
        self._lines = [line for line in read_manifest(self._folder) if line.shard]
        self._lasts = [line.last for line in self._lines]
        self._open: dict[int, pa.Table] = {}  # by the shard's last unit
        self._kept: dict[int, _Kept] = {}  # by unit, since the last commit

    def keep(self, unit: int, documents: pa.Table) -> None:
        """Take note of what is kept of a unit; one that comes again is noted anew."""
        ids = in_one_piece(documents["doc_id"])
        new = pc.invert(pc.is_in(ids, in_one_piece(self._of_unit(unit)["doc_id"])))
        signed = _entries(self._sign(documents.filter(new)), unit) if pc.any(new).as_py() else None
        self._kept[unit] = _Kept(ids, signed)

    def between(self, first: int, last: int) -> pa.Table:
        """Give the entries of what was kept of units first to last, in order of arrival, and forget them."""
        parts = [self._kept_of(unit) for unit in range(first, last + 1)]
        self._open = {end: table for end, table in self._open.items() if end > last}
        parts = [part for part in parts if part.num_rows]
        return pa.concat_tables(parts) if parts else _NONE

    def _kept_of(self, unit: int) -> pa.Table:
        ids, signed = self._kept.pop(unit)
        known = _entries(self._of_unit(unit), unit)
        if signed is not None:
            known = pa.concat_tables([known, signed]) if known.num_rows else signed
        return known.take(pc.index_in(ids, in_one_piece(known["doc_id"])))

    def _of_unit(self, unit: int) -> pa.Table:
        place = bisect_left(self._lasts, unit)
        line = self._lines[place] if place < len(self._lines) else None
        if line is None or line.shard is None:
            return _NONE
        if line.last not in self._open:
            self._open[line.last] = read_shard(self._folder, line.shard.file, self._parameters)
        table = self._open[line.last]
        begin, end = np.searchsorted(table["unit"].to_numpy(), [unit, unit + 1])
        return table.slice(begin, end - begin)


def _entries(rows: pa.Table, unit: int) -> pa.Table:
    names = [name for name in ("doc_id", *PRIVATE) if name in rows.column_names]
    units = pa.repeat(pa.scalar(unit, pa.int64()), rows.num_rows)
    return rows.select(names).add_column(0, "unit", units).replace_schema_metadata(None)
