"""The rows that an export writes: sequences as they were packed, or documents put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from headrace.loader.order import IntArray
from headrace.schemas.arrays import Flags, Offsets, text_buffers

Ids = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
DOC_ID = "doc_id"  # in `origins`, where rows are documents
_ROW_BYTES = 16  # what formats store beside the ids of a row, about


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows, one behind the other: row i has the ids `ids[offsets[i]:offsets[i + 1]]`.

    `lengths[i]` of them are tokens, the rest is padding. `ends[end_offsets[i]:end_offsets[i + 1]]` says where each
    piece of a document ends in row i. `origins` has a line for each row: where it comes from.
    """

    ids: Ids
    offsets: Offsets
    lengths: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int32]
    end_offsets: Offsets
    origins: pa.Table

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.lengths)

    @property
    def tokens(self) -> int:
        """Number of ids that are no padding."""
        return int(self.lengths.sum())

    def part(self, first: int, last: int) -> Rows:
        """Give the rows [first, last), sharing memory."""
        begin, end = self.offsets[first], self.offsets[last]
        ends_begin, ends_end = self.end_offsets[first], self.end_offsets[last]
        return Rows(
            self.ids[begin:end],
            self.offsets[first : last + 1] - begin,
            self.lengths[first:last],
            self.ends[ends_begin:ends_end],
            self.end_offsets[first : last + 1] - ends_begin,
            self.origins.slice(first, last - first),
        )

    def without_padding(self) -> Ids:
        """Give the ids of all rows without the padding."""
        sizes = np.diff(self.offsets)
        if np.array_equal(sizes, self.lengths):
            return self.ids
        inside = np.arange(len(self.ids)) - np.repeat(self.offsets[:-1], sizes)
        tokens: Ids = self.ids[inside < np.repeat(self.lengths, sizes)]
        return tokens


def joined(parts: Sequence[Rows]) -> Rows:
    """Give the rows of all parts in order."""
    if len(parts) == 1:
        return parts[0]
    return Rows(
        np.concatenate([p.ids for p in parts]),
        offsets_of(np.concatenate([np.diff(p.offsets) for p in parts])),
        np.concatenate([p.lengths for p in parts]),
        np.concatenate([p.ends for p in parts]),
        offsets_of(np.concatenate([np.diff(p.end_offsets) for p in parts])),
        pa.concat_tables([p.origins for p in parts]),
    )


def files(rows: Iterator[Rows], file_bytes: int) -> Iterator[Rows]:
    """Cut a stream of rows into those of each file, of about `file_bytes`; a longer row has a file of its own."""
    waiting: list[Rows] = []
    used = 0
    for block in rows:
        sizes = _stored_bytes(block)
        reach = np.cumsum(sizes)
        first = 0
        while first < block.count:
            before = int(reach[first] - sizes[first])
            last = int(np.searchsorted(reach, before + file_bytes - used, "right"))
            if last == first and not waiting:
                last = first + 1
            if last > first:
                waiting.append(block.part(first, last))
                used += int(reach[last - 1]) - before
            if last < block.count:
                yield joined(waiting)
                waiting, used = [], 0
            first = last
    if waiting:
        yield joined(waiting)


def _stored_bytes(rows: Rows) -> IntArray:
    """Give about how many bytes each row takes in a file: ids, ends, and the name that some formats store."""
    sizes: IntArray = np.diff(rows.offsets) * rows.ids.itemsize + np.diff(rows.end_offsets) * 4 + _ROW_BYTES
    if DOC_ID in rows.origins.column_names:
        _, offsets = text_buffers(rows.origins[DOC_ID])
        sizes += np.diff(offsets)
    return sizes


def taken(values: npt.NDArray[np.int32], offsets: Offsets, kept: Flags) -> tuple[npt.NDArray[np.int32], Offsets]:
    """Give the values of those rows that are kept, and where each row's begin."""
    counts = np.diff(offsets)
    inside: npt.NDArray[np.int32] = values[offsets[0] : offsets[-1]][np.repeat(kept, counts)]
    return inside, offsets_of(counts[kept])


def offsets_of(sizes: IntArray) -> Offsets:
    """Give where each item begins, and where the last one ends."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
