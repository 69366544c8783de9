"""The order of the samples as arithmetic: position -> sequence, by a keyed permutation that needs no memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
WordArray = npt.NDArray[np.uint64]

ORDER_VERSION = 1  # part of every saved state: raise it when any position of any order changes
ROUNDS = 6
BLOCK = 1 << 14  # positions computed together: the temporaries stay in the processor's cache

_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)  # splitmix64's mixing steps
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, slots=True)
class Permutation:
    """A bijection on range(size): a balanced Feistel network over the next even power of two, walked until inside.

    The network's domain is at most four times `size`, so a position takes less than four passes on average.
    """

    size: int
    keys: tuple[int, ...]

    def at(self, positions: IntArray) -> IntArray:
        """Give the image of each position.

        >>> keyed(5, seed=0, epoch=0, window=0).at(np.arange(5)).tolist()
        [3, 0, 2, 1, 4]
        """
        if self.size < 2:
            return positions.copy()
        blocks = range(0, len(positions), BLOCK)
        return np.concatenate([self._walk(positions[b : b + BLOCK]) for b in blocks] or [positions])

    def _walk(self, positions: IntArray) -> IntArray:
        result = self._network(positions.astype(np.uint64))
        while (outside := np.flatnonzero(result >= self.size)).size:
            result[outside] = self._network(result[outside])
        return result.astype(np.int64)

    def _network(self, values: WordArray) -> WordArray:
        half = np.uint64(((self.size - 1).bit_length() + 1) // 2)
        mask = np.uint64((1 << int(half)) - 1)
        left, right = values >> half, values & mask
        for key in self.keys:
            left, right = right, left ^ (_mixed(right ^ np.uint64(key)) & mask)
        return (left << half) | right


def _mixed(words: WordArray) -> WordArray:
    words = (words ^ (words >> np.uint64(30))) * _MULTIPLIER_1
    words = (words ^ (words >> np.uint64(27))) * _MULTIPLIER_2
    return words ^ (words >> np.uint64(31))


def keyed(size: int, *, seed: int, epoch: int, window: int | None) -> Permutation:
    """Give the permutation of one window of the first epoch, or (`window` None) of a whole epoch."""
    name = f"headrace.order.{ORDER_VERSION}/{seed}/{epoch}/{'whole' if window is None else window}"
    digest = hashlib.blake2b(name.encode(), digest_size=8 * ROUNDS).digest()
    return Permutation(size, tuple(np.frombuffer(digest, "<u8").tolist()))
