"""Fields of protocol buffers are found where they are, and broken ones are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tokenizers.model_bytes import bytes_field, float_field, number_field, varint

from headrace.tokenizers import wire


@given(st.integers(0, (1 << 64) - 1), st.binary(max_size=9))
def test_numbers_come_back(number: int, behind: bytes) -> None:
    """A number of up to 64 bits is read to its end and no further."""
    data = varint(number) + behind
    assert wire.varint(data, 0, len(data)) == (number, len(varint(number)))


@given(st.lists(st.tuples(st.integers(1, 1000), st.one_of(st.integers(-(1 << 63), (1 << 63) - 1), st.binary()))))
def test_fields_come_back(values: list[tuple[int, int | bytes]]) -> None:
    """Numbers, negative ones as 64 bits, and byte strings are found in order, with their field numbers."""
    data = b"".join(
        number_field(number, value) if isinstance(value, int) else bytes_field(number, value)
        for number, value in values
    )
    found = [
        (field.number, field.value if field.wire == wire.VARINT else data[field.begin : field.end])
        for field in wire.fields(data, 0, len(data))
    ]
    masked = [(number, value & (1 << 64) - 1 if isinstance(value, int) else value) for number, value in values]
    assert found == masked


def test_numbers_of_fixed_size() -> None:
    """A float is read from its four bytes; eight bytes are passed over."""
    data = float_field(2, -0.5) + varint(3 << 3 | 1) + bytes(8) + number_field(4, 1)
    first, second, third = wire.fields(data, 0, len(data))
    assert wire.float_of(data, first) == -0.5
    assert (second.number, second.end - second.begin, third.value) == (3, 8, 1)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x80", "ends inside a number"),
        (b"\x08" + b"\xff" * 11, "longer than 64 bits"),
        (b"\x0a\x05abc", "ends inside the field at byte 0, which needs 2 bytes more"),
        (b"\x15\x00\x00", "needs 2 bytes more"),
        (b"\x0b", "no field of a model at byte 0"),
        (b"\x00\x01", "no field number"),
    ],
)
def test_broken_fields_are_refused(data: bytes, why: str) -> None:
    """What ends early or is no field says so, and where."""
    with pytest.raises(ValueError, match=why):
        list(wire.fields(data, 0, len(data)))
