"""What a first pass kept, read back: entries for the kernels, and what the best of a component is chosen by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Counts, Floats, floats
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication.by_file import by_file
from headrace.stages.deduplication.first_pass import KIND
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.scratch import Scratch
from headrace.stages.deduplication.signatures import from_columns, in_one_piece
from headrace.stages.deduplication.telling import Tell, told, unheard
from headrace.stages.grade import UNKNOWN_AUTHORITY
from headrace.stages.kernels.entries import Entries

GRADES = ("D", "C", "B", "A")


@dataclass(frozen=True, slots=True)
class Spooled:
    """All documents of a first pass by number. Keys, signatures and sets are in scratch, doc_ids stay in the files."""

    known: Entries
    units: Counts
    grades: Floats  # 3 for an A to 0 for a D; -1 where there is none
    authorities: Floats
    tables: tuple[pa.Table, ...]

    def ids(self, numbers: Counts) -> Array:
        """Give the doc_ids of some documents; null for the number -1."""
        begins = np.cumsum([0, *(table.num_rows for table in self.tables)])
        asked = by_file(np.searchsorted(begins, numbers, side="right") - 1)  # -1 of the number -1
        parts: list[Array] = [pa.nulls(0, pa.string())]
        for file, places in asked.parts:
            rows = numbers[places] - begins[file]
            parts.append(_ids_of(self.tables[file], rows) if file >= 0 else pa.nulls(len(places), pa.string()))
        return asked.put_back(pa.concat_arrays(parts))


def read_spooled(
    run: Path,
    refs: Sequence[FileRef],
    parameters: dict[str, object],
    rules: Rules,
    scratch: Scratch,
    tell: Tell = unheard,
) -> Spooled:
    """Read the shards of a first pass; FormatError names one that is not what was committed.

    In memory: 24 bytes a document.
    """
    tables = tuple(read_shard(run, ref, parameters) for ref in told(tell, "shards checked", refs))
    units = [np.asarray(table["unit"].to_numpy(), np.int64) for table in tables]
    return Spooled(
        _gathered(tables, rules, scratch, tell),
        np.concatenate([np.zeros(0, np.int64), *units]),
        np.concatenate([np.zeros(0), *map(_grades, tables)]),
        np.concatenate([np.zeros(0), *map(_authorities, tables)]),
        tables,
    )


def _ids_of(table: pa.Table, rows: Counts) -> Array:
    return in_one_piece(table["doc_id"].take(rows).cast(pa.string()))


def _gathered(tables: Sequence[pa.Table], rules: Rules, scratch: Scratch, tell: Tell) -> Entries:
    count = sum(table.num_rows for table in tables)
    values = sum(len(part.sets) for part in _parts(tables, rules))
    known = Entries(
        scratch.array((count * rules.exact, 2), np.uint64),
        np.zeros(count, np.bool_),
        scratch.array((count, rules.pieces), np.uint32),
        scratch.array((values,), np.uint64),
        scratch.array((count + 1,), np.int64),
    )
    first = 0
    for table in told(tell, "shards read", tables):
        part = from_columns(table, rules.pieces)
        last, begin = first + len(part.signed), known.ends[first]
        known.keys[first:last] = part.keys
        known.signed[first:last] = part.signed
        known.signatures[first:last] = part.signatures
        known.sets[begin : begin + len(part.sets)] = part.sets
        known.ends[first + 1 : last + 1] = begin + part.ends[1:]
        first = last
    return known


def _parts(tables: Sequence[pa.Table], rules: Rules) -> Iterator[Entries]:
    return (from_columns(table, rules.pieces) for table in tables)


def _grades(table: pa.Table) -> Floats:
    if "grade" not in table.column_names:
        return np.full(table.num_rows, -1.0)
    places = pc.index_in(table["grade"], pa.array(GRADES)).fill_null(-1)
    return np.asarray(places.to_numpy(), np.float64)


def _authorities(table: pa.Table) -> Floats:
    given = floats(table, "authority")
    return np.where(np.isnan(given), UNKNOWN_AUTHORITY, given)


def read_shard(run: Path, ref: FileRef, parameters: dict[str, object]) -> pa.Table:
    """Map one shard of a first pass; FormatError if it is not what was committed."""
    return KIND.open(run / ref.name, ref.sha256, parameters)
