"""Keys and letters of lines in plain Python: MurmurHash3_x64_128 as its author wrote it down, with any seed."""

from __future__ import annotations

from headrace.schemas.arrays import Classes
from headrace.stages.kernels.characters import DIGIT, HAN, UNSPACED
from headrace.stages.kernels.line_keys import BLANK, DENSE

_MASK = (1 << 64) - 1
_ONE, _TWO = 0x87C37B91114253D5, 0x4CF5AD432745937F


def plain_key(data: bytes, seed: int = 0) -> tuple[int, int]:
    """Hash bytes to twice 64 bits."""
    one = two = seed
    whole = len(data) - len(data) % 16
    for at in range(0, whole, 16):
        one ^= _mixed(int.from_bytes(data[at : at + 8], "little"), _ONE, 31, _TWO)
        one = ((_turned(one, 27) + two) * 5 + 0x52DCE729) & _MASK
        two ^= _mixed(int.from_bytes(data[at + 8 : at + 16], "little"), _TWO, 33, _ONE)
        two = ((_turned(two, 31) + one) * 5 + 0x38495AB5) & _MASK
    one ^= _mixed(int.from_bytes(data[whole : whole + 8], "little"), _ONE, 31, _TWO)
    two ^= _mixed(int.from_bytes(data[whole + 8 :], "little"), _TWO, 33, _ONE)
    one, two = one ^ len(data), two ^ len(data)
    one = (one + two) & _MASK
    two = (two + one) & _MASK
    one, two = _finished(one), _finished(two)
    one = (one + two) & _MASK
    return one, (two + one) & _MASK


def plain_letters(view: str, classes: Classes) -> int:
    """Count letters and digits, those of scripts without spaces as three; BLANK for an empty view."""
    kinds = [int(classes[ord(character)]) for character in view]
    return sum(DENSE if kind <= UNSPACED else 1 for kind in kinds if HAN <= kind <= DIGIT) if view else BLANK


def _mixed(value: int, before: int, bits: int, after: int) -> int:
    return _turned(value * before & _MASK, bits) * after & _MASK


def _turned(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _finished(value: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & _MASK
    return value ^ value >> 33
