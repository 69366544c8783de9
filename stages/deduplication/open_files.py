"""One committed index file, mapped: its documents as the kernels take them, its ids, and its own sorted postings.

Of each file is kept where its columns lie, and no column: a year of weeks may be half a million files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headrace.schemas.arrays import Array, Column, Counts, Hashes, Signatures, read_only
from headrace.schemas.errors import FormatError
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import PRINT, ROW, open_index, tables_of
from headrace.stages.deduplication.signatures import KEY, SETS, SIGNATURE, in_one_piece, values_of
from headrace.stages.kernels.entries import Entries
from headrace.stages.kernels.sorted_postings import directory_of, find

Table = tuple[Signatures, Signatures]  # sorted fingerprints, and the row of each
T = TypeVar("T", bound=np.generic)
V = TypeVar("V", bound=np.generic)
_KEYS, _SIGNATURES, _SETS, _ENDS, _ID_ENDS, _ID_TEXT, _POSTINGS = range(7)  # arrays of a file, in this order
FILE_BYTES = 3_000  # memory of an open file, the map apart: measured, mostly the objects of Python that name it
_SMALL = 1 << 12  # entries of a table that is searched without a directory


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
    """Postings in mapped arrays; in memory are directories of the larger ones, about 1 byte a document in 15 tables."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables
        self._directories = {n: directory_of(table[0]) for n, table in enumerate(tables) if len(table[0]) > _SMALL}

    def find(self, table: int, wanted: Signatures) -> tuple[Counts, Counts, Signatures]:
        """Search the sorted fingerprints."""
        prints, rows = self.tables[table]
        directory, shift = self._directories.get(table) or (read_only(np.array([0, len(prints)], np.uint32)), 32)
        begins, ends = find(prints, directory, shift, read_only(wanted))
        return begins, ends, rows

    @property
    def nbytes(self) -> int:
        """Memory of the directories."""
        return sum(directory.nbytes for directory, _ in self._directories.values())


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A mapped index file. Arrays are views of its pages, made when they are asked for."""

    file: IndexFile
    pages: pa.Buffer
    places: Counts  # of each array the byte at which it begins, and how many values it has
    rules: Rules

    @property
    def known(self) -> Entries:
        """Its documents; which are signed is left out: postings name no others."""
        keys: Hashes = self._view(_KEYS, np.uint64)
        signatures: Signatures = self._view(_SIGNATURES, np.uint32)
        return Entries(
            keys.reshape(-1, 2),
            read_only(np.zeros(0, np.bool_)),
            signatures.reshape(self.file.documents, self.rules.pieces),
            self._view(_SETS, np.uint64),
            self._view(_ENDS, np.int64),
        )

    @property
    def tables(self) -> Sequence[Table]:
        """Its own sorted postings."""
        return FileTables(self)

    def table(self, number: int) -> Table:
        """Give the postings of one table."""
        place = _POSTINGS + 2 * number
        return self._view(place, np.uint32), self._view(place + 1, np.uint32)

    def ids(self, rows: Counts) -> Array:
        """Give the doc_ids of some rows."""
        (ends, _), (text, size) = self.places[_ID_ENDS].tolist(), self.places[_ID_TEXT].tolist()
        buffers = [None, self.pages.slice(ends, 4 * (self.file.documents + 1)), self.pages.slice(text, size)]
        column: Array = pa.Array.from_buffers(pa.string(), self.file.documents, buffers)
        return column.take(rows)

    def _view(self, which: int, kind: type[T]) -> npt.NDArray[T]:
        begin, count = self.places[which].tolist()
        return read_only(np.frombuffer(memoryview(self.pages), kind, count, begin) if count else np.zeros(0, kind))


@dataclass(frozen=True, slots=True)
class FileTables(Sequence[Table]):
    """The sorted postings of a file, one table at a time."""

    opened: OpenFile

    @overload
    def __getitem__(self, number: int) -> Table: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Table]: ...

    def __getitem__(self, number: int | slice) -> Table | Sequence[Table]:
        """Give the views of one table, or of several."""
        which = range(len(self))[number]
        return self.opened.table(which) if isinstance(which, int) else [self.opened.table(n) for n in which]

    def __len__(self) -> int:
        """Give how many there are."""
        return tables_of(self.opened.rules)


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
    arrays = _arrays(table, rules)
    begins = [array.ctypes.data for array in arrays]
    first = min(begin for begin, array in zip(begins, arrays, strict=True) if array.size)
    size = max(begin + array.nbytes for begin, array in zip(begins, arrays, strict=True) if array.size) - first
    if size > file.ref.bytes:
        raise FormatError(
            "a file of the dedup index is not in one piece",
            where=str(file.path),
            why="its columns are not one batch without compression",
            remedy="restore the file from a copy, or start again with --fresh",
        )
    places = [(begin - first if array.size else 0, array.size) for begin, array in zip(begins, arrays, strict=True)]
    pages = pa.foreign_buffer(first, size, in_one_piece(table["doc_id"]).buffers()[1])  # which holds the map
    return OpenFile(file, pages, np.array(places, np.int64), rules)


def _arrays(table: pa.Table, rules: Rules) -> list[npt.NDArray[np.generic]]:
    """Give all arrays of a file, as views of its pages; an empty one for what the rules have no use for."""
    names = table.column_names
    keys = values_of(table[KEY], np.uint64, 2) if KEY in names else np.zeros(0, np.uint64)
    signatures = values_of(table[SIGNATURE], np.uint32, rules.pieces) if SIGNATURE in names else np.zeros(0, np.uint32)
    ends, sets = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    if SETS in names:
        ends, sets = _lists(table[SETS], np.int64, np.uint64)
    id_ends, text = _lists(table["doc_id"], np.int32, np.uint8)
    postings = (name.format(number) for number in range(tables_of(rules)) for name in (PRINT, ROW))
    columns = [values_of(table[name], np.uint32, 1) for name in postings]
    return [keys, signatures, sets, ends, id_ends, text, *columns]


def _lists(column: Column, bounds: type[T], values: type[V]) -> tuple[npt.NDArray[T], npt.NDArray[V]]:
    """Give where each list or text begins and the last one ends, and all values: a file has one batch."""
    array = in_one_piece(column)
    _, before, *_, content = array.buffers()
    ends = np.frombuffer(memoryview(before), bounds)[: len(array) + 1] if before else np.zeros(1, bounds)
    return ends, np.frombuffer(memoryview(content), values)[: ends[-1]] if content else np.zeros(0, values)
