"""Shingles, MinHash schemes and SimHash in plain Python: slow, readable, and what the tests compare kernels with."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.stages.kernels.characters import DIGIT, HAN, UNSPACED
from headrace.stages.kernels.plain import is_letter, kind, tokens

_M64, _M32, _PRIME = (1 << 64) - 1, (1 << 32) - 1, (1 << 61) - 1
_BASE = 0x9E3779B97F4A7C15


def shingle_hashes(view: str, unit: str, size: int, words: Sequence[str] = ()) -> list[int]:
    """Give the 64-bit hash of every stretch of `size` characters or words; of fewer that of the whole view.

    White space (a space, in a view) is no character: where lines are wrapped it stands within words.
    `words` are those of a text that the unit chinese_words takes by its words.
    """
    values = _items(view, unit, size, words)
    size = min(size, len(values))
    stretches = [values[i : i + size] for i in range(len(values) - size + 1)] if values else []
    return [mix64(_polynomial(stretch)) for stretch in stretches]


def _items(view: str, unit: str, size: int, words: Sequence[str]) -> list[int]:
    unspaced = by_characters(view)
    if unit == "words" or (unit in ("auto", "chinese_words") and not unspaced):
        words = tokens(view)
    found = [word for word in words if any(HAN <= kind(c) <= DIGIT for c in word)]
    if not found:
        return [mix64(ord(c)) for c in view if c > " "]
    return [_word_hash(word) for word in (found if len(found) >= size else [view])]


def by_characters(view: str) -> bool:
    """Tell whether at least half of the letters are of scripts that write no spaces between words."""
    unspaced = sum(kind(c) in (HAN, UNSPACED) for c in view)
    return unspaced > 0 and sum(map(is_letter, view)) <= 2 * unspaced


def _word_hash(word: str) -> int:
    value, data = 0, word.encode()
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at : at + 8], "little")) * _BASE & _M64
        value ^= value >> 32
    return value


def _polynomial(values: Sequence[int]) -> int:
    total = 0
    for value in values:
        total = (total * _BASE + value) & _M64
    return total


def affine32(hashes: Sequence[int], a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Give the signature of datasketch 2 of the lower halves of hashes."""
    mixed = [mix32(value & _M32) for value in hashes]
    return [min([(x * value + y) & _M32 for value in mixed], default=_M32) for x, y in zip(a, b, strict=True)]


def affine61(hashes: Sequence[int], a: Sequence[int], b: Sequence[int], mask: int) -> list[int]:
    """Give the signature of datasketch 1 (32 bits in the mask) or datatrove (64)."""
    return [
        min([((x * (value & mask) + y) & _M64) % _PRIME & mask for value in hashes], default=mask)
        for x, y in zip(a, b, strict=True)
    ]


def fast_sketch(hashes: Sequence[int], seed: int, slots: int) -> list[int]:
    """Give the fast similarity sketch."""
    found: dict[int, int] = {}
    for turn in range(2 * slots if hashes else 0):
        draws = [mix64((value + (seed + turn + 1) * _BASE) & _M64) for value in hashes]
        thrown: dict[int, int] = {}
        for drawn in draws:
            slot = ((drawn >> 32) * slots >> 32) if turn < slots else turn - slots
            thrown[slot] = min(thrown.get(slot, _M32), drawn & _M32)
        found = thrown | found
        if len(found) == slots:
            break
    return [found.get(slot, _M32) for slot in range(slots)]


def fingerprint(hashes: Sequence[int]) -> int:
    """Give the SimHash of hashes, each of which counts once."""
    unique = set(hashes)
    return sum(1 << bit for bit in range(64) if 2 * sum(value >> bit & 1 for value in unique) > len(unique))


def mix64(value: int) -> int:
    """Spread a value over its 64 bits."""
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & _M64
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & _M64
    return value ^ value >> 33


def mix32(value: int) -> int:
    """Spread a value over its 32 bits."""
    value ^= value >> 16
    value = value * 0x85EBCA6B & _M32
    value ^= value >> 13
    value = value * 0xC2B2AE35 & _M32
    return value ^ value >> 16
