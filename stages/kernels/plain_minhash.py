"""MinHash in plain Python: slow, readable, and what the tests compare the kernels with."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.stages.kernels.characters import HAN, UNSPACED
from headrace.stages.kernels.plain import is_letter, kind, tokens

_M64, _M32 = (1 << 64) - 1, (1 << 32) - 1
_BASE = 0x9E3779B97F4A7C15


def shingle_hashes(view: str, unit: str, size: int) -> list[int]:
    """Give the 32-bit hash of every stretch of `size` characters or words; fewer make one stretch."""
    values = [_mix64(value) for value in _items(view, unit)]
    size = min(size, len(values))
    stretches = [values[i : i + size] for i in range(len(values) - size + 1)] if values else []
    return [_mix64(_polynomial(stretch)) & _M32 for stretch in stretches]


def signature(hashes: Sequence[int], a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Give the smallest value of the hashes under each permutation; the largest one there is for no hashes."""
    mixed = [_mix32(value) for value in hashes]
    return [
        min([(factor * value + addend) & _M32 for value in mixed], default=_M32)
        for factor, addend in zip(a, b, strict=True)
    ]


def _items(view: str, unit: str) -> list[int]:
    words = [_polynomial([ord(c) for c in token]) for token in tokens(view)]
    by_words = unit == "words" or (unit == "auto" and not _by_characters(view))
    return words if by_words and words else [ord(c) for c in view]


def _by_characters(view: str) -> bool:
    unspaced = sum(kind(c) in (HAN, UNSPACED) for c in view)
    return unspaced > 0 and sum(map(is_letter, view)) <= 2 * unspaced


def _polynomial(values: Sequence[int]) -> int:
    total = 0
    for value in values:
        total = (total * _BASE + value) & _M64
    return total


def _mix64(value: int) -> int:
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & _M64
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & _M64
    return value ^ value >> 33


def _mix32(value: int) -> int:
    value ^= value >> 16
    value = value * 0x85EBCA6B & _M32
    value ^= value >> 13
    value = value * 0xC2B2AE35 & _M32
    return value ^ value >> 16
