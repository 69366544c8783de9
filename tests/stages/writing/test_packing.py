from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.writing import packing_kernels, packing_plain
from headrace.stages.writing.packing import Packed, Packing, pack

LENGTHS = st.lists(st.one_of(st.integers(0, 12), st.integers(0, 200)), max_size=60)
SIZES = st.sampled_from([2, 3, 7, 16, 64, 65, 130])
PACKINGS = st.sampled_from(["best_fit", "concat"])
MANY = settings(max_examples=300, deadline=None)


def packed(lengths: list[int], size: int, packing: Packing = "best_fit", window: int = 8) -> Packed:
    return pack(np.array(lengths, np.int64), size, packing, window)


@MANY
@given(LENGTHS, SIZES, PACKINGS, st.integers(1, 70))
def test_no_token_is_lost_or_doubled(lengths: list[int], size: int, packing: Packing, window: int) -> None:
    """The pieces of every document, put in order, cover it from its first token to its last exactly once."""
    result = packed(lengths, size, packing, window)
    assert min(result.lengths, default=1) > 0
    for document, length in enumerate(lengths):
        mine = np.flatnonzero(result.documents == document)
        order = mine[np.argsort(result.starts[mine])]
        ends = np.cumsum(result.lengths[order])
        assert result.starts[order].tolist() == [0, *ends[:-1].tolist()][: len(order)]
        assert (ends[-1] if len(ends) else 0) == length


@MANY
@given(LENGTHS, SIZES, PACKINGS, st.integers(1, 70))
def test_sequences_are_filled_in_order_and_never_overfull(
    lengths: list[int], size: int, packing: Packing, window: int
) -> None:
    """Sequences are numbered without a gap, hold 1 to `size` tokens, and keep documents in order inside."""
    result = packed(lengths, size, packing, window)
    assert np.unique(result.sequences).tolist() == list(range(result.count))
    assert (np.diff(result.sequences) >= 0).all()
    filled = np.bincount(result.sequences, result.lengths, result.count)
    assert ((filled >= 1) & (filled <= size)).all()
    same = np.diff(result.sequences) == 0
    assert (np.diff(result.documents)[same] > 0).all()


@MANY
@given(LENGTHS, SIZES, st.integers(1, 70))
def test_best_fit_cuts_only_what_is_too_long(lengths: list[int], size: int, window: int) -> None:
    """A document that fits into a sequence is whole; a longer one has full pieces and one rest."""
    result = packed(lengths, size, "best_fit", window)
    for document, length in enumerate(lengths):
        sizes = sorted(result.lengths[result.documents == document].tolist(), reverse=True)
        assert sizes == [size] * (length // size) + [length % size] * (length % size > 0)


@MANY
@given(LENGTHS, SIZES, st.integers(1, 70))
def test_at_most_one_sequence_is_half_empty(lengths: list[int], size: int, window: int) -> None:
    """The padding bound: all sequences but one hold more than half, so there are fewer than 2 * tokens / size + 1."""
    result = packed(lengths, size, "best_fit", window)
    filled = np.bincount(result.sequences, result.lengths, result.count)
    assert (filled * 2 <= size).sum() <= 1
    assert result.count < 2 * sum(lengths) / size + 1


@MANY
@given(LENGTHS, SIZES)
def test_concat_pads_the_last_sequence_only(lengths: list[int], size: int) -> None:
    """Concatenation needs as few sequences as there can be, all full but the last, in the order of the documents."""
    result = packed(lengths, size, "concat")
    assert result.count == -(-sum(lengths) // size)
    assert np.bincount(result.sequences, result.lengths, result.count)[:-1].tolist() == [size] * max(
        0, result.count - 1
    )
    assert (np.diff(result.documents) >= 0).all()


def test_best_fit_finds_the_tight_place() -> None:
    """Pieces of 6, 5, 3, 2 make two full sequences of 8, where first come first served would need three."""
    result = packed([5, 6, 2, 3], 8)
    assert result.count == 2
    assert [result.documents[result.sequences == s].tolist() for s in (0, 1)] == [[0, 3], [1, 2]]


def test_the_window_bounds_what_is_sorted() -> None:
    """With a window of one document the pieces are placed as they come."""
    one_by_one = packed([3, 3, 5, 5], 8, window=1)
    assert [one_by_one.documents[one_by_one.sequences == s].tolist() for s in range(one_by_one.count)] == [
        [0, 1],
        [2],
        [3],
    ]
    assert packed([3, 3, 5, 5], 8, window=4).count == 2


PIECES = st.lists(st.integers(1, 130), max_size=80)


@MANY
@given(PIECES, st.sampled_from([130, 131, 192, 256]), st.randoms(use_true_random=False))
def test_the_best_fit_kernel_is_its_twin(pieces: list[int], capacity: int, random: np.random.Generator) -> None:
    """Compiled and plain best fit place every piece alike."""
    order = list(range(len(pieces)))
    random.shuffle(order)
    arguments = np.array(pieces, np.int64), np.array(order, np.int64), capacity
    placed, count = packing_kernels.best_fit(*arguments)
    expected, expected_count = packing_plain.best_fit(*arguments)
    assert (placed.tolist(), count) == (expected.tolist(), expected_count)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
@given(PIECES)
def test_the_copy_kernel_is_its_twin(dtype: type, sizes: list[int]) -> None:
    """Compiled and plain copy put every id where it belongs."""
    lengths = np.array(sizes, np.int64)
    ids = np.arange(lengths.sum(), dtype=dtype)
    sources = np.cumsum(lengths) - lengths
    targets = lengths.sum() - np.cumsum(lengths)
    ours, plain = np.zeros_like(ids), np.zeros_like(ids)
    packing_kernels.copy_pieces(ids, sources, targets, lengths, ours)
    packing_plain.copy_pieces(ids, sources, targets, lengths, plain)
    assert np.array_equal(ours, plain)
