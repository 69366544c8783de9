"""The members of clusters by name, cluster after cluster: their rows are read in portions, never all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from headrace.pipeline.committed import Committed, reading
from headrace.pipeline.dups.clusters import Clusters, Survivors
from headrace.pipeline.report_documents import Row
from headrace.schemas.arrays import Counts
from headrace.schemas.index import runs_of
from headrace.stages.deduplication.by_file import by_file

_NAMES = ("doc_id", "url", "reason", "value", "threshold", "survivor", "detail")
_PIECE = 1 << 13


@dataclass(frozen=True, slots=True)
class Named:
    """A document: its id, and where its row is (unit, row), None if it is not in this run."""

    doc_id: str
    place: tuple[int, int] | None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Member(Named):
    """A document that was dropped since it repeats another one."""

    reason: str = ""
    similarity: float | None = None
    threshold: float | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A document and all that were dropped since they repeat it; the largest cluster has number 1.

    `documents` counts the one that stays. `left_at` is the later stage that dropped it too, `run` the earlier run that
    it is in.
    """

    number: int
    stage: str
    documents: int
    survivor: Named
    left_at: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads members of some clusters of a run; `survivors` are those of these clusters."""

    committed: Committed
    clusters: Clusters
    survivors: Survivors

    def members(self, portion: int, most: int | None = None) -> Iterator[tuple[Cluster, list[Member]]]:
        """Give each cluster with its members, at most `most` of them; rows of `portion` members are read at a time.

        A cluster that does not fit into a portion comes several times, each time with others of its members.
        """
        files = list(self.committed.documents())
        for numbers, places in _shown(self.clusters, portion, most):
            part = self.clusters.repetitions.only(places)
            rows = rows_at([path for _, path in files], part.files, part.rows)
            units = [files[number][0] for number in part.files.tolist()]
            there = list(zip(units, part.rows.tolist(), strict=True))
            for first, last in _stretches(numbers):
                known = rows.slice(first, last - first).to_pylist()
                members = [_member(row, place) for row, place in zip(known, there[first:last], strict=True)]
                yield self._cluster(int(numbers[first]), known[0], files), members

    def _cluster(self, number: int, row: Row, files: Sequence[tuple[int, Path]]) -> Cluster:
        begin, end = self.clusters.begins[number : number + 2].tolist()
        one = self.clusters.repetitions.only(self.clusters.order[begin : begin + 1])
        place = None if row["run"] else self.survivors.place(one.keys[0])
        left_at = None if row["run"] else self.survivors.left_at(one.keys[0])
        survivor = Named(row["survivor"], place and (files[place[0]][0], place[1]))
        stage = one.stage_names[int(one.stages[0])]
        return Cluster(number + 1, stage, end - begin + 1, survivor, left_at, row["run"])


def _shown(clusters: Clusters, portion: int, most: int | None) -> Iterator[tuple[Counts, Counts]]:
    """Give the numbers of clusters and the places of their members that are shown, a portion at a time."""
    lengths = np.diff(clusters.begins)
    lengths = lengths if most is None else np.minimum(lengths, most)
    ends = np.cumsum(lengths)
    for begin in range(0, int(lengths.sum()), portion):
        flat = np.arange(begin, min(begin + portion, int(ends[-1])))
        numbers = np.searchsorted(ends, flat, side="right")
        within = flat - (ends[numbers] - lengths[numbers])
        yield numbers, clusters.order[clusters.begins[numbers] + within]


def _stretches(numbers: Counts) -> Iterator[tuple[int, int]]:
    """Cut a portion where a cluster ends, and long ones into pieces that are turned into Python objects at a time."""
    ends = np.flatnonzero(np.diff(numbers)) + 1
    cuts = np.union1d(ends, np.arange(_PIECE, len(numbers), _PIECE))
    return pairwise([0, *cuts.tolist(), len(numbers)])


def _member(row: Row, place: tuple[int, int]) -> Member:
    return Member(
        row["doc_id"],
        place,
        row["url"],
        reason=row["reason"],
        similarity=row["value"],
        threshold=row["threshold"],
        detail=row["detail"],
    )


def rows_at(paths: Sequence[Path], files: Counts, rows: Counts) -> pa.Table:
    """Give rows of documents files by the numbers of the files, in the order asked for; each file is read once."""
    asked = by_file(files)
    parts = [_rows_of(paths[number], rows[places]) for number, places in asked.parts]
    table = asked.put_back(pa.concat_tables(parts).combine_chunks())
    return table.append_column("run", runs_of(table["detail"]))


def _rows_of(path: Path, rows: Counts) -> pa.Table:
    with reading(path), pq.ParquetFile(path) as file:
        return file.read(list(_NAMES)).take(rows)
