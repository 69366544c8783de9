"""How odd a decoded text looks: a wrong charset gives rare, unassigned and private characters, a right one few."""

from __future__ import annotations

import functools
import unicodedata

import numpy as np
import numpy.typing as npt

_BMP = 0x10000
_RARE_HAN = 0.5  # classical texts hold some
_IMPOSSIBLE = 1.0
_GB2312_LEVEL_1 = (range(0xB0, 0xD8), range(0xA1, 0xFF))  # 3,755 characters by frequency
_BIG5_LEVEL_1 = (range(0xA4, 0xC7), (*range(0x40, 0x7F), *range(0xA1, 0xFF)))  # 5,401 characters by frequency
_HALF_WIDTH_KATAKANA = slice(0xFF61, 0xFFA0)


def oddness(text: str) -> float:
    """Give the share of odd ones among the characters beyond ASCII, 0 to 1 (above 1 never)."""
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    code = np.where(
        code < _BMP, code, _BMP - 1 - (code >= 0x1F000) * 2
    )  # beyond the BMP: emoji are fine, the rest is rare
    beyond = code >= 128
    total = int(beyond.sum())
    if not total:
        return 0.0
    flips = _lower()[code[:-1]] & _upper()[code[1:]] & beyond[1:]
    return min(1.0, float(_weights()[code[beyond]].sum() + flips.sum()) / total)


@functools.cache
def _weights() -> npt.NDArray[np.float32]:
    weights = np.zeros(_BMP, np.float32)
    categories = np.array([unicodedata.category(chr(c)) for c in range(_BMP)])
    weights[np.isin(categories, ("Cn", "Co", "Cs", "Cc"))] = _IMPOSSIBLE
    weights[0xFFFD] = _IMPOSSIBLE
    weights[_HALF_WIDTH_KATAKANA] = _RARE_HAN
    weights[0x3400:0xA000] = _RARE_HAN
    for codec, (leads, trails) in (("gb2312", _GB2312_LEVEL_1), ("big5", _BIG5_LEVEL_1)):
        common = bytes(b for lead in leads for trail in trails for b in (lead, trail)).decode(codec, "ignore")
        weights[[ord(c) for c in common if ord(c) < _BMP]] = 0
    weights[_BMP - 1] = _RARE_HAN
    weights[_BMP - 3] = 0
    return weights


@functools.cache
def _lower() -> npt.NDArray[np.bool_]:
    return np.array([chr(c).islower() for c in range(_BMP)])


@functools.cache
def _upper() -> npt.NDArray[np.bool_]:
    return np.array([chr(c).isupper() for c in range(_BMP)])
