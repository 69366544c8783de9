"""The first of two passes ends here: what dedup looks at is kept as shards, in the order of the documents."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pyarrow as pa

from headrace.schemas.arrays import with_column
from headrace.schemas.durable import canonical_json
from headrace.schemas.failpoints import reach
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import OrderedStage, RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.committed_file import FileKind
from headrace.stages.deduplication.signatures import PRIVATE
from headrace.stages.writing.state import LEDGER, WriterState

FORMAT = "signatures"
_REMEDY = "remove the folder of the first pass and start the run again: that pass is done once more"
KIND = FileKind("the first pass", 1, b"headrace.entries.version", b"headrace.entries.parameters", _REMEDY)
_COLUMNS = ("doc_id", "grade", "authority", *PRIVATE)


class Signatures(OrderedStage):
    """Write doc_id, key, signature, set, grade and authority of every document that reaches a dedup stage.

    It has no kind that a configuration could name: the first pass of a run puts it in the place of its dedup stage.
    """

    kind: Literal["signatures"]  # without a default it is in no registry
    dedup: Dedup
    shard_bytes: int

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add what dedup signs; the text has no further use and need not travel."""
        signed = self.dedup.signed(table)
        return with_column(signed, "text", pa.nulls(signed.num_rows, pa.large_string()))

    def open(self, context: RunContext) -> WriterState:
        """Give a writer that goes on after the last committed shard."""
        return EntriesState(EntriesShard(self.shard_bytes, self.dedup.index_parameters), "reasons", context)


class EntriesState(WriterState):
    """Leaves nothing of a unit but its entries and its ledger: the second pass says what became of its documents."""

    def _stage_files(self, batch: UnitBatch) -> None:
        self._stage_file(LEDGER, f"{batch.unit:08d}", ".json", canonical_json(batch.ledger.to_json()) + b"\n")
        reach("unit.ledger.written")


class EntriesShard:
    """Collects the entries of units until they reach `target` bytes; a file is one record batch, to be mapped."""

    format, suffix = FORMAT, ".arrow"

    def __init__(self, target: int, parameters: dict[str, object]) -> None:
        self._target, self._parameters = target, parameters
        self._tables: list[pa.Table] = []
        self._bytes = 0

    @property
    def full(self) -> bool:
        """Whether the shard closes after this unit."""
        return self._bytes >= self._target

    @property
    def empty(self) -> bool:
        """Whether no document was collected."""
        return not self._tables

    def add(self, batch: UnitBatch) -> None:
        """Take over the entries of one unit."""
        table = batch.documents
        if table.num_rows:
            table = table.select([name for name in _COLUMNS if name in table.column_names])
            table = table.add_column(0, "unit", pa.repeat(pa.scalar(batch.unit, pa.int64()), table.num_rows))
            self._tables.append(table.combine_chunks())
            self._bytes += table.nbytes

    def write(self, path: Path) -> tuple[int, int]:
        """Write the entries; give their number, and 0 for tokens."""
        table = pa.concat_tables(self._tables).combine_chunks()
        table = table.replace_schema_metadata(KIND.metadata(self._parameters))
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        return table.num_rows, 0

    def clear(self) -> None:
        """Begin the next shard."""
        self._tables, self._bytes = [], 0
