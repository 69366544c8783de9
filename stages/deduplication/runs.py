"""Index files: what the index learnt between two commits, as one immutable file each, sorted to be asked as it lies.

Version 2 is an Arrow IPC file of one record batch, uncompressed, so that it can be mapped: the kept documents in order
of arrival (`unit`, `doc_id`, `_exact`, `_signed`, `_signature`, `_sets`, those that the options ask for), and for
each table (the bands, then the key) `print_TT` and `row_TT`: the sorted postings of `kernels/sorted_postings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from headrace.schemas.arrays import Array
from headrace.schemas.errors import FormatError
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.deduplication.committed_file import FileKind
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.signatures import from_columns
from headrace.stages.kernels.sorted_postings import fingerprints, frozen, packed, unpacked

INDEX_VERSION = 2
PRINT, ROW = "print_{:02d}", "row_{:02d}"  # of a table
_REMEDY = "restore the file from a copy, or start again with --fresh"
KIND = FileKind("the dedup index", INDEX_VERSION, b"headrace.index.version", b"headrace.index.parameters", _REMEDY)


@dataclass(frozen=True, slots=True)
class IndexRuns:
    """Writes and reads the files of one stage; `parameters` is what the entries depend on."""

    context: RunContext
    rules: Rules
    parameters: dict[str, object]

    def write(self, entries: pa.Table, first: int, last: int) -> FileRef:
        """Publish the entries of units first to last, in order of arrival, and their postings, durably."""
        stem = f"{self.context.stage}-{first:08d}-{last:08d}"
        table = self._table(entries.combine_chunks())
        return KIND.write(self.context.run, stem, table.schema, table.to_batches(), self.parameters)

    def read(self, ref: FileRef) -> pa.Table:
        """Load the entries of one file; FormatError as `open_index` raises it."""
        table = open_index(self.context.run, ref, self.parameters)
        postings = {name.format(number) for number in range(tables_of(self.rules)) for name in (PRINT, ROW)}
        return table.select([name for name in table.column_names if name not in postings])

    def _table(self, entries: pa.Table) -> pa.Table:
        return pa.table({**dict(zip(entries.column_names, entries.columns, strict=True)), **self._postings(entries)})

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
    """Map one file; FormatError, with its name, if it is not what was committed, or of another version or options."""
    return KIND.open(run / ref.name, ref.sha256, parameters)


def rows_in(path: Path) -> int:
    """Count rows by the footer alone; OSError or ArrowException where it is none of a whole file."""
    with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
        return sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))


def count_documents(run: Path, ref: FileRef) -> int:
    """Give the number of documents of a file without reading or checking more than its footer."""
    path = run / ref.name
    try:
        return rows_in(path)
    except FileNotFoundError as error:
        raise FormatError("a file of the dedup index is missing", where=str(path), remedy=_REMEDY) from error
    except (pa.ArrowException, OSError) as error:  # what is not hashed yet may be anything
        raise FormatError("not a dedup index", where=str(path), why=str(error), remedy=_REMEDY) from error
