"""Entries of what a second pass keeps, out of the first pass's shards: nothing is signed twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.manifest import FIRST_PASS, read_manifest
from headrace.stages.deduplication.signatures import PRIVATE
from headrace.stages.deduplication.spooled import read_shard
from headrace.stages.kernels.arrays import Array


class KeptEntries:
    """Reads the shards in the order of units, each of them mapped and checked when the first of its units is due."""

    def __init__(self, run: Path, parameters: dict[str, object]) -> None:
        self._folder, self._parameters = run / FIRST_PASS, parameters
        self._lines = [line for line in read_manifest(self._folder) if line.shard]
        self._open: dict[int, pa.Table] = {}  # by the shard's first unit

    def between(self, first: int, last: int, kept: Sequence[Array]) -> pa.Table:
        """Give the entries of kept documents of units first to last, in order of arrival; `kept` are their doc_ids."""
        lines = [line for line in self._lines if line.first <= last and line.last >= first]
        self._open = {line.first: table for line in lines if (table := self._open.get(line.first)) is not None}
        for line in lines:
            if line.first not in self._open and line.shard:
                self._open[line.first] = read_shard(self._folder, line.shard.file, self._parameters)
        ids = pa.chunked_array(kept, pa.string())
        parts = [_some(self._open[line.first], first, last, ids) for line in lines]
        return pa.concat_tables(parts) if parts else pa.table({"unit": pa.array([], pa.int64())})


def _some(table: pa.Table, first: int, last: int, ids: pa.ChunkedArray[pa.StringScalar]) -> pa.Table:
    begin, end = np.searchsorted(table["unit"].to_numpy(), [first, last + 1])
    rows = table.slice(begin, end - begin)
    names = [name for name in ("unit", "doc_id", *PRIVATE) if name in table.column_names]
    return rows.filter(pc.is_in(rows["doc_id"], ids.combine_chunks())).select(names).replace_schema_metadata(None)
