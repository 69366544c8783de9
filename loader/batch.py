"""The batch a trainer receives, and the blocks of shards it is gathered from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headrace.loader.order import IntArray
from headrace.schemas.errors import FormatError

PIECES = ("piece_ends", "piece_units", "piece_rows", "piece_starts")
Array = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Rows of a shard as views of its memory: nothing is copied until rows are taken."""

    tokens: Array  # [rows, sequence_length]
    lengths: Array  # [rows]
    offsets: Array  # [rows + 1]: the pieces of row i are [offsets[i], offsets[i + 1])
    pieces: tuple[Array, ...]  # in the order of PIECES
    owner: object  # what must stay open while the views are used

    @classmethod
    def of(cls, batch: pa.RecordBatch, where: str, *, owner: object = None) -> Block:
        """View one Arrow batch of a shard."""
        lists: list[pa.ListArray[Any]] = [batch.column(name) for name in PIECES]  # type: ignore[misc]
        ids: pa.FixedSizeListArray[Any, Any] = batch.column("tokens")  # type: ignore[assignment]
        offsets = [np.asarray(column.offsets) for column in lists]
        if any(not np.array_equal(offsets[0], other) for other in offsets[1:]):
            why = "the piece columns have different lengths"
            raise FormatError("not a token shard of Headrace", where=where, why=why, remedy="write the run again")
        tokens = np.asarray(ids.flatten()).reshape(batch.num_rows, -1)
        lengths, pieces = np.asarray(batch.column("length")), tuple(np.asarray(column.values) for column in lists)
        return cls(tokens, lengths, offsets[0], pieces, owner)


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Rows of a block, and where they stand in the batch."""

    block: Block
    rows: IntArray
    places: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """One rank's share of a global batch.

    `samples` are the sequences' numbers in the run, -1 where padding stands in for one that is skipped or missing. The
    pieces of row i are [piece_offsets[i], piece_offsets[i + 1]) of the piece arrays (`schemas.shard` says what they
    mean). `consumed` counts the samples of the epoch, over all ranks, up to and including this batch.
    """

    tokens: IntArray  # [rows, sequence_length]
    lengths: npt.NDArray[np.int32]  # tokens that are not padding
    samples: IntArray
    epoch: int
    consumed: int
    piece_offsets: IntArray
    piece_ends: IntArray
    piece_units: IntArray
    piece_rows: IntArray
    piece_starts: IntArray
    tombstones: int = 0  # revision of the tombstones that the batch respects; 0 = nothing is forgotten in the run

    def segments(self) -> npt.NDArray[np.int32]:
        """Give, for each token, the number of its piece in the sequence; -1 for padding."""
        pieces = np.cumsum(self._begins(), axis=1, dtype=np.int32)
        pieces[self._columns() >= self.lengths[:, None]] = -1
        return pieces

    def positions(self) -> IntArray:
        """Give, for each token, how many tokens of its piece lie before it."""
        columns = np.broadcast_to(self._columns(), self.tokens.shape)
        return columns - np.maximum.accumulate(np.where(self._begins(), columns, 0), axis=1)

    def _begins(self) -> npt.NDArray[np.bool_]:
        rows = np.repeat(np.arange(len(self.tokens)), np.diff(self.piece_offsets))
        begins = np.zeros((len(self.tokens), self.tokens.shape[1] + 1), np.bool_)
        begins[rows, self.piece_ends] = True
        return begins[:, :-1]

    def _columns(self) -> IntArray:
        return np.arange(self.tokens.shape[1])


def assemble(
    taken: Iterable[Taken],
    samples: IntArray,
    *,
    sequence_length: int,
    pad_id: int,
    epoch: int,
    consumed: int,
    tombstones: int = 0,
) -> Batch:
    """Copy the rows of some blocks into one batch; rows that no block gives are padding."""
    groups = list(taken)
    tokens = np.empty((len(samples), sequence_length), np.int64)
    tokens[samples < 0] = pad_id
    lengths = np.zeros(len(samples), np.int32)
    for g in groups:
        tokens[g.places] = g.block.tokens[g.rows]
        lengths[g.places] = g.block.lengths[g.rows]
    offsets, (ends, units, rows, starts) = _pieces(groups, len(samples))
    return Batch(tokens, lengths, samples, epoch, consumed, offsets, ends, units, rows, starts, tombstones)


def _pieces(groups: list[Taken], size: int) -> tuple[IntArray, list[IntArray]]:
    """Gather the pieces block by block, then bring them into the order of the batch.

    A shuffled batch takes about one row from each block, so the work for a block is a single look-up for each column.
    """
    none = np.empty(0, np.int64)
    firsts = np.concatenate([none, *(g.block.offsets[g.rows] for g in groups)])
    counts = np.concatenate([none, *(g.block.offsets[g.rows + 1] for g in groups)]) - firsts
    places = np.concatenate([none, *(g.places for g in groups)])
    begins = np.concatenate([[0], np.cumsum(counts)])
    borders = begins[np.cumsum([len(g.rows) for g in groups[:-1]], dtype=np.int64)]
    looked_up = list(zip(groups, np.split(_ramps(firsts, counts), borders), strict=True)) if groups else []

    counts_at, begins_at = np.zeros(size, np.int64), np.zeros(size, np.int64)
    counts_at[places], begins_at[places] = counts, begins[:-1]
    order = _ramps(begins_at, counts_at)
    columns = range(len(PIECES))
    gathered = [np.concatenate([none, *(g.block.pieces[column][at] for g, at in looked_up)]) for column in columns]
    return np.concatenate([[0], np.cumsum(counts_at)]), [column[order] for column in gathered]


def _ramps(firsts: IntArray, counts: IntArray) -> IntArray:
    """Give first, first + 1, ... for each first, as many as its count."""
    ends = np.cumsum(counts)
    return np.repeat(firsts - (ends - counts), counts) + np.arange(ends[-1] if ends.size else 0)
