"""Rows as they are cut into files: in order, none lost, none twice, and no file larger than asked for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from headrace.pipeline.exporting.rows import Rows, files, joined, offsets_of, taken


def rows(lengths: list[int], first: int, padding: int = 0) -> Rows:
    """Give rows of these lengths whose ids count on from `first`; each ends after one token and at its own end."""
    sizes = np.array(lengths, np.int64)
    ids = np.arange(first, first + int((sizes + padding).sum()), dtype=np.uint32)
    ends = np.stack([np.ones(len(sizes)), sizes], axis=1).astype(np.int32).reshape(-1)
    origins = pa.table({"n": pa.array(range(len(sizes)), pa.int64())})
    return Rows(ids, offsets_of(sizes + padding), sizes, ends, np.arange(len(sizes) + 1) * 2, origins)


@given(st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=12), min_size=1, max_size=6), st.integers(1, 600))
def test_files_hold_all_rows_in_order(blocks: list[list[int]], file_bytes: int) -> None:
    """Joined again, the files are the stream; each is within the limit, or holds a single row."""
    first, stream = 0, []
    for lengths in blocks:
        stream.append(rows(lengths, first))
        first += sum(lengths)
    parts = list(files(iter(stream), file_bytes))
    whole, again = joined(stream), joined(parts)
    for name in ("ids", "offsets", "lengths", "ends", "end_offsets"):
        assert getattr(again, name).tolist() == getattr(whole, name).tolist()
    assert again.origins.equals(whole.origins)
    for part in parts:
        assert part.count == 1 or len(part.ids) * 4 + len(part.ends) * 4 + part.count * 16 <= file_bytes
    for one, two in pairwise(parts):
        assert len(one.ids) * 4 + one.count * 24 + int(two.lengths[0]) * 4 + 24 > file_bytes


def test_padding_goes() -> None:
    """Without padding each row has its first ids."""
    assert rows([2, 1], 0, padding=2).without_padding().tolist() == [0, 1, 4]
    assert rows([2, 1], 0).without_padding().tolist() == [0, 1, 2]


def test_taken_rows() -> None:
    """Values of rows that are kept move up; offsets may begin anywhere."""
    values, offsets = taken(np.arange(9, dtype=np.int32), np.array([2, 4, 4, 7]), np.array([True, True, False]))
    assert (values.tolist(), offsets.tolist()) == ([2, 3], [0, 2, 2])
