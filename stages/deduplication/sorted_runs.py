"""Kept documents on disk: committed index files, mapped, asked through sorted postings that are merged as they grow."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import pyarrow as pa

from headrace.schemas.index import IndexOptions
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.layer import IndexFile
from headrace.stages.deduplication.merged import inputs_of
from headrace.stages.deduplication.merged_store import MergedStore
from headrace.stages.deduplication.merging import Background, due
from headrace.stages.deduplication.open_files import MappedPostings, OpenFile, open_file, take_ids
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import tables_of
from headrace.stages.deduplication.sorted_run import SortedRun, question
from headrace.stages.kernels.arrays import Array, Counts
from headrace.stages.kernels.band_index import Entries

_LOG = logging.getLogger(__name__)


class SortedRuns:
    """The layer of committed documents: any set of index files, each adopted once.

    `folder` is for merged postings; it belongs to this object alone: those in it that it does not use are removed.
    Merging begins with a question, goes on in a thread, and changes no answer; where it fails, for want of space, say,
    the files are asked one by one from then on, and the log says so once.

    Memory a document with 15 tables: 0.9 to 1.9 bytes of directories, and with `bloom` 18.8 of filters; while some are
    merged, 40 MB and the filter of the result besides. All else is mapped: 120 bytes of postings in the index file, as
    many in a merged one (300 in LMDB), and the signatures, which are read where they lie. Of these the system keeps in
    memory what it has room for.
    """

    def __init__(self, rules: Rules, parameters: dict[str, object], options: IndexOptions, folder: Path) -> None:
        self._rules, self._parameters, self._bloom = rules, parameters, options.bloom
        self._policy, self._masks = rules.policy, rules.masks
        self._store = MergedStore(folder, options.store, tables_of(rules))
        self._files: list[OpenFile] = []  # by the number of the first document
        self._runs: tuple[SortedRun, ...] = ()
        self._changing = Lock()
        self._background = Background()
        self._merges = True

    @property
    def nbytes(self) -> int:
        """Memory of directories and filters; what is mapped does not count."""
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
        added = [SortedRun.of([one], MappedPostings(one.tables), None, bloom=self._bloom) for one in opened]
        with self._changing:
            self._runs += tuple(added)
        with self._store.lock:
            for path, inputs in self._store.whole():
                self._take_over(path, inputs)

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
        firsts = np.array([one.file.first for one in self._files])
        places = np.searchsorted(firsts, numbers, side="right") - 1
        order = np.argsort(places, kind="stable")
        parts = [
            take_ids(self._files[place].ids, numbers[places == place] - firsts[place])
            for place in np.unique(places).tolist()
        ]
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return pa.concat_arrays(parts).take(back)

    def wait(self) -> None:
        """Wait until all is merged that is due."""
        self._background.wait()
        while self._merge_what_is_due():
            self._background.wait()

    def close(self) -> None:
        """End merging and let go of all files."""
        self._background.close()
        self._runs, self._files = (), []

    def _take_over(self, path: Path, inputs: list[str]) -> None:
        """Replace runs by merged postings of just their files."""
        left, group = Counter(inputs), list[SortedRun]()
        for run in self._runs:
            here = Counter(inputs_of(run.files))
            if here <= left and run.merged != path:
                left, group = left - here, [*group, run]
        if group and not left:
            self._replace(group, self._merged_run(_in_order(group, inputs), path))

    def _merge_what_is_due(self) -> bool:
        """Begin to merge if something is due and nothing is being merged."""
        if not self._merges or self._background.busy:
            return False
        if group := due(self._runs):
            self._background.start(lambda: self._merge(group))
        return bool(group)

    def _merge(self, group: Sequence[SortedRun]) -> None:
        files = sorted((one for run in group for one in run.files), key=lambda one: one.file.first)
        try:
            self._sweep()
            path = self._store.make(files, self._background.step)
            self._replace(group, self._merged_run(files, path))
            self._sweep()
        except OSError as error:
            self._merges = False
            _LOG.warning("postings of the dedup index are not merged any more, which costs time alone: %s", error)

    def _sweep(self) -> None:
        """Remove what no run uses; a question that is still being answered keeps its maps."""
        with self._store.lock:
            self._store.sweep({run.merged for run in self._runs if run.merged})

    def _merged_run(self, files: Sequence[OpenFile], path: Path) -> SortedRun:
        return SortedRun.of(files, self._store.open(path), path, bloom=self._bloom)

    def _replace(self, group: Sequence[SortedRun], merged: SortedRun) -> None:
        with self._changing:
            if all(run in self._runs for run in group):
                self._runs = (*(run for run in self._runs if run not in group), merged)


def _in_order(group: Sequence[SortedRun], inputs: Sequence[str]) -> list[OpenFile]:
    """Give the files of runs in the order of their hashes; of several with one content the earlier comes first."""
    files = sorted((one for run in group for one in run.files), key=lambda one: one.file.first, reverse=True)
    by_hash: dict[str, list[OpenFile]] = {}
    for one in files:
        by_hash.setdefault(one.file.ref.sha256, []).append(one)
    return [by_hash[sha256].pop() for sha256 in inputs]
