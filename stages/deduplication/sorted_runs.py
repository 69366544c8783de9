"""Kept documents on disk: committed index files, mapped, asked through sorted postings that are merged as they grow."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts
from headrace.schemas.index import IndexOptions
from headrace.stages.deduplication.by_file import by_file
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.merged import Content, inputs_of, is_whole, rows_before
from headrace.stages.deduplication.merged_store import MergedStore
from headrace.stages.deduplication.merging import Background, StoppedError, due
from headrace.stages.deduplication.open_files import OpenFile, open_file
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import tables_of
from headrace.stages.deduplication.sorted_run import SortedRun, question
from headrace.stages.kernels.entries import Entries

_LOG = logging.getLogger(__name__)


class SortedRuns:
    """The layer of committed documents: any set of index files, each adopted once.

    `folder` is for merged postings; it belongs to this object alone: those in it that it does not use are removed.
    Merging begins with a question, goes on in a thread, and changes no answer; where it fails, for want of space, say,
    the runs are asked as they are from then on. The log says so once, with all that is known of it.

    Memory: 3 kB and one map of the process a file; a document with 15 tables 0.9 to 1.9 bytes of directories, and with
    `bloom` 18.8 of filters; while some are merged, 40 MB and the filter of the result besides. All else is mapped: 120
    bytes of postings in the index file, as many in a merged one (300 in LMDB), and the signatures, which are read where
    they lie. Of these the system keeps in memory what it has room for.
    """

    def __init__(self, rules: Rules, parameters: dict[str, object], options: IndexOptions, folder: Path) -> None:
        self._rules, self._parameters, self._bloom = rules, parameters, options.bloom
        self._policy, self._masks = rules.policy, rules.masks
        self._store = MergedStore(folder, options.store, tables_of(rules))
        self._files: list[OpenFile] = []  # by the number of the first document
        self._firsts: Counts = np.zeros(0, np.int64)
        self._runs: tuple[SortedRun, ...] = ()
        self._changing = Lock()
        self._background = Background()
        self._merges = True

    @property
    def nbytes(self) -> int:
        """Memory of files, directories and filters; what is mapped does not count."""
        return sum(run.nbytes for run in self._runs)

    @property
    def runs(self) -> int:
        """How many sorted runs are asked for each unit."""
        return len(self._runs)

    def adopt(self, files: Sequence[IndexFile]) -> None:
        """Take committed files in, each read once to be hashed; FormatError names one that is not what was committed.

        Merged postings of files that are known now are used if they are whole.
        """
        opened = [open_file(file, self._rules, self._parameters) for file in files]
        self._files = sorted([*self._files, *opened], key=lambda one: one.file.first)
        self._firsts = np.array([one.file.first for one in self._files], np.int64)
        added = tuple(self._single(one) for one in opened)
        with self._changing:
            self._runs += added
        try:
            self._use_what_is_merged()
        except Exception as error:  # noqa: BLE001 - derived files decide nothing, whatever is wrong
            _LOG.warning("merged postings of the dedup index are not used, which costs time: %s", error, exc_info=True)

    def ask(self, batch: Entries, below: int) -> Fates:
        """Judge documents against those whose number is below `below`; nothing is kept."""
        self._merge_what_is_due()
        asked, fates = question(batch, self._policy, self._masks, below), Fates.none(len(batch.ends) - 1)
        for run in self._runs:
            run.answer(asked, fates)
        return fates

    def ids(self, numbers: Counts) -> Array:
        """Give the doc_ids of adopted documents, by their numbers, in any order."""
        if not len(numbers):
            return pa.array([], pa.string())
        asked = by_file(np.searchsorted(self._firsts, numbers, side="right") - 1)
        parts = [self._files[file].ids(numbers[places] - self._firsts[file]) for file, places in asked.parts]
        return asked.put_back(pa.concat_arrays(parts))

    def wait(self) -> None:
        """Wait until all is merged that is due."""
        self._background.wait()
        while self._merge_what_is_due():
            self._background.wait()

    def close(self) -> None:
        """End merging and let go of all files."""
        self._background.close()
        self._runs, self._files, self._firsts = (), [], self._firsts[:0]

    def _use_what_is_merged(self) -> None:
        """Replace runs by merged postings of just their files."""
        with self._store.lock:
            used, owners = {run.merged for run in self._runs}, _owners(self._runs)
            for path, inputs in self._store.whole():
                if path not in used and (group := _of_just(inputs, owners)):
                    self._replace(group, [self._merged_run(_in_order(group, inputs), path)])

    def _merge_what_is_due(self) -> bool:
        """Begin to merge if something is due and nothing is being merged."""
        if not self._merges or self._background.busy:
            return False
        if group := due(self._runs):
            self._background.start(lambda: self._merge(group))
        return bool(group)

    def _merge(self, group: Sequence[SortedRun]) -> None:
        try:
            self._sweep()
            if not self._taken_apart(group):
                content = _content(group)
                path = self._store.make(content, self._background.step)
                self._replace(group, [self._merged_run(content.files, path)])
                self._sweep()
        except StoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - derived files decide nothing, whatever is wrong
            self._merges = False
            words = "postings of the dedup index are not merged any more, which costs time alone: %s"
            _LOG.warning(words, error, exc_info=True)

    def _taken_apart(self, group: Sequence[SortedRun]) -> bool:
        """Go back to the committed files where merged postings are not what they were: they are to be merged again."""
        damaged = [run for run in group if run.merged and not is_whole(run.merged, self._background.step)]
        for run in damaged:
            _LOG.warning("%s: merged postings are damaged; they are removed, and made again", run.merged)
            self._replace([run], [self._single(one) for one in run.files])
        self._sweep()
        return bool(damaged)

    def _sweep(self) -> None:
        """Remove what no run uses; a question that is still being answered keeps its maps."""
        with self._store.lock:
            self._store.sweep({run.merged for run in self._runs if run.merged})

    def _single(self, one: OpenFile) -> SortedRun:
        return self._filtered(SortedRun.of(one))

    def _merged_run(self, files: Sequence[OpenFile], path: Path) -> SortedRun:
        return self._filtered(SortedRun(tuple(files), rows_before(files), self._store.open(path), None, path))

    def _filtered(self, run: SortedRun) -> SortedRun:
        return run.with_bloom(self._background.step) if self._bloom else run

    def _replace(self, group: Sequence[SortedRun], others: Sequence[SortedRun]) -> None:
        gone = {*group}
        with self._changing:
            if gone <= {*self._runs}:
                self._runs = (*(run for run in self._runs if run not in gone), *others)


def _content(group: Sequence[SortedRun]) -> Content:
    """Give what is merged of some runs, one behind the other."""
    firsts: list[int] = np.cumsum([0, *(run.documents for run in group)]).tolist()
    sources = [source for run, first in zip(group, firsts, strict=False) for source in run.sources(first)]
    return Content([one for run in group for one in run.files], sources)


def _owners(runs: Sequence[SortedRun]) -> dict[str, list[SortedRun]]:
    """Give the runs that have a file of each hash."""
    owners: dict[str, list[SortedRun]] = {}
    for run in runs:
        for sha256 in inputs_of(run.files):
            owners.setdefault(sha256, []).append(run)
    return owners


def _of_just(inputs: Sequence[str], owners: dict[str, list[SortedRun]]) -> list[SortedRun]:
    """Take runs out of `owners` that have just some files; none if there are no such."""
    left, group = Counter(inputs), list[SortedRun]()
    for run in dict.fromkeys(run for sha256 in left for run in owners.get(sha256, ())):
        here = Counter(inputs_of(run.files))
        if here <= left:
            left, group = left - here, [*group, run]
    if left:
        return []
    for sha256 in inputs:
        owners[sha256] = [run for run in owners[sha256] if run not in group]
    return group


def _in_order(group: Sequence[SortedRun], inputs: Sequence[str]) -> list[OpenFile]:
    """Give the files of runs in the order of their hashes; of several with one content the earlier comes first."""
    files = sorted((one for run in group for one in run.files), key=lambda one: one.file.first, reverse=True)
    by_hash: dict[str, list[OpenFile]] = {}
    for one in files:
        by_hash.setdefault(one.file.ref.sha256, []).append(one)
    return [by_hash[sha256].pop() for sha256 in inputs]
