"""The index of kept documents in memory: arrays that grow, and the tables over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.arrays import Classes, Counts, Floats, read_only
from headrace.stages.kernels.band_index import Entries, Policy, Tables, insert, settle

_GROWTH = 1.25
_LOAD = 0.7  # share of a table's places that may be taken
_LEAST = 1024


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides a verdict: which keys there are, how signatures are banded, and how similar is too similar."""

    exact: bool
    bands: int  # 0 = no signatures
    rows: int
    threshold: float
    sets: bool  # verify by the exact Jaccard similarity of shingle sets


@dataclass(frozen=True, slots=True)
class Fates:
    """What became of each document of a unit: its fate, the number of its survivor, and their similarity."""

    fates: Classes
    survivors: Counts
    similarities: Floats


class FirstSeenIndex:
    """Kept documents by number, found by key and by band.

    Memory with 14 bands of 8 rows and exact keys: 448 bytes of signature, 56 of chains, 24 of key and number, 160 to
    320 of band entries (load 0.7 to 0.35). With the slack of growing arrays 706 to 1,000 bytes a kept document were
    measured between 50,000 and 500,000 documents, 851 on average; shingle sets and doc_ids come on top.
    """

    def __init__(self, rules: Rules) -> None:
        self.count = 0
        self._rules = rules
        self._known = Entries(
            np.zeros((0, 2), np.uint64),
            np.zeros((0, rules.bands * rules.rows), np.uint32),
            np.zeros(0, np.uint32),
            np.zeros(1, np.int64),
        )
        self._chains = np.zeros((0, rules.bands), np.int32)
        self._tables = self._empty_tables(0)

    def settle(self, batch: Entries) -> Fates:
        """Judge the documents of the next unit in order and keep those that repeat no earlier kept one."""
        self._reserve(len(batch.ends) - 1, len(batch.shingles))
        fates, self.count = self._judge(batch, self.count, -1)
        return fates

    def settle_again(self, batch: Entries, first: int, last: int) -> Fates | None:
        """Judge a unit that was kept as documents first to last; None if others would be kept now."""
        fates, number = self._judge(batch, first, last)
        return None if number < 0 else fates

    def extend(self, batch: Entries) -> None:
        """Enter documents that are known to be kept."""
        added = len(batch.ends) - 1
        self._reserve(added, len(batch.shingles))
        first, last = self.count, self.count + added
        known, begin = self._known, self._known.ends[self.count]
        if self._rules.exact:
            known.keys[first:last] = batch.keys
        known.signatures[first:last] = batch.signatures
        known.shingles[begin : begin + len(batch.shingles)] = batch.shingles
        known.ends[first + 1 : last + 1] = begin + batch.ends[1:]
        insert(self._tables, known, first, last, self._rules.rows)
        self.count = last

    def entries(self, first: int, last: int) -> Entries:
        """Give kept documents first to last, as views of the arrays."""
        begin, end = self._known.ends[first], self._known.ends[last]
        keys = self._known.keys[first:last] if self._rules.exact else self._known.keys
        ends = self._known.ends[first : last + 1] - begin
        return Entries(keys, self._known.signatures[first:last], self._known.shingles[begin:end], ends)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(array.nbytes for array in (*self._known, *self._tables))

    def _judge(self, batch: Entries, first: int, last: int) -> tuple[Fates, int]:
        policy = Policy(self._rules.rows, self._rules.threshold, self._rules.sets)
        keys, signatures, shingles, ends = batch
        batch = Entries(read_only(keys), read_only(signatures), read_only(shingles), read_only(ends))
        fates, survivors, similarities, number = settle(self._tables, self._known, batch, first, last, policy)
        return Fates(fates, survivors, similarities), number

    def _reserve(self, documents: int, shingles: int) -> None:
        needed = self.count + documents
        values = int(self._known.ends[self.count]) + shingles
        if values > len(self._known.shingles):
            _resize(self._known.shingles, _with_slack(values))
        if needed > len(self._known.signatures):
            self._resize_documents(_with_slack(needed))
        if needed > _LOAD * self._tables.heads.shape[1]:
            self._tables = self._empty_tables(needed)
            insert(self._tables, self._known, 0, self.count, self._rules.rows)

    def _resize_documents(self, room: int) -> None:
        _resize(self._known.signatures, room)
        _resize(self._known.ends, room + 1)
        _resize(self._chains, room)
        if self._rules.exact:
            _resize(self._known.keys, room)

    def _empty_tables(self, documents: int) -> Tables:
        room = 1 << math.ceil(math.log2(_with_slack(documents) / _LOAD))
        slots = np.zeros(room if self._rules.exact else 0, np.uint64)
        return Tables(slots, np.zeros((self._rules.bands, room), np.uint64), self._chains)


def _with_slack(needed: int) -> int:
    return max(_LEAST, math.ceil(needed * _GROWTH))


def _resize(array: npt.NDArray[np.generic], room: int) -> None:
    """Make room in an array in place, so that a large one is not there twice while it moves.

    Nobody else may hold the array's memory: the index gives views of it only to be written out at once.
    """
    array.resize((room, *array.shape[1:]), refcheck=False)
