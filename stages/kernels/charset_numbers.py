"""Numbers of one kind: numba takes a signed and an unsigned one together for a float.

Places that only grow are unsigned in the loops that are run for every character: a signed one might be negative and
count from the end, which each access to an array would have to look at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.schemas.compiled import part

ONE, TWO, THREE, BYTE = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(8)


@part
def number(value: Any) -> int:
    """Give an entry of an array, or a truth, as a signed number."""
    return np.int64(value)  # type: ignore[return-value]  # what an int is to numba


@part
def place(value: Any) -> np.uint64:
    """Give a place in an array as an unsigned number."""
    return np.uint64(value)
