"""How numbers are written: in one piece, in groups, or digit by digit, with dashes, spaces or dots between them.

All patterns are of the view, in which full-width forms, case and white space are folded already.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

DASH = "[-‐‒–—―−]"
DASHED, SPACED, DOTTED = f" ?{DASH} ?", " ", r"\."
JOINT = f"(?: ?{DASH} ?| )"
DIGIT = r"\d"
OPENING = r'[(【\["“「]'  # what may open behind a word and before its number
WORD = "0123456789abcdefghijklmnopqrstuvwxyz"


def either(*patterns: str) -> str:
    """Give a pattern of one of several."""
    return "(?:" + "|".join(patterns) + ")"


def grouped(digits: Sequence[str], *shapes: str, joints: Sequence[str] = (DASHED, SPACED)) -> str:
    r"""Give a pattern of digits in groups, with one kind of joint between them.

    >>> grouped(["1", *3 * ["\\d"]], "4", "2-2", joints=[" "])
    '(?:1\\d\\d\\d|1\\d \\d\\d)'
    """
    found = []
    for shape in shapes:
        bounds = [0, *accumulate(int(size) for size in shape.split("-"))]
        groups = ["".join(digits[first:last]) for first, last in pairwise(bounds)]
        found += [joint.join(groups) for joint in joints] if len(groups) > 1 else groups
    return either(*found)


def singly(digits: Sequence[str]) -> str:
    """Give a pattern of digits that all have a space, or all have a dash, between them."""
    return either(*(joint.join(digits) for joint in (DASHED, SPACED)))
