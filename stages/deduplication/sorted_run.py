"""One sorted run: some index files and the postings of them all. What it is asked, and how it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Counts, Hashes, Signatures
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.merged import Source, rows_before
from headrace.stages.deduplication.merging import Step
from headrace.stages.deduplication.open_files import FILE_BYTES, MappedPostings, OpenFile, Postings, Table
from headrace.stages.kernels.blocked_bloom import empty_filter, enter, may_have
from headrace.stages.kernels.entries import Entries, Policy
from headrace.stages.kernels.sorted_postings import fingerprints, frozen, packed, unpacked, verify

_PAIRS = 1 << 20  # pairs tested at a time, 24 bytes each: a band that millions share costs time, no memory
_NO_PRINT = np.uint64(1 << 32)  # packed values below are of documents without a fingerprint


class Question(NamedTuple):
    """A unit, and for each table its fingerprints in ascending order, so that pages are read in order too."""

    batch: Entries
    policy: Policy
    below: int
    wanted: list[tuple[Signatures, Counts]]  # fingerprints, and the document of each


class Pairs(NamedTuple):
    """Documents of a unit and rows of a run that have a fingerprint in common, and the table in which they have it."""

    documents: Counts
    rows: Counts
    tables: Counts


def question(batch: Entries, policy: Policy, masks: Hashes, below: int) -> Question:
    """Give what runs are asked about a unit."""
    batch = frozen(batch)
    wanted = []
    for values in packed(fingerprints(batch, policy, masks)):
        prints, documents = unpacked(values[np.searchsorted(values, _NO_PRINT) :])
        wanted.append((prints, documents.astype(np.int64)))
    return Question(batch, policy, below, wanted)


@dataclass(frozen=True, slots=True, eq=False)
class SortedRun:
    """Index files in the order in which their rows are numbered, and their postings: of one file, or merged."""

    files: tuple[OpenFile, ...]
    starts: Counts  # the first row of each file, and the end
    postings: Postings
    bloom: Signatures | None = None
    merged: Path | None = None

    @classmethod
    def of(cls, one: OpenFile) -> SortedRun:
        """Give the run of one file, by its own postings."""
        return cls((one,), rows_before([one]), MappedPostings(one.tables))

    def with_bloom(self, step: Step) -> SortedRun:
        """Give the run with a Bloom filter that is filled anew, 10 bits a fingerprint."""
        return replace(self, bloom=bloom_of([source.tables for source in self.sources(0)], step))

    def sources(self, first: int) -> list[Source]:
        """Give what merged postings are made of in which its rows begin at `first`."""
        if self.postings.tables:
            return [Source(self.postings.tables, first)]
        starts: list[int] = self.starts.tolist()
        return [Source(one.tables, first + start) for one, start in zip(self.files, starts, strict=False)]

    @property
    def first(self) -> int:
        """The number of its first document."""
        return self.files[0].file.first

    @property
    def documents(self) -> int:
        """How many there are."""
        return int(self.starts[-1])

    @property
    def nbytes(self) -> int:
        """Memory that is not mapped."""
        held = self.postings.nbytes + self.starts.nbytes + FILE_BYTES * len(self.files)
        return held + (0 if self.bloom is None else self.bloom.nbytes)

    def answer(self, asked: Question, fates: Fates) -> None:
        """Better the answers to a unit by what this run holds."""
        pending: list[Pairs] = []
        for pairs in self._met(asked):
            pending.append(pairs)
            if sum(len(some.rows) for some in pending) >= _PAIRS:
                self._verify(pending, asked, fates)
                pending = []
        if pending:
            self._verify(pending, asked, fates)

    def _met(self, asked: Question) -> Iterator[Pairs]:
        for table, (wanted, documents) in enumerate(asked.wanted):
            if self.bloom is not None:
                there = may_have(self.bloom, table, wanted)
                wanted, documents = wanted[there], documents[there]
            if len(wanted):
                begins, ends, rows = self.postings.find(table, wanted)
                for which, places in spread_out(begins, ends):
                    yield Pairs(documents[which], rows[places].astype(np.int64), np.full(len(places), table))

    def _verify(self, pending: Sequence[Pairs], asked: Question, fates: Fates) -> None:
        """Test pairs file by file, in the order of their rows: each signature is read where it lies, and once."""
        documents, rows, tables = (np.concatenate(parts) for parts in zip(*pending, strict=True))
        order = np.argsort(rows, kind="stable")
        documents, rows, tables = documents[order], rows[order], tables[order]
        cuts = np.searchsorted(rows, self.starts)
        for place in np.flatnonzero(np.diff(cuts)).tolist():
            opened, here = self.files[place], slice(cuts[place], cuts[place + 1])
            verify(
                opened.known,
                opened.file.first,
                asked.below,
                asked.batch,
                documents[here],
                rows[here] - self.starts[place],
                tables[here],
                asked.policy,
                fates.fates,
                fates.survivors,
                fates.similarities,
            )


def spread_out(begins: Counts, ends: Counts) -> Iterator[tuple[Counts, Counts]]:
    """Give each place between the begin and the end of each item, with the item's number, so many at a time."""
    bounds: Counts = np.cumsum(ends - begins, dtype=np.int64)
    total = int(bounds[-1])
    for first in range(0, total, _PAIRS):
        numbers: Counts = np.arange(first, min(first + _PAIRS, total), dtype=np.int64)
        which: Counts = np.searchsorted(bounds, numbers, side="right")
        yield which, ends[which] - (bounds[which] - numbers)


def bloom_of(sources: Sequence[Sequence[Table]], step: Step) -> Signatures:
    """Give the filter of all fingerprints of some postings."""
    words = empty_filter(sum(len(prints) for tables in sources for prints, _ in tables))
    for tables in sources:
        for table, (prints, _) in enumerate(tables):
            for at in range(0, len(prints), _PAIRS):
                step()
                enter(words, table, prints[at : at + _PAIRS])
    return words
