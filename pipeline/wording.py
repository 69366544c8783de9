"""How numbers are written for people, on the terminal and in the report."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from headrace.schemas import numerals

exact = numerals.exact
# Control characters, and those that turn the direction of writing: names in somebody's archive may hold them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def cell(value: object) -> str:
    """Write one value: thousands apart, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)


def printable(text: str) -> str:
    r"""Write what a terminal would take for a command, or for another line, as an escape.

    >>> printable("a\x1b[31m\nb 河")
    'a\\x1b[31m\\nb 河'
    """
    return _UNPRINTABLE.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text)


def shell_word(word: str) -> str:
    """Write one word of a command line to be typed; double quotes around single ones, as a person would.

    >>> print(shell_word("words < 50"), shell_word("language == 'zh'"), shell_word("clean.a=1"))
    'words < 50' "language == 'zh'" clean.a=1
    """
    plain = "'" in word and not any(sign in word for sign in '"$`\\!')
    return f'"{word}"' if plain else shlex.quote(word)


def size_words(size: int) -> str:
    """Write a size in bytes.

    >>> size_words(1_234_567), size_words(12_300), size_words(999)
    ('1.23 MB', '12.3 kB', '999 B')
    """
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if size >= 10**power:
            return f"{size / 10**power:,.3g} {unit}" if size < 10 ** (power + 3) else f"{size / 10**power:,.0f} {unit}"
    return f"{size} B"


def percent(share: float) -> str:
    """Write a share.

    >>> percent(0.3), percent(0.41234), percent(0.00012)
    ('30 %', '41.2 %', '0.012 %')
    """
    return f"{100 * share:.3g} %"


def rate_words(rate: Mapping[str, float] | None) -> str:
    """Write a rate with its interval; nothing for one that is not known.

    >>> rate_words({"rate": 0.012, "low": 0.0069, "high": 0.0208})
    '1.2 % (0.69 to 2.1)'
    >>> rate_words({"rate": 0.25, "low": 0.25, "high": 0.25})
    '25 %'
    """
    if rate is None:
        return "not known"
    share, low, high = (_percentage(100 * rate[name]) for name in ("rate", "low", "high"))
    return f"{share} %" if rate["low"] == rate["high"] else f"{share} % ({low} to {high})"


def _percentage(share: float) -> str:
    """Write a measured percentage: more digits than these say nothing of a sample."""
    return f"{share:.2g}" if share < 10 else f"{share:.3g}"
