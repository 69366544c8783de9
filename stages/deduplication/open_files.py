"""One committed index file, mapped: its documents as the kernels take them, its ids, and its own sorted postings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.errors import FormatError
from headrace.stages.deduplication.layer import IndexFile
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import PRINT, ROW, open_index, tables_of
from headrace.stages.deduplication.signatures import KEY, SHINGLES, SIGNATURE, in_one_piece, values_of
from headrace.stages.kernels.arrays import Array, Column, Counts, Offsets, Signatures, read_only
from headrace.stages.kernels.band_index import Entries
from headrace.stages.kernels.sorted_postings import directory_of, find, frozen

Table = tuple[Signatures, Signatures]  # sorted fingerprints, and the row of each


class Postings(Protocol):
    """Sorted postings of one file or of several, whose rows are then numbered one file behind the other."""

    def find(self, table: int, wanted: Signatures) -> tuple[Counts, Counts, Signatures]:
        """Give rows, and for each wanted fingerprint (none is 0) where those that have it begin and end in them."""
        ...

    @property
    def tables(self) -> Sequence[Table]:
        """Give the sorted arrays, if that is what they are, to be merged or gone through."""
        ...

    @property
    def nbytes(self) -> int:
        """Memory that is not mapped."""
        ...


class MappedPostings:
    """Postings in mapped arrays; in memory is a directory, about 1 byte a document with 15 tables."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables
        self._directories = [directory_of(prints) for prints, _ in tables]

    def find(self, table: int, wanted: Signatures) -> tuple[Counts, Counts, Signatures]:
        """Search the sorted fingerprints."""
        prints, rows = self.tables[table]
        begins, ends = find(prints, *self._directories[table], read_only(wanted))
        return begins, ends, rows

    @property
    def nbytes(self) -> int:
        """Memory of the directories."""
        return sum(directory.nbytes for directory, _ in self._directories)


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A mapped index file; every array is a view of its pages."""

    file: IndexFile
    known: Entries
    ids: Column
    tables: tuple[Table, ...]


def open_file(file: IndexFile, rules: Rules, parameters: dict[str, object]) -> OpenFile:
    """Map one file; FormatError with its name if it is not what was committed, as `open_index` says."""
    table = open_index(file.run, file.ref, parameters)
    if table.num_rows != file.documents:
        raise FormatError(
            "a file of the dedup index holds another number of documents",
            where=str(file.path),
            why=f"it has {table.num_rows}, {file.documents} were counted before",
            remedy="start again with --fresh",
        )
    tables = tuple(
        (_flat(table[PRINT.format(number)]), _flat(table[ROW.format(number)])) for number in range(tables_of(rules))
    )
    return OpenFile(file, frozen(_entries(table, rules.pieces)), table["doc_id"], tables)


def _entries(table: pa.Table, pieces: int) -> Entries:
    """Give the documents without copying; which are signed is left out: postings name no others."""
    names, count = table.column_names, table.num_rows
    keys = values_of(table[KEY], np.uint64, 2) if KEY in names else np.zeros((0, 2), np.uint64)
    signatures = np.zeros((count, 0), np.uint32)
    if SIGNATURE in names:
        signatures = values_of(table[SIGNATURE], np.uint32, pieces)
    shingles, ends = np.zeros(0, np.uint64), np.zeros(1, np.int64)
    if SHINGLES in names:
        column = in_one_piece(table[SHINGLES])
        shingles, ends = pc.list_flatten(column).to_numpy(), _offsets(column)
    return Entries(keys, np.zeros(0, np.bool_), signatures, shingles, ends)


def _flat(column: Column) -> Signatures:
    return read_only(values_of(column, np.uint32, 1).reshape(-1))


def _offsets(lists: Column) -> Offsets:
    """Give where each list begins, and the end of the last: a file has one batch, so these are its pages."""
    array = in_one_piece(lists)
    buffer = array.buffers()[1]
    return np.frombuffer(memoryview(buffer), np.int64)[: len(array) + 1] if buffer else np.zeros(1, np.int64)


def take_ids(column: Column, rows: Counts) -> Array:
    """Give the ids of some rows."""
    taken = column.take(rows)
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken
