"""The scan of JSON arrays beside a plain one, and beside what was written."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import text_buffers
from headrace.stages.kernels.json_array import array_elements, depth, long_numbers

VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('ab,[]{}"\\ 清'), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\,x', max_size=2), inner, max_size=3),
    max_leaves=6,
)


def levels(value: Any) -> int:
    """Count how deep a value goes, the slow way."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0


def scanned(data: bytes) -> tuple[list[bytes], list[int], int]:
    """Give elements, depths and the end."""
    begins, ends, depths, closed = array_elements(np.frombuffer(data, np.uint8))
    return [data[a:b] for a, b in zip(begins, ends, strict=True)], depths.tolist(), closed


@settings(deadline=None)
@given(values=st.lists(VALUES, min_size=1, max_size=6), indent=st.sampled_from([None, 1]))
def test_elements_are_those_that_were_written(values: list[Any], indent: int | None) -> None:
    """Commas and brackets inside strings and deeper down cut nothing."""
    data = json.dumps(values, ensure_ascii=False, indent=indent).encode()
    elements, depths, closed = scanned(b" " + data + b" x")
    assert [json.loads(element) for element in elements] == values
    assert depths == [levels(value) for value in values]
    assert closed == len(data) + 1
    assert depth(np.frombuffer(data, np.uint8)) == levels(values)


def test_what_is_no_array() -> None:
    """Missing elements are empty, and an array that is not closed ends at -1."""
    assert scanned(b"[1,,2]") == ([b"1", b"", b"2"], [0, 0, 0], 6)
    assert scanned(b"[]") == ([b""], [0], 2)
    assert scanned(b'[1, "a') == ([b"1", b' "a'], [0, 0], -1)
    assert scanned(b"[[[") == ([b"[["], [2], -1)


@settings(deadline=None)
@given(texts=st.lists(st.text("01a-9", max_size=12), max_size=5), digits=st.integers(1, 6))
def test_long_numbers_are_found(texts: list[str], digits: int) -> None:
    """A run of digits counts inside its own text, and runs of neighbours do not add up."""
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    wanted = [re.search(f"[0-9]{{{digits}}}", text) is not None for text in texts]
    assert long_numbers(data, offsets, digits).tolist() == wanted


@settings(deadline=None)
@given(data=st.binary(max_size=40).map(lambda data: b"[" + data))
def test_any_bytes_are_scanned(data: bytes) -> None:
    """Elements never overlap, and all stay inside the bytes."""
    begins, ends, depths, closed = array_elements(np.frombuffer(data, np.uint8))
    assert len(begins) == len(ends) == len(depths) >= 1
    assert (begins[1:] == ends[:-1] + 1).all()
    assert begins[0] == 1
    assert 1 <= ends[-1] <= len(data)
    assert closed in (-1, ends[-1] + 1)


def test_long_numbers_count_from_their_first_digit_to_the_texts_ends() -> None:
    """Nineteen digits are found wherever they stand in a text, eighteen nowhere, however many runs a text has."""
    run = "1234567890123456789"
    texts = [
        run,
        "x" + run,
        run + "x",
        "x" * 18 + run,
        "x" * 19 + run + "9",
        run[:18],
        f"{run[:18]}x{run[:18]}",
        "9" * 40,
    ]
    data, offsets = text_buffers(pa.array([*texts, "9" * 9, "9" * 10], pa.large_string()))
    assert long_numbers(data, offsets, 19).tolist() == [True] * 5 + [False] * 2 + [True] + [False] * 2
