"""Characters read out of four bytes at once are those that are decoded byte by byte, and those of Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headrace.schemas.arrays import Bytes, read_only
from headrace.schemas.compiled import kernel
from headrace.tokenizers.kernels.normalize_steps import decode_checked
from headrace.tokenizers.kernels.normalize_words import four_bytes, three_bytes, two_bytes

_POINTS = 0x110000


@kernel
def in_one_word(data: Bytes) -> tuple[int, int]:
    """Give the character beyond ASCII at the beginning of four bytes and its size, 0, 0 if there is none."""
    word = np.uint32(data[0]) | np.uint32(data[1]) << np.uint32(8)
    word |= np.uint32(data[2]) << np.uint32(16) | np.uint32(data[3]) << np.uint32(24)
    for size, (point, there) in enumerate((two_bytes(word), three_bytes(word), four_bytes(word))):
        if there:
            return np.int64(point), size + 2
    return 0, 0


@kernel
def byte_by_byte(data: Bytes) -> tuple[int, int]:
    """Give the character beyond ASCII at the beginning and its size, 0, 0 if there is none."""
    point, size = decode_checked(data, 0, len(data))
    return (point, size) if size > 1 else (0, 0)


def by_python(data: Bytes) -> tuple[int, int]:
    """Give the character beyond ASCII at the beginning and its size, 0, 0 if there is none."""
    for size in (2, 3, 4):
        try:
            return ord(data[:size].tobytes().decode()), size
        except (UnicodeDecodeError, TypeError):
            continue
    return 0, 0


ENGINES = [in_one_word, byte_by_byte, by_python]


@pytest.mark.parametrize("engine", ENGINES)
def test_known_characters(engine: object) -> None:
    """Accents, Chinese and emoji are read; ASCII, overlong forms, halves and numbers too large are none."""
    assert callable(engine)
    known = {"é": (0xE9, 2), "中": (0x4E2D, 3), "😀": (0x1F600, 4), "\U0010ffff": (0x10FFFF, 4), "ab": (0, 0)}
    for text, found in known.items():
        assert engine(word(text.encode())) == found
    for broken in (
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xe4\xb8",
        b"\x80\x80",
        b"\xff",
    ):
        assert engine(word(broken)) == (0, 0)


def word(text: bytes) -> Bytes:
    return read_only(np.frombuffer((text + b"...")[:4], np.uint8))


@given(st.binary(min_size=4, max_size=4), st.integers(0x80, _POINTS - 1))
@example(b"\xef\xbf\xbf.", 0xD7FF)
def test_all_three_agree(noise: bytes, point: int) -> None:
    """Any four bytes, and any character with anything behind it; surrogates the tables see to."""
    whole = chr(point).encode("utf-8", "surrogatepass")
    for text in (noise, (whole + noise)[:4], whole[:1] + noise[1:], whole[:2] + noise[2:]):
        found = in_one_word(word(text))
        if 0xD800 <= found[0] < 0xE000:
            found = (0, 0)
        assert found == byte_by_byte(word(text)) == by_python(word(text))
