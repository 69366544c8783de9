"""EBCDIC, the charset of mainframes: no page of the race reads it, and Cyrillic ones read it as something.

Told by where its letters and its space lie, which no other text uses like that. The pages for Western languages differ
in accented letters and a few signs; which of them it is cannot be told from a text without those.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Flags, read_only

CP037, CP500 = "cp037", "cp500"  # of the United States, and the international one, with other brackets
_SHORTEST = 8
_SPACE = 0x40
# Shares of all bytes, save that of letters and digits, which is among those that are no space, and of common letters.
_LEAST_KNOWN, _LEAST_WORDS, _LEAST_SPACE, _MOST_SPACE, _LEAST_COMMON = 0.85, 0.6, 0.04, 0.9, 0.3
_MOST_SURE = 0.99
_CUT = 3  # bytes of a character of UTF-8 that the end of a head may tear


def _flags(characters: str) -> Flags:
    flags = np.zeros(256, np.bool_)
    flags[list(characters.encode(CP037))] = True
    return read_only(flags)


_LETTERS = _flags("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_COMMON = _flags("etaoinrsETAOINRS")
_WORDS = _flags("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
# Of control characters the line ends: 0x15, 0x25 and the CR that all charsets share; LF is what a transfer put in.
_KNOWN = read_only(_WORDS | _flags(" .,:;!?-'\"()/+=*&%$#_<>\x85\n\r\t\x8e"))


def may_be_ebcdic(head: bytes) -> bool:
    """Tell whether a text has the space of EBCDIC more than once, the @ of other charsets: cheap, and mostly no."""
    return head.count(_SPACE) > 1


def ebcdic_lines(head: bytes) -> bool:
    """Tell whether some lines are EBCDIC and all others UTF-8, but for a last one that may be cut."""
    lines = head.split(b"\n")
    odd = [may_be_ebcdic(line) and ebcdic_page(line) is not None for line in lines]
    if not any(odd):
        return False
    rest = b"\n".join(line for line, is_odd in zip(lines, odd, strict=True) if not is_odd)
    return len(rest.decode(errors="ignore").encode()) + _CUT >= len(rest)


def ebcdic_page(head: bytes) -> tuple[str, float] | None:
    """Give the page of a text in EBCDIC and how sure that is, None for any other text.

    >>> ebcdic_page("The old mill had seven wheels.".encode("cp037"))
    ('cp037', 0.99)
    >>> ebcdic_page("У старой мельницы было семь колёс.".encode("cp866"))
    """
    size = len(head)
    if size < _SHORTEST or not _LEAST_SPACE * size <= head.count(_SPACE) <= _MOST_SPACE * size:
        return None
    counts = np.bincount(np.frombuffer(head, np.uint8), minlength=256)
    known, letters = int(counts[_KNOWN].sum()), int(counts[_LETTERS].sum())
    if known < _LEAST_KNOWN * size or counts[_WORDS].sum() < _LEAST_WORDS * (size - counts[_SPACE]):
        return None
    if counts[_COMMON].sum() < _LEAST_COMMON * letters:
        return None
    brackets = counts[0x4A] == counts[0x5A] > 0 and not counts[[0xBA, 0xBB]].any()
    return CP500 if brackets else CP037, round(min(_MOST_SURE, known / size), 3)
