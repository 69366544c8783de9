"""A run's token shards as rows to export, shard by shard in the order of the manifest.

Each shard is hashed before it is read. Memory holds one shard: its ids and its pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headrace.loader.batch import Block
from headrace.loader.forgotten import keys_of
from headrace.loader.order import IntArray
from headrace.loader.shards import Layout, Shard, open_shard
from headrace.pipeline.committed import Committed, read_columns, unit_of
from headrace.pipeline.exporting.forgotten import LeftOut, among
from headrace.pipeline.exporting.kernels import copy_bytes
from headrace.pipeline.exporting.rows import Ids, Rows, offsets_of, taken
from headrace.schemas.arrays import read_only
from headrace.schemas.errors import FormatError
from headrace.schemas.manifest import ManifestLine, ShardInfo

Grain: TypeAlias = Literal["sequences", "documents"]
OnShard: TypeAlias = Callable[[int, int], None]  # is told after each shard: how many are done, of how many
_PORTION_TOKENS = 1 << 20  # of documents that are put together at a time


@dataclass(slots=True)
class Tally:
    """What was left out so far."""

    rows: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """The committed shards of a run, and what must not leave it."""

    committed: Committed
    lines: Sequence[ManifestLine]
    left_out: LeftOut
    on_shard: OnShard | None = None

    def rows(self, grain: Grain, layout: Layout, tally: Tally) -> Iterator[Rows]:
        """Give all rows in order; `tally` counts what is left out. FormatError if a shard is of another layout."""
        shards = list(shards_of(self.lines))
        for number, (line, info) in enumerate(shards, 1):
            shard = open_shard(self.committed.run, info, verify=True)
            check_layout(shard, layout, self.committed.run / info.file.name)
            gone = self.left_out.keys(line)
            if grain == "sequences":
                yield from _sequences(shard, info, gone, tally)
            else:
                yield from _documents(self.committed.run, line, _Whole.of(shard), gone, tally)
            if self.on_shard:
                self.on_shard(number, len(shards))


def shards_of(lines: Sequence[ManifestLine]) -> Iterator[tuple[ManifestLine, ShardInfo]]:
    """Give the lines that have a shard, with it."""
    return ((line, line.shard) for line in lines if line.shard)


def check_layout(shard: Shard, layout: Layout, path: Path) -> None:
    """Raise FormatError if a shard differs from the run's first one in what all must have in common."""
    if shard.layout != layout:
        why = f"{shard.layout}, the first shard has {layout}"
        raise FormatError("the shard is of another kind", where=str(path), why=why, remedy="run `headrace verify`")


def blocks(shard: Shard) -> Iterator[Block]:
    """Give the blocks of a shard in order."""
    return (block for block, _, _ in shard.blocks(np.arange(shard.sequences)))


def _sequences(shard: Shard, info: ShardInfo, gone: IntArray, tally: Tally) -> Iterator[Rows]:
    first = 0
    for block in blocks(shard):
        ends, units, rows, _ = block.pieces
        owners = np.repeat(np.arange(len(block.lengths)), np.diff(block.offsets))
        inside = slice(block.offsets[0], block.offsets[-1])
        asked = among(keys_of(units[inside].astype(np.int64), rows[inside].astype(np.int64)), gone)
        kept = np.ones(len(block.lengths), np.bool_)
        kept[owners[asked]] = False
        tally.rows += int((~kept).sum())
        tally.tokens += int(block.lengths[~kept].sum())
        numbers = np.flatnonzero(kept)
        if numbers.size:
            yield _block_rows(block, ends.astype(np.int32), numbers, kept, info.file.name, first)
        first += len(block.lengths)


def _block_rows(
    block: Block, ends: npt.NDArray[np.int32], numbers: IntArray, kept: npt.NDArray[np.bool_], name: str, first: int
) -> Rows:
    ids: Ids = block.tokens[numbers].astype(block.tokens.dtype, copy=False).reshape(-1)  # type: ignore[assignment]
    piece_ends, end_offsets = taken(ends, block.offsets.astype(np.int64), kept)
    shards = pa.repeat(pa.scalar(name, pa.string()), len(numbers))
    origins = pa.table({"shard": shards, "sequence": pa.array(numbers + first, pa.int64())})
    offsets = np.arange(len(numbers) + 1, dtype=np.int64) * block.tokens.shape[1]
    return Rows(ids, offsets, block.lengths[numbers].astype(np.int64), piece_ends, end_offsets, origins)


@dataclass(frozen=True, slots=True, eq=False)
class _Whole:
    """All ids of a shard, and its pieces ordered by document and place in it."""

    ids: Ids
    keys: IntArray
    begins: IntArray  # where a piece lies in `ids`
    sizes: IntArray
    starts: IntArray  # tokens of the document before the piece

    @classmethod
    def of(cls, shard: Shard) -> _Whole:
        """Read a shard."""
        length = shard.layout.sequence_length
        parts = [_pieces(block, number) for number, block in _numbered(blocks(shard), length)]
        keys, begins, sizes, starts = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((starts, keys))
        ids: Ids = np.concatenate([block.tokens.reshape(-1) for block in blocks(shard)])
        return cls(ids, keys[order], begins[order], sizes[order], starts[order])


def _numbered(all_blocks: Iterator[Block], length: int) -> Iterator[tuple[int, Block]]:
    """Give each block with how many ids lie before it."""
    before = 0
    for block in all_blocks:
        yield before, block
        before += len(block.lengths) * length


def _pieces(block: Block, before: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Give the keys, begins, sizes and starts of a block's pieces."""
    inside = slice(block.offsets[0], block.offsets[-1])
    ends, units, rows, starts = (column[inside].astype(np.int64) for column in block.pieces)
    counts = np.diff(block.offsets)
    owners = np.repeat(np.arange(len(counts)), counts)
    first = np.diff(owners, prepend=-1) != 0
    begins = np.where(first, 0, np.roll(ends, 1))
    return keys_of(units, rows), begins + owners * block.tokens.shape[1] + before, ends - begins, starts


def _documents(run: Path, line: ManifestLine, whole: _Whole, gone: IntArray, tally: Tally) -> Iterator[Rows]:
    """Put the documents of a shard together again, in the order in which they were written."""
    firsts = np.flatnonzero(np.diff(whole.keys, prepend=-1))
    keys = whole.keys[firsts]
    bounds = np.append(firsts, len(whole.keys))
    lengths = np.add.reduceat(whole.sizes, firsts) if len(firsts) else firsts
    _check_whole(whole, firsts, run, line)
    kept = ~among(keys, gone)
    tally.rows += int((~kept).sum())
    tally.tokens += int(lengths[~kept].sum())
    chosen = np.flatnonzero(kept)
    names = _Names(run, line)
    reach = np.cumsum(lengths[chosen])
    cuts = np.searchsorted(reach, np.arange(_PORTION_TOKENS, int(reach[-1]) if len(reach) else 0, _PORTION_TOKENS))
    for portion in np.split(chosen, np.unique(cuts)):
        if portion.size:
            yield _put_together(whole, bounds, portion, lengths[portion], names.of(keys[portion]))


def _put_together(whole: _Whole, bounds: IntArray, chosen: IntArray, lengths: IntArray, origins: pa.Table) -> Rows:
    counts = bounds[chosen + 1] - bounds[chosen]
    before = np.cumsum(counts) - counts
    pieces = np.repeat(bounds[chosen] - before, counts) + np.arange(int(counts.sum()))
    size = whole.ids.itemsize
    ids = np.empty(int(lengths.sum()), whole.ids.dtype)
    sizes = whole.sizes[pieces] * size
    targets = np.cumsum(sizes) - sizes
    sources = read_only(whole.begins[pieces] * size)
    copy_bytes(read_only(whole.ids.view(np.uint8)), sources, targets, sizes, ids.view(np.uint8))
    one_each = np.arange(len(chosen) + 1, dtype=np.int64)
    return Rows(ids, offsets_of(lengths), lengths, lengths.astype(np.int32), one_each, origins)


def _check_whole(whole: _Whole, firsts: IntArray, run: Path, line: ManifestLine) -> None:
    """Raise FormatError unless the pieces of each document follow each other without a gap."""
    expected = np.cumsum(whole.sizes) - whole.sizes
    expected -= np.repeat(expected[firsts], np.diff(np.append(firsts, len(whole.keys))))
    if not np.array_equal(expected, whole.starts):
        where = str(run / line.shard.file.name) if line.shard else str(run)
        why, remedy = "the pieces of a document leave a gap", "run `headrace verify`"
        raise FormatError("the shard is damaged", where=where, why=why, remedy=remedy)


class _Names:
    """The names of a line's documents, read a unit at a time."""

    def __init__(self, run: Path, line: ManifestLine) -> None:
        self._files = {unit_of(ref): run / ref.name for ref in line.documents}

    def of(self, keys: IntArray) -> pa.Table:
        """Give the name, unit and row of each document; the keys ascend."""
        units, rows = keys >> 31, keys & ((1 << 31) - 1)
        parts = []
        for unit in np.unique(units).tolist():
            here = rows[units == unit]
            parts.append(read_columns(self._files[unit], ["doc_id"]).take(pa.array(here)))
        names = pa.concat_tables(parts)["doc_id"].combine_chunks()
        return pa.table({"doc_id": names, "unit": pa.array(units, pa.int64()), "row": pa.array(rows, pa.int64())})
