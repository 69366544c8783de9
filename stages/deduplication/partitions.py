"""The part of an index that is on disk, cut into partitions: in this process, or where `OpenPartitions` puts them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from secrets import token_hex
from typing import Protocol

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts
from headrace.schemas.index import IndexOptions
from headrace.stages.deduplication.by_file import by_file
from headrace.stages.deduplication.fates import Fates, better
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.sorted_runs import SortedRuns
from headrace.stages.kernels.entries import Entries


class Partitions(Protocol):
    """Sorted runs in several places. What all are asked for, they do at the same time."""

    def adopt(self, files: Sequence[Sequence[IndexFile]]) -> None:
        """Give each partition its files, some or none; FormatError names one that is not what was committed."""
        ...

    def ask(self, batch: Entries, below: int) -> list[Fates]:
        """Give the answer of each."""
        ...

    def ids(self, numbers: Sequence[Counts]) -> list[Array]:
        """Give the doc_ids of documents of each."""
        ...

    def close(self) -> None:
        """Let go of files and processes."""
        ...


OpenPartitions = Callable[[Rules, Mapping[str, object], IndexOptions, Path], Partitions]


def folders(folder: Path, count: int) -> list[Path]:
    """Give each partition a folder for what it derives: that of the last session by a new name; all others go.

    Names have the session's number, one above all that are there, and a token: of two sessions that see the same
    folders each has names of its own. If both left some under one number, either will do: what is in them is derived,
    and checked before it is used. A partition of a dead session, cut off on some node, may go on for a while. It does
    not know the new name, so it neither writes into this session's folders nor removes anything there.
    """
    there = {place: _session_of(place) for place in sorted(folder.glob("*-of-*"))}
    session = f"{max(there.values(), default=0) + 1:08d}-{token_hex(4)}"
    own = [folder / f"{part}-of-{count}-{session}" for part in range(1, count + 1)]
    for part, place in enumerate(own, 1):
        mine = [known for known in there if known.name.startswith(f"{part}-of-{count}-")]
        if mine:
            with suppress(OSError):  # gone meanwhile: all in it can be made again
                max(mine, key=lambda known: there[known]).rename(place)
    for other in sorted({*folder.glob("*-of-*")} - {*own}):
        shutil.rmtree(other, ignore_errors=True)
    return own


def _session_of(place: Path) -> int:
    """Give the number of the session that a folder is of; 0 where its name says none."""
    found = re.fullmatch(r"\d+-of-\d+-(\d+)-[0-9a-f]+", place.name)
    return int(found[1]) if found else 0


class InProcess:
    """Partitions in this process, one asked after the other."""

    def __init__(self, rules: Rules, parameters: Mapping[str, object], options: IndexOptions, folder: Path) -> None:
        places = folders(folder, options.partitions)
        self._parts = [SortedRuns(rules, dict(parameters), options, place) for place in places]

    def adopt(self, files: Sequence[Sequence[IndexFile]]) -> None:
        """Give each partition its files."""
        for part, its in zip(self._parts, files, strict=True):
            if its:
                part.adopt(its)

    def ask(self, batch: Entries, below: int) -> list[Fates]:
        """Give the answer of each."""
        return [part.ask(batch, below) for part in self._parts]

    def ids(self, numbers: Sequence[Counts]) -> list[Array]:
        """Give the doc_ids of documents of each."""
        return [part.ids(its) for part, its in zip(self._parts, numbers, strict=True) if len(its)]

    def close(self) -> None:
        """Let go of the files."""
        for part in self._parts:
            part.close()


class Partitioned:
    """A layer of committed files: the i-th of them belongs to partition i modulo their number.

    `opened` is called with the first file: an index that stays in memory has no partitions.
    """

    def __init__(self, opened: Callable[[], Partitions], count: int) -> None:
        self._opened, self._count = opened, count
        self._partitions: Partitions | None = None
        self._firsts = np.zeros(0, np.int64)

    def adopt(self, files: Sequence[IndexFile]) -> None:
        """Take files on, whose numbers follow those of the files before."""
        if not files:
            return
        dealt: list[list[IndexFile]] = [[] for _ in range(self._count)]
        for place, file in enumerate(files, len(self._firsts)):
            dealt[place % self._count].append(file)
        self._partitions = self._partitions or self._opened()
        self._partitions.adopt(dealt)
        self._firsts = np.concatenate((self._firsts, np.array([file.first for file in files], np.int64)))

    def ask(self, batch: Entries, below: int) -> Fates:
        """Judge documents against those whose number is below `below`; nothing is kept."""
        if self._partitions is None or not len(batch.ends) - 1:
            return Fates.none(len(batch.ends) - 1)
        return reduce(better, self._partitions.ask(batch, below))

    def ids(self, numbers: Counts) -> Array:
        """Give the doc_ids of documents, by their numbers."""
        if self._partitions is None or not len(numbers):
            return pa.array([], pa.string())
        asked = by_file((np.searchsorted(self._firsts, numbers, side="right") - 1) % self._count)
        wanted = [numbers[:0]] * self._count
        for part, places in asked.parts:
            wanted[part] = numbers[places]
        return asked.put_back(pa.concat_arrays(self._partitions.ids(wanted)))

    def close(self) -> None:
        """Let go of files and processes."""
        if self._partitions is not None:
            self._partitions.close()
