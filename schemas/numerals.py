"""How measured numbers are written, in the details of verdicts as on the terminal and in the report."""

from __future__ import annotations

_WHOLE = 1e15  # whole numbers below are written as such


def exact(value: float) -> str:
    """Write a measured number with all its digits, so that it can be compared and typed again; whole ones without .0.

    >>> exact(0.1 + 0.2), exact(1200.0), exact(1e-7), exact(1e15)
    ('0.30000000000000004', '1200', '1e-07', '1000000000000000.0')
    """
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < _WHOLE else repr(number)
