"""Which kept documents of each source a policy report looks at: decided by doc_id and seed alone."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from xxhash import xxh3_64_intdigest

from headrace.pipeline.committed import Committed, read_columns, reading, unit_of, where
from headrace.pipeline.policy.licences import Licences
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.document import KEPT
from headrace.schemas.errors import ConfigError
from headrace.schemas.forgetting import NEVER
from headrace.schemas.manifest import ManifestLine
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import Tombstones, read_tombstones

Drawn: TypeAlias = tuple[int, str, int]  # hash, doc_id, unit; the lowest hashes are the sample
_LISTED = ["doc_id", "source", "verdict", "url", "licence", "metadata"]


@dataclass(slots=True)
class Population:
    """The kept documents of one source: how many, which were drawn, and what says under which licence they are."""

    source: str
    documents: int = 0
    forgotten: int = 0  # on request, and therefore neither counted nor drawn
    drawn: list[Drawn] = field(default_factory=list)
    licences: Licences = field(default_factory=Licences)


def populations(committed: Committed, size: int, seed: int, sources: Collection[str] = ()) -> list[Population]:
    """Go through the committed documents files once and draw `size` kept documents of each source.

    Drawn are those with the lowest hash of seed and doc_id (XXH3, 64 bits): so the sample depends neither on how the
    run was cut into units and shards nor on other documents, and a larger one holds the smaller.
    """
    found = {name: Population(name) for name in _named(committed, sources)}
    forgotten = read_tombstones(committed.run) or Tombstones()
    for unit, path in committed.documents():
        table = read_columns(path, _LISTED)
        with reading(path):
            kept = where(table, "verdict", KEPT)
            for name in map(str, pc.unique(kept["source"]).to_pylist()):
                if name in found:
                    rows = _remembered(found[name], where(kept, "source", name), forgotten)
                    _draw(found[name], rows, unit, size, seed)
    return [found[name] for name in sorted(found)]


def _named(committed: Committed, sources: Collection[str]) -> Collection[str]:
    """Give the sources that are asked for, by default all that the plan lists; ConfigError for one it does not."""
    listed = sorted({source for source, *_ in committed.plan["inputs"]})
    for name in sources:
        if name not in listed:
            why = f"the run has {', '.join(listed)}"
            remedy = "name one of these with --source, or leave it out for all"
            raise ConfigError(f"no source is named '{name}'", where=str(committed.run), why=why, remedy=remedy)
    return sources or listed


def _remembered(population: Population, rows: pa.Table, forgotten: Tombstones) -> pa.Table:
    """Give the documents that nobody asked to forget: readers skip the others, and a report must not show them."""
    if not forgotten.requests:
        return rows
    left = rows.filter(forgotten.matcher.revisions(rows) == NEVER)
    population.forgotten += rows.num_rows - left.num_rows
    return left


def _draw(population: Population, rows: pa.Table, unit: int, size: int, seed: int) -> None:
    population.documents += rows.num_rows
    population.licences.add(rows)
    drawn = population.drawn
    most = drawn[-1][0] if len(drawn) == size else 1 << 64
    hashed = ((xxh3_64_intdigest(doc_id.encode(), seed), doc_id) for doc_id in map(str, rows["doc_id"].to_pylist()))
    new = [(place, doc_id, unit) for place, doc_id in hashed if place <= most]
    population.drawn = heapq.nsmallest(size, [*drawn, *new])


def sampled(committed: Committed, drawn: Iterable[Drawn]) -> Iterator[pa.Table]:
    """Give the rows of drawn documents, all columns, in unit order; a text that lies in a shard is read from there."""
    wanted: defaultdict[int, list[str]] = defaultdict(list)
    for _, doc_id, unit in drawn:
        wanted[unit].append(doc_id)
    for line in committed.lines:
        inside = {unit: wanted[unit] for unit in range(line.first, line.last + 1) if unit in wanted}
        if inside:
            yield from _rows_of(committed, line, inside)


def _rows_of(committed: Committed, line: ManifestLine, wanted: Mapping[int, list[str]]) -> Iterator[pa.Table]:
    if line.shard is not None and line.shard.format in OF_TEXT:
        every = [doc_id for doc_ids in wanted.values() for doc_id in doc_ids]
        tables = (_among(table, every) for table in read_shard(committed.run, line.shard))
        yield from (table for table in tables if table.num_rows)
        return
    for ref in line.documents:
        if unit_of(ref) in wanted:
            path = committed.run / ref.name
            with reading(path), pq.ParquetFile(path) as file:
                table = file.read()
            yield _among(where(table, "verdict", KEPT), wanted[unit_of(ref)])


def _among(table: pa.Table, doc_ids: list[str]) -> pa.Table:
    return table.filter(pc.is_in(table["doc_id"], pa.array(doc_ids, pa.string())))
