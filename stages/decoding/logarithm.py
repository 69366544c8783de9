"""Logarithms in whole numbers, so that a table built on one machine is, bit for bit, the table of every other.

The C library's logarithm may differ in its last bit between machines, and a sum of floats depends on its order. Scores
are therefore integers in centinats (hundredths of a natural logarithm), and these come from integer arithmetic alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

CENTINATS = 100
_FRACTION = 16  # binary digits kept of a logarithm to base 2
_CENTINATS_A_BIT = 4_542_610  # 100 * ln 2 * 2**16

Whole = npt.NDArray[np.int64]


def log_ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Whole:
    """Give the natural logarithm of part / whole in centinats, for positive whole numbers below 2**62.

    >>> log_ratio([1, 1, 3], [1, 1000, 2]).tolist()  # 100 * ln 1.5 = 40.5
    [0, -691, 41]
    """
    bits = _log2(np.asarray(part, np.uint64)) - _log2(np.asarray(whole, np.uint64))
    scaled: Whole = bits * _CENTINATS_A_BIT
    return (scaled + (1 << (2 * _FRACTION - 1))) >> (2 * _FRACTION)


def _log2(values: npt.NDArray[np.uint64]) -> Whole:
    """Give the logarithm to base 2 with 16 binary digits, by squaring: each squaring brings out one digit."""
    one = np.uint64(1)
    exponent = np.zeros(values.shape, np.uint64)
    rest = values.copy()
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >= (one << np.uint64(step))
        exponent += large.astype(np.uint64) * np.uint64(step)
        rest = np.where(large, rest >> np.uint64(step), rest)
    shift = exponent.astype(np.int64) - 31
    mantissa = np.where(
        shift > 0,
        values >> np.maximum(shift, 0).astype(np.uint64),
        values << np.maximum(-shift, 0).astype(np.uint64),
    )  # 1 to 2, as a fixed-point number with 31 binary digits
    digits = np.zeros(values.shape, np.uint64)
    for _ in range(_FRACTION):
        mantissa = (mantissa * mantissa) >> np.uint64(31)
        carry = mantissa >> np.uint64(32)
        digits = (digits << one) | carry
        mantissa >>= carry
    return (exponent << np.uint64(_FRACTION) | digits).astype(np.int64)
