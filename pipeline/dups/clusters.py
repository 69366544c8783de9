"""Documents that repeat the same one, together: which there are, how large, and where their survivors are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from headrace.pipeline.committed import Committed, read_columns, reading
from headrace.pipeline.dups.repetitions import Repetitions, hashed
from headrace.schemas.arrays import Counts, Hashes
from headrace.schemas.document import KEPT

_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters, largest first; of equal ones that first whose first repetition comes first.

    The members of cluster i are `repetitions` at `order[begins[i]:begins[i + 1]]`, the most similar first.
    """

    repetitions: Repetitions
    order: Counts
    begins: Counts

    def __len__(self) -> int:
        return len(self.begins) - 1

    @property
    def sizes(self) -> Counts:
        """Documents of each cluster, the one that stays among them."""
        return np.diff(self.begins) + 1

    @property
    def keys(self) -> Hashes:
        """What the members of each cluster repeat."""
        return self.repetitions.keys[self.firsts]

    @property
    def firsts(self) -> Counts:
        """One repetition of each cluster: all of them have its survivor and its stage."""
        return self.order[self.begins[:-1]]

    def take(self, numbers: Counts) -> Clusters:
        """Give some of the clusters, in the order asked for."""
        lengths = np.diff(self.begins)[numbers]
        begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(self.begins[numbers] - begins[:-1], lengths)
        places += np.arange(begins[-1])
        return Clusters(self.repetitions, self.order[places], begins)


def clusters_of(repetitions: Repetitions) -> Clusters:
    """Put repetitions together that have the same survivor in the same stage.

    It takes some 80 bytes for each at most, besides the repetitions themselves.
    """
    order = _grouped(repetitions)
    starts = _starts(repetitions, order)
    sizes = np.diff(np.append(starts, len(order)))
    first = np.minimum.reduceat(order, starts) if len(starts) else starts
    return Clusters(repetitions, order, np.append(starts, len(order))).take(np.lexsort((first, -sizes)))


def _grouped(repetitions: Repetitions) -> Counts:
    """Sort by stage, survivor and similarity; equal ones stay in the order of the run."""
    table = repetitions.table
    alike = np.nan_to_num(table["value"], nan=1.0)
    np.negative(alike, out=alike)
    return np.asarray(np.lexsort((alike, table["key"], table["stage"])), np.int64)


def _starts(repetitions: Repetitions, order: Counts) -> Counts:
    """Give the places at which another survivor or another stage begins."""
    changes = np.ones(len(order), np.bool_)
    for name in ("key", "stage"):
        column = repetitions.table[name][order]
        differ = column[1:] != column[:-1]
        changes[1:] = differ if name == "key" else changes[1:] | differ
    return np.flatnonzero(changes)


@dataclass(slots=True)
class Survivors:
    """What became of documents that others repeat: they were kept, or a later stage took them out, too.

    `files` and `rows` say where each is, -1 for one that is not in this run.
    """

    keys: Hashes  # sorted, each once
    files: Counts = field(init=False)
    rows: Counts = field(init=False)
    _left: Counts = field(init=False)
    _stages: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with none of them found."""
        self.files = np.full(len(self.keys), _UNKNOWN, np.int64)
        self.rows = np.full(len(self.keys), _UNKNOWN, np.int64)
        self._left = np.full(len(self.keys), _UNKNOWN, np.int64)

    def add(self, number: int, table: pa.Table) -> None:
        """Look for them in one documents file."""
        keys = hashed(table["doc_id"])
        places = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        rows = np.flatnonzero(self.keys[places] == keys)
        at = places[rows]
        self.files[at], self.rows[at] = number, rows
        found = table.take(rows)
        for place, verdict, stage in zip(at, found["verdict"].to_pylist(), found["stage"].to_pylist(), strict=True):
            self._left[place] = _UNKNOWN if verdict == KEPT else self._stages.setdefault(str(stage), len(self._stages))

    def place(self, key: np.uint64) -> tuple[int, int] | None:
        """Say in which documents file and in which row a survivor is; None if it is not in this run."""
        at = int(np.searchsorted(self.keys, key))
        return None if self.files[at] == _UNKNOWN else (int(self.files[at]), int(self.rows[at]))

    def left_at(self, key: np.uint64) -> str | None:
        """Name the later stage that took a survivor out; None for one that was kept."""
        number = int(self._left[np.searchsorted(self.keys, key)])
        return None if number == _UNKNOWN else list(self._stages)[number]


def find_survivors(committed: Committed, keys: Hashes) -> Survivors:
    """Go through the documents files once more, for the survivors of some clusters."""
    survivors = Survivors(np.unique(keys))
    if len(survivors.keys):
        for number, (_, path) in enumerate(committed.documents()):
            table = read_columns(path, ["doc_id", "verdict", "stage"])
            with reading(path):
                survivors.add(number, table)
    return survivors
