"""The loops of exporting against their readable twins, and against values that others have published."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.pipeline.exporting import plain
from headrace.pipeline.exporting.crc32c import crc32c_of
from headrace.pipeline.exporting.kernels import copy_bytes
from headrace.pipeline.exporting.ragged import Ragged, constant, numbers, side_by_side, varint_sizes, varints
from headrace.pipeline.exporting.rows import offsets_of
from headrace.schemas.arrays import read_only


def ragged(items: list[bytes]) -> Ragged:
    return Ragged(np.frombuffer(b"".join(items), np.uint8), offsets_of(np.array([len(i) for i in items], np.int64)))


def items_of(column: Ragged) -> list[bytes]:
    return [column.data[a:b].tobytes() for a, b in pairwise(column.offsets.tolist())]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_published_checksums(data: bytes, expected: int) -> None:
    """The check values of RFC 3720, appendix B.4, and of the catalogue of CRCs."""
    assert crc32c_of(ragged([data])).tolist() == plain.crc32c(ragged([data]).data, np.array([0, len(data)])).tolist()
    assert crc32c_of(ragged([data])).tolist() == [expected]


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=8))
def test_checksums(items: list[bytes]) -> None:
    """Eight bytes a step give what bit by bit does, whatever the lengths and where an item begins."""
    column = ragged(items)
    assert crc32c_of(column).tolist() == plain.crc32c(column.data, column.offsets).tolist()


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=8))
def test_copying(items: list[bytes]) -> None:
    """The compiled copy fills the same places as the plain one."""
    column = ragged(items)
    sizes = np.diff(column.offsets)
    order = np.random.default_rng(len(items)).permutation(len(items))
    targets = (np.cumsum(sizes[order]) - sizes[order])[np.argsort(order)]
    outs = [np.zeros(len(column.data), np.uint8) for _ in range(2)]
    copy_bytes(read_only(column.data), read_only(column.offsets[:-1]), targets, sizes, outs[0])
    plain.copy_bytes(column.data, column.offsets[:-1], targets, sizes, outs[1])
    assert outs[0].tolist() == outs[1].tolist()
    assert outs[0].tobytes() == b"".join(items[i] for i in order)


@given(st.lists(st.integers(0, (1 << 63) - 1), min_size=1, max_size=20))
def test_varints(values: list[int]) -> None:
    """Numbers are written seven bits a byte, the low ones first, and read back the same."""

    def read(data: bytes) -> int:
        assert [byte >= 0x80 for byte in data] == [True] * (len(data) - 1) + [False]
        return sum((byte & 0x7F) << 7 * at for at, byte in enumerate(data))

    column = varints(np.array(values, np.int64))
    assert [read(item) for item in items_of(column)] == values
    assert varint_sizes(np.array(values, np.int64)).tolist() == [len(item) for item in items_of(column)]


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, b"\0"), (1, b"\1"), (127, b"\x7f"), (128, b"\x80\1"), (150, b"\x96\1"), (300, b"\xac\2")],
)
def test_published_varints(number: int, expected: bytes) -> None:
    """Values that the documentation of Protocol Buffers shows, and the borders of one byte."""
    assert items_of(varints(np.array([number]))) == [expected]


def test_side_by_side() -> None:
    """Records are their columns in order, item by item; numbers are little-endian."""
    columns = [
        constant(b"<", 3),
        ragged([b"", b"a", b"bcd"]),
        numbers(np.array([1, 2, 258], np.uint16)),
        constant(b"", 3),
    ]
    assert items_of(side_by_side(columns)) == [b"<\1\0", b"<a\2\0", b"<bcd\2\1"]
