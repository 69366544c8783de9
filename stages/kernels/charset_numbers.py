"""Signed numbers out of tables: numba takes a signed and an unsigned one together for a float."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.stages.kernels.compiled import part


@part
def number(value: Any) -> int:
    """Give an entry of an array, or a truth, as a signed number."""
    return np.int64(value)  # type: ignore[return-value]  # what an int is to numba
