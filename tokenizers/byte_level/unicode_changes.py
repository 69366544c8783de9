"""Characters that the fast engine knows by a newer Unicode than the libraries whose ids count.

gigatoken 0.10.0 knows Unicode 17; tokenizers 0.23.3 and tiktoken 0.14.0 know Unicode 16 and take its 4,699 new letters,
digits and marks for signs, so that words are cut elsewhere. NFC in tokenizers knows Unicode 9: newer marks keep their
place and newer letters are not composed. Documents with such a character go through the library.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from headrace.schemas.arrays import Bytes, CodePoints, Flags, Offsets, read_only
from headrace.tokenizers.kernels.code_points import texts_with

# First and last code point; tests/tokenizers/byte_level/test_unicode_changes.py finds them again, one by one.
# fmt: off
CLASSES = (
    (0x088F, 0x088F), (0x0C5C, 0x0C5C), (0x0CDC, 0x0CDC), (0x1ACF, 0x1ADD), (0x1AE0, 0x1AEB), (0xA7CE, 0xA7CF),
    (0xA7D2, 0xA7D2), (0xA7D4, 0xA7D4), (0xA7F1, 0xA7F1), (0x10940, 0x10959), (0x10EC5, 0x10EC7), (0x10EFA, 0x10EFB),
    (0x11B60, 0x11B67), (0x11DB0, 0x11DDB), (0x11DE0, 0x11DE9), (0x16EA0, 0x16EB8), (0x16EBB, 0x16ED3),
    (0x16FF2, 0x16FF6), (0x187F8, 0x187FF), (0x18D09, 0x18D1E), (0x18D80, 0x18DF2), (0x1E6C0, 0x1E6DE),
    (0x1E6E0, 0x1E6F5), (0x1E6FE, 0x1E6FF), (0x2B73A, 0x2B73F), (0x2CEA2, 0x2CEAD), (0x323B0, 0x33479),
)
# Marks with a place in the order of marks, and the blocks of letters that are composed since.
COMPOSED = (
    (0x07FD, 0x07FD), (0x0897, 0x089F), (0x08CA, 0x08D3), (0x09FE, 0x09FE), (0x0C3C, 0x0C3C), (0x0D3B, 0x0D3C),
    (0x0EBA, 0x0EBA), (0x1715, 0x1715), (0x1ABF, 0x1ACE), (0x1DF6, 0x1DFA), (0xA82C, 0xA82C), (0x105C0, 0x105FF),
    (0x10D24, 0x10D27), (0x10D69, 0x10D6D), (0x10EAB, 0x10EAC), (0x10EFD, 0x10EFF), (0x10F46, 0x10F50),
    (0x10F82, 0x10F85), (0x11070, 0x11070), (0x1133B, 0x1133B), (0x11380, 0x113FF), (0x1145E, 0x1145E),
    (0x11839, 0x1183A), (0x11900, 0x1195F), (0x119E0, 0x119E0), (0x11A34, 0x11A34), (0x11A47, 0x11A47),
    (0x11A99, 0x11A99), (0x11D42, 0x11D42), (0x11D44, 0x11D45), (0x11D97, 0x11D97), (0x11F41, 0x11F42),
    (0x16100, 0x1613F), (0x16D40, 0x16D7F), (0x16FF0, 0x16FF1), (0x1E08F, 0x1E08F), (0x1E130, 0x1E136),
    (0x1E2AE, 0x1E2AE), (0x1E2EC, 0x1E2EF), (0x1E4EC, 0x1E4EF), (0x1E5EE, 0x1E5EF),
)
# fmt: on


def changed_texts(data: Bytes, offsets: Offsets, *, composed: bool) -> Flags:
    """Say for each text whether the fast engine may cut it, or with `composed` compose it, as the library does not."""
    return texts_with(data, offsets, *_ranges(composed))


@cache
def _ranges(composed: bool) -> tuple[CodePoints, CodePoints, Bytes]:  # noqa: FBT001 - cached by its one argument
    ranges = sorted(CLASSES + COMPOSED if composed else CLASSES)
    firsts, lasts = np.array(ranges, np.uint32).T.copy()
    leads = {lead for first, last in ranges for lead in range(chr(first).encode()[0], chr(last).encode()[0] + 1)}
    five = np.resize(np.array(sorted(leads), np.uint8), 5)
    five.sort()
    return read_only(firsts), read_only(lasts), read_only(five)
