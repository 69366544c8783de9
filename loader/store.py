"""The shards a reader has open: each is opened and checked at its first use, in each process anew."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

from headrace.loader.batch import Taken
from headrace.loader.order import IntArray
from headrace.loader.shards import Layout, Shard, groups, open_shard
from headrace.schemas.errors import FormatError
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.shard import LMDB

MOST_ENVIRONMENTS = 256  # each open LMDB file holds a descriptor; 1024 is a common limit for all of a process


class ShardStore:
    """Finds the blocks that hold given rows of given shards."""

    def __init__(self, run: Path, *, verify: bool) -> None:
        self._run, self._verify = run, verify
        self._layout: Layout | None = None
        self._forget()

    def _forget(self) -> None:
        self._process = os.getpid()
        self._open: dict[int, Shard] = {}
        self._environments: OrderedDict[int, None] = OrderedDict()

    def __getstate__(self) -> tuple[Path, bool, Layout | None]:
        return self._run, self._verify, self._layout

    def __setstate__(self, state: tuple[Path, bool, Layout | None]) -> None:
        self._run, self._verify, self._layout = state
        self._forget()

    def layout(self, infos: Sequence[ShardInfo]) -> Layout:
        """Give the layout of the shards, from the first of them."""
        return self._layout or self._shard(0, infos[0]).layout

    def take(self, infos: Sequence[ShardInfo], shards: IntArray, rows: IntArray, places: IntArray) -> Iterator[Taken]:
        """Give the blocks that hold row `rows[i]` of shard `shards[i]`, for place `places[i]` of a batch."""
        for number, chosen in groups(shards):
            for block, inside, within in self._shard(number, infos[number]).blocks(rows[chosen]):
                yield Taken(block, inside, places[chosen[within]])

    def _shard(self, number: int, info: ShardInfo) -> Shard:
        if self._process != os.getpid():  # an LMDB environment must not be used after a fork
            self._forget()
        if number not in self._open:
            self._open[number] = self._checked(open_shard(self._run, info, verify=self._verify), info)
        shard = self._open[number]
        if info.format == LMDB:
            self._count(number)
        return shard

    def _count(self, number: int) -> None:
        self._environments[number] = None
        self._environments.move_to_end(number)
        if len(self._environments) > MOST_ENVIRONMENTS:
            del self._open[self._environments.popitem(last=False)[0]]

    def _checked(self, shard: Shard, info: ShardInfo) -> Shard:
        self._layout = self._layout or shard.layout
        if shard.layout != self._layout:
            why = f"{shard.layout}, the shards before it have {self._layout}"
            where = str(self._run / info.file.name)
            raise FormatError("the shard is of another kind", where=where, why=why, remedy="read one run at a time")
        return shard
