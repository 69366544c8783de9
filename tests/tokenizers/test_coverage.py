from __future__ import annotations

import numpy as np
import pytest

from headrace.tokenizers.coverage import choose_characters, without_rare

LINES = ["aaaa bb", "水\tc\u0301", "aa水"]
ENCODED = [line.encode() for line in LINES]


def characters(share: float, most: int) -> str:
    coverage = choose_characters(ENCODED, share, most)
    return "".join(map(chr, np.flatnonzero(coverage.covered)))


@pytest.mark.parametrize(
    ("share", "most", "expected"),
    [
        (1.0, 99, " abc\u0301水"),  # everything but tabs and line feeds
        (0.5, 99, "ab"),  # 6 of 13 characters are not enough
        (0.46, 99, "a"),
        (0.6, 99, "ab"),
        (1.0, 2, "ab"),  # b and 水 are as frequent: the smaller code point comes first
        (1e-9, 99, "a"),
    ],
)
def test_the_most_frequent_characters_are_covered(share: float, most: int, expected: str) -> None:
    """As many as the share asks for and as may be, by count and then by code point."""
    assert characters(share, most) == expected


def test_the_share_is_what_was_covered() -> None:
    """The share counts characters, tabs left out."""
    assert choose_characters(ENCODED, 1.0, 99).share == 1.0
    assert choose_characters(ENCODED, 1.0, 1).share == pytest.approx(6 / 13)


def test_rare_characters_become_tabs() -> None:
    """Lines stay lines; what is not covered becomes the character that no piece crosses."""
    coverage = choose_characters(ENCODED, 1.0, 2)
    assert [line.decode() for line in without_rare(ENCODED, coverage)] == ["aaaa\tbb", "\t\t\t\t", "aa\t"]
