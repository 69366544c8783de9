"""Which sequences hold forgotten documents, and what else is lost with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.loader.forgotten import keys_of
from headrace.loader.order import IntArray
from headrace.pipeline.committed import Committed
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.forgetting import NEVER
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import Forgotten

_COLUMNS = ("piece_ends", "piece_units", "piece_rows")


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Sequences that readers skip, by their number in the run, ascending.

    `revisions[i]` is the first revision in which `numbers[i]` held a forgotten document. `tokens` counts the tokens of
    forgotten documents, `others` those of other documents that are skipped with them.
    """

    numbers: IntArray
    revisions: IntArray
    tokens: int
    others: int
    of: int  # sequences in the run, so far
    shards: tuple[str, ...]  # files that hold the documents


def held(committed: Committed, documents: Sequence[Forgotten]) -> Sequences:
    """Find the sequences of documents; reads only the shards of their units. A run without tokens has none."""
    documents = sorted(documents, key=lambda d: d.unit)
    units = np.array([d.unit for d in documents], np.int64)
    parts: list[_Part] = []
    names: list[str] = []
    start = 0
    for line in committed.lines:
        first, last = np.searchsorted(units, [line.first, line.last + 1]).tolist()
        if line.shard and first < last:
            names.append(line.shard.file.name)
        if line.shard and line.shard.format not in OF_TEXT:
            if first < last:
                parts.append(_part(committed.run, line.shard, start, documents[first:last]))
            start += line.shard.sequences
    none = np.empty(0, np.int64)
    numbers, revisions = (np.concatenate([none, *(p[i] for p in parts)]) for i in (0, 1))
    return Sequences(numbers, revisions, sum(p[2] for p in parts), sum(p[3] for p in parts), start, tuple(names))


_Part = tuple[IntArray, IntArray, int, int]


def _part(run: Path, shard: ShardInfo, start: int, documents: Sequence[Forgotten]) -> _Part:
    """Give the sequences of one shard with their revisions, and the tokens in them: forgotten ones, others."""
    places, rows, at = (np.array([getattr(d, n) for d in documents], np.int64) for n in ("unit", "row", "revision"))
    keys = keys_of(places, rows)
    order = np.argsort(keys)
    revisions = np.full(shard.sequences, NEVER)
    tokens = others = 0
    begin = 0
    for table in read_shard(run, shard, _COLUMNS):
        owners, lengths, found = _pieces(table)
        inside = np.searchsorted(keys[order], found).clip(max=len(keys) - 1)
        asked = np.where(keys[order][inside] == found, at[order][inside], NEVER)
        here = revisions[begin : begin + table.num_rows]
        np.minimum.at(here, owners, asked)
        tokens += int(lengths[asked != NEVER].sum())
        others += int(lengths[(asked == NEVER) & (here[owners] != NEVER)].sum())
        begin += table.num_rows
    numbers = np.flatnonzero(revisions != NEVER)
    return numbers + start, revisions[numbers], tokens, others


def _pieces(table: pa.Table) -> tuple[IntArray, IntArray, IntArray]:
    """Give for each piece of a table its sequence, its tokens, and the key of its document."""
    columns = [table[name].combine_chunks() for name in _COLUMNS]
    owners = pc.list_parent_indices(columns[0]).to_numpy().astype(np.int64)
    ends, units, rows = (pc.list_flatten(column).to_numpy().astype(np.int64) for column in columns)
    first = np.diff(owners, prepend=-1) != 0
    before = np.where(first, 0, np.roll(ends, 1))
    return owners, ends - before, keys_of(units, rows)
