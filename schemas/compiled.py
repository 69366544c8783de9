"""How kernels are compiled: those that Python calls, and the parts of them that only kernels call.

A trap for those who change kernels: numba's cache notices changes of the file that a kernel is in, but not of the files
with its parts. Delete `__pycache__/*.nb*` after a change of a part that kernels in other files call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])
_njit: Any = njit  # its types know only some of its options


def kernel(function: F) -> F:
    """Give a function that is compiled at its first call; the code is kept on disk, for the next process."""
    compiled: F = _njit(nogil=True, cache=True)(function)
    return compiled


def part(function: F) -> F:
    """Give a function that kernels can call, but not Python: without the code for that a fifth less is compiled."""
    compiled: F = _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return compiled


def lean(function: F) -> F:
    """Give a part that makes no arrays: references to those that it is given are not counted.

    Counting them at each call took three quarters of the time of a look-up in a table.
    """
    compiled: F = _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function)
    return compiled


def inlined(function: F) -> F:
    """Give a part that is copied into its callers: in an inner loop a call would spend more on references."""
    compiled: F = _njit(nogil=True, inline="always")(function)
    return compiled
