"""How numbers are written for people, on the terminal and in the report."""

from __future__ import annotations


def cell(value: object) -> str:
    """Write one value: thousands apart, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)


def size_words(size: int) -> str:
    """Write a size in bytes.

    >>> size_words(1_234_567), size_words(12_300), size_words(999)
    ('1.23 MB', '12.3 kB', '999 B')
    """
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if size >= 10**power:
            return f"{size / 10**power:,.3g} {unit}" if size < 10 ** (power + 3) else f"{size / 10**power:,.0f} {unit}"
    return f"{size} B"
