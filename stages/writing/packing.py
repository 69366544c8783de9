"""Where every token goes: documents are cut into pieces and the pieces are laid into sequences of one length.

Nothing is lost and nothing doubled. `best_fit` keeps documents whole up to the sequence length and pads; `concat` pads
the last sequence only and cuts documents wherever a sequence ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from headrace.stages.writing.packing_kernels import best_fit

Packing: TypeAlias = Literal["best_fit", "concat"]
Int64s: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Packed:
    """The pieces in the order in which they lie: sequence by sequence, documents in order inside each."""

    documents: Int64s  # which document a piece is of
    starts: Int64s  # tokens of that document before the piece
    lengths: Int64s
    sequences: Int64s  # which sequence it lies in; never falls
    count: int  # number of sequences


def pack(lengths: Int64s, sequence_length: int, packing: Packing, window: int) -> Packed:
    """Lay documents of these lengths into sequences; documents without tokens have no piece."""
    if packing == "concat":
        return _concat(lengths, sequence_length)
    return _best_fit(lengths, sequence_length, window)


def _concat(lengths: Int64s, size: int) -> Packed:
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    begins = ends - lengths
    cuts = np.union1d(begins[lengths > 0], np.arange(0, total, size, dtype=np.int64))
    documents = np.searchsorted(ends, cuts, side="right").astype(np.int64)
    sizes = np.diff(cuts, append=np.int64(total))
    return Packed(documents, cuts - begins[documents], sizes, cuts // size, -(-total // size))


def _best_fit(lengths: Int64s, size: int, window: int) -> Packed:
    """Best fit decreasing: the pieces of `window` documents at a time, longest first, where each leaves the least room.

    A sequence is begun only for a piece that fits nowhere, so at most one sequence is half empty or worse: there are
    fewer than 2 * tokens / sequence_length + 1 of them.
    """
    documents, starts, sizes = _pieces(lengths, size)
    order = np.lexsort((-sizes, documents // window))  # stable: equal pieces stay in document order
    sequences, count = best_fit(sizes, order.astype(np.int64), size)
    sequences = _by_first_piece(sequences, count)
    lying = np.argsort(sequences, kind="stable")
    return Packed(documents[lying], starts[lying], sizes[lying], sequences[lying], count)


def _pieces(lengths: Int64s, size: int) -> tuple[Int64s, Int64s, Int64s]:
    """Cut documents longer than a sequence: full pieces, then the rest."""
    counts = -(-lengths // size)
    documents = np.repeat(np.arange(len(lengths), dtype=np.int64), counts)
    firsts = np.cumsum(counts) - counts
    starts = (np.arange(len(documents), dtype=np.int64) - firsts[documents]) * size
    return documents, starts, np.minimum(lengths[documents] - starts, size)


def _by_first_piece(sequences: Int64s, count: int) -> Int64s:
    """Number the sequences by the first piece in each, so that shards keep roughly the order of the documents."""
    first = np.full(count, len(sequences), np.int64)
    np.minimum.at(first, sequences, np.arange(len(sequences), dtype=np.int64))
    rank = np.empty(count, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(count, dtype=np.int64)
    return rank[sequences]
