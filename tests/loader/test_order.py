from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.loader.order import BLOCK, ORDER_VERSION, Permutation, keyed

WORD = (1 << 64) - 1


def slow(permutation: Permutation, position: int) -> int:
    """The readable twin: one position, Python's integers."""
    half = ((permutation.size - 1).bit_length() + 1) // 2
    mask = (1 << half) - 1
    while True:
        left, right = position >> half, position & mask
        for key in permutation.keys:
            left, right = right, left ^ (mixed(right ^ key) & mask)
        position = left << half | right
        if position < permutation.size:
            return position


def mixed(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


@given(st.integers(1, 3000), st.integers(-5, 2**70), st.integers(0, 9))
def test_every_position_has_its_own_sequence(size: int, seed: int, epoch: int) -> None:
    """The order is a bijection for every size, seed and epoch."""
    order = keyed(size, seed=seed, epoch=epoch, window=None).at(np.arange(size))
    assert np.array_equal(np.sort(order), np.arange(size))


@given(st.integers(2, 1 << 40), st.data())
def test_the_vector_form_equals_the_twin(size: int, data: st.DataObject) -> None:
    """Blocks of positions give what the scalar loop gives."""
    permutation = keyed(size, seed=1, epoch=0, window=3)
    positions = data.draw(st.lists(st.integers(0, size - 1), max_size=20))
    assert permutation.at(np.array(positions, np.int64)).tolist() == [slow(permutation, p) for p in positions]


def test_blocks_do_not_show() -> None:
    """A position's sequence does not depend on which positions are asked for with it."""
    permutation = keyed(BLOCK + 1000, seed=2, epoch=0, window=0)
    whole = permutation.at(np.arange(permutation.size))
    assert np.array_equal(permutation.at(np.arange(BLOCK - 10, BLOCK + 10)), whole[BLOCK - 10 : BLOCK + 10])


def test_the_order_of_this_version_never_changes() -> None:
    """Saved states rely on these numbers; whoever changes them raises ORDER_VERSION."""
    assert ORDER_VERSION == 1
    assert keyed(10, seed=7, epoch=0, window=2).at(np.arange(10)).tolist() == [5, 0, 8, 9, 3, 4, 1, 2, 6, 7]
    assert keyed(10, seed=7, epoch=1, window=None).at(np.arange(10)).tolist() == [6, 2, 3, 0, 8, 5, 1, 7, 4, 9]
    assert keyed(50_000_000, seed=7, epoch=1, window=None).at(np.array([0, 49_999_999])).tolist() == [
        27500949,
        19298471,
    ]


@pytest.mark.parametrize("change", [{"seed": 1}, {"epoch": 1}, {"window": 1}, {"window": None}])
def test_seed_epoch_and_window_each_give_another_order(change: dict[str, int | None]) -> None:
    """No two windows, epochs or seeds share an order."""
    usual: dict[str, int | None] = {"seed": 0, "epoch": 0, "window": 0}
    a = keyed(1000, **usual).at(np.arange(1000))  # type: ignore[arg-type]
    b = keyed(1000, **(usual | change)).at(np.arange(1000))  # type: ignore[arg-type]
    assert np.mean(a == b) < 0.02


def test_neighbours_are_scattered() -> None:
    """Neighbouring positions lie a third of the range apart on average, as in a random order."""
    order = keyed(48_828, seed=0, epoch=0, window=None).at(np.arange(48_828))
    assert abs(np.corrcoef(np.arange(len(order)), order)[0, 1]) < 0.02
    assert abs(np.abs(np.diff(order)).mean() / len(order) - 1 / 3) < 0.01
