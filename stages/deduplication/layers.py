"""An index in layers: the newest kept documents in memory, those before them in files, each known by its number.

A layer is asked for what it says of a unit; the answers join to that of one index that holds everything. So what is
where is a matter of memory alone: it may differ between two sessions of a run, and verdicts do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Column, Counts
from headrace.schemas.errors import FormatError
from headrace.schemas.index import MERGED
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.deduplication.committed_file import mapped
from headrace.stages.deduplication.earlier import EarlierNumbers, blaming
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.ids import DocumentIds
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.partitions import InProcess, Partitioned, Partitions
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import IndexRuns, count_documents
from headrace.stages.deduplication.signatures import from_columns
from headrace.stages.kernels.entries import Entries


class Layers:
    """Kept documents: of earlier runs, then of this one. What is committed may leave memory; the rest is there.

    At the start committed files are read into memory if they fit into it, and else asked where they are; those of
    earlier runs are never read in. `added` hands files on when memory is beyond `memory_bytes`.
    """

    def __init__(self, context: RunContext, rules: Rules, parameters: dict[str, object]) -> None:
        self._context, self._rules, self._parameters = context, rules, parameters
        self._cold = Partitioned(partial(open_partitions, context, rules, parameters), context.index.partitions)
        self.earlier, number = EarlierNumbers(), 0
        with blaming(context.earlier):
            files = list[IndexFile]()
            for run in context.earlier:
                files += numbered_files(run.run, run.files, number, run.counts)
                number = files[-1].first + files[-1].documents if run.files else number
                self.earlier.add(run, number)
            self._cold.adopt(files)
        fits = sum(ref.bytes for ref in context.committed) <= context.index.memory_bytes
        if not fits:
            files = numbered_files(context.run, context.committed, number)
            number = files[-1].first + files[-1].documents if files else number
            self._cold.adopt(files)
            check_committed(context.run, context.committed, context.first_unit)
        self._hot, self._ids = FirstSeenIndex(rules, number), DocumentIds(number)
        self._pending: list[IndexFile] = []  # committed, and in memory still
        for ref in context.committed if fits else ():
            self._read_in(ref)

    @property
    def count(self) -> int:
        """The number that the next kept document gets."""
        return self._hot.count

    @property
    def nbytes(self) -> int:
        """Memory of what `memory_bytes` is about."""
        return self._hot.nbytes + self._ids.nbytes

    def settle(self, batch: Entries) -> Fates:
        """Judge the next unit, and keep what repeats nothing; `name` is to follow."""
        return self._hot.settle(batch, self._cold.ask(batch, self._hot.base))

    def name(self, ids: Column) -> None:
        """Give the doc_ids of what was just kept."""
        self._ids.extend(ids)

    def settle_again(self, batch: Entries, first: int, last: int) -> Fates | None:
        """Judge a unit that was kept as documents first to last; None if others would be kept now.

        Once it has left memory, only how many is compared.
        """
        prior = self._cold.ask(batch, min(first, self._hot.base))
        if first >= self._hot.base:
            return self._hot.settle_again(batch, first, last, prior)
        alone = FirstSeenIndex(self._rules, first)
        fates = alone.settle(batch, prior)
        return fates if alone.count == last else None

    def ask(self, batch: Entries, first: int) -> Fates:
        """Give what documents before number `first` say of a unit; nothing is kept."""
        return self._hot.ask(batch, first, self._cold.ask(batch, min(first, self._hot.base)))

    def entries(self, first: int, last: int) -> Entries:
        """Give kept documents that are not committed yet, as views of the arrays in memory."""
        return self._hot.entries(first, last)

    def ids(self, numbers: Counts) -> Array:
        """Give the doc_ids of documents, by their numbers."""
        far = numbers < self._ids.base
        if not far.any():
            return self._ids.take(numbers)
        found = pc.replace_with_mask(pa.nulls(len(far), pa.string()), pa.array(far), self._cold.ids(numbers[far]))
        whole: Array = pc.replace_with_mask(found, pa.array(~far), self._ids.take(numbers[~far]))
        return whole

    def added(self, refs: Iterable[FileRef], first: int, last: int) -> None:
        """Take note of files that now hold documents first to last; beyond the budget all such leave memory."""
        self._pending += [IndexFile(self._context.run, ref, first, last - first) for ref in refs]
        if self._pending and self.nbytes > self._context.index.memory_bytes:
            end = self._pending[-1].first + self._pending[-1].documents
            self._cold.adopt(self._pending)
            self._pending = []
            self._hot.forget(end)
            self._ids.forget(end)

    def close(self) -> None:
        """Let go of files and processes."""
        self._cold.close()

    def _read_in(self, ref: FileRef) -> None:
        table = IndexRuns(self._context, self._rules, self._parameters).read(ref)
        check_unit(ref, table["unit"][-1].as_py(), self._context.first_unit)
        self._pending.append(IndexFile(self._context.run, ref, self.count, table.num_rows))
        self._hot.extend(from_columns(table, self._rules.pieces))
        self._ids.extend(table["doc_id"])


def numbered_files(run: Path, refs: Sequence[FileRef], number: int, counts: Sequence[int] = ()) -> list[IndexFile]:
    """Give the files of a run with the numbers of their documents, from `number` on; they are counted if nobody did."""
    files = []
    for ref, documents in zip(refs, counts or (count_documents(run, ref) for ref in refs), strict=True):
        files.append(IndexFile(run, ref, number, documents))
        number += documents
    return files


def open_partitions(context: RunContext, rules: Rules, parameters: dict[str, object]) -> Partitions:
    """Open the partitions where the context says: processes of their own are for several of them."""
    opened = context.partitions if context.index.partitions > 1 else None
    return (opened or InProcess)(rules, parameters, context.index, context.run / MERGED / context.stage)


def check_committed(run: Path, refs: Sequence[FileRef], first_unit: int) -> None:
    """Refuse files, which were found to be those that were committed, with entries of units that are to be replayed."""
    for ref in refs:
        check_unit(ref, pa.ipc.open_file(mapped(run / ref.name)).read_all()["unit"][-1].as_py(), first_unit)


def check_unit(ref: FileRef, last: int, first_unit: int) -> None:
    """Refuse a file that goes beyond the units before `first_unit`."""
    if last >= first_unit:
        raise FormatError(
            "a file of the dedup index holds units that are not committed",
            where=ref.name,
            why=f"it goes up to unit {last}, the commit ends before unit {first_unit}",
            remedy="start again with --fresh",
        )
