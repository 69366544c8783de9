"""Hash steps that the kernels share; all arithmetic is modulo 2 to the 64th or 32nd power."""

from __future__ import annotations

import numpy as np

from headrace.schemas.compiled import part

BASE = np.uint64(0x9E3779B97F4A7C15)


@part
def mix64(value: np.uint64) -> np.uint64:
    """Spread a value over all its bits (the finalizer of MurmurHash3)."""
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))


@part
def rolled(value: np.uint64, item: np.uint64) -> np.uint64:
    """Append an item to a polynomial hash; the item that is n steps back leaves with `value -= base**n * item`."""
    return value * BASE + item
