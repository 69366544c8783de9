"""The open shard of a run that ends in clean text: the kept documents with every column, as Parquet."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.shard import PARQUET
from headrace.schemas.unit import UnitBatch
from headrace.stages.writing.documents import in_order, parquet_bytes, public


class TextShard:
    """Collects the kept documents of units until their text reaches `target` bytes."""

    format, suffix = PARQUET, ".parquet"

    def __init__(self, target: int) -> None:
        self._target = target
        self._tables: list[pa.Table] = []
        self._text_bytes = 0

    @property
    def full(self) -> bool:
        """Whether the shard closes after this unit."""
        return self._text_bytes >= self._target

    @property
    def empty(self) -> bool:
        """Whether no document was collected."""
        return not self._tables

    @property
    def tables(self) -> tuple[pa.Table, ...]:
        """The documents of each unit."""
        return tuple(self._tables)

    def add(self, batch: UnitBatch) -> None:
        """Take over the kept documents of one unit."""
        if batch.documents.num_rows:
            table = in_order(public(batch.documents))
            self._tables.append(table)
            self._text_bytes += _text_bytes(table)

    def write(self, path: Path) -> tuple[int, int]:
        """Write the documents; give their number, and 0 for tokens."""
        table = in_order(pa.concat_tables(self._tables, promote_options="permissive"))
        path.write_bytes(parquet_bytes(table))
        return table.num_rows, 0

    def clear(self) -> None:
        """Begin the next shard."""
        self._tables, self._text_bytes = [], 0


def _text_bytes(table: pa.Table) -> int:
    lengths = pc.binary_length(table["text"])
    return int(pc.sum(lengths).as_py() or 0)
