"""The wire format of protocol buffers, read without a schema: numbers, wire types and spans."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

VARINT, FIXED_64, DELIMITED, FIXED_32 = 0, 1, 2, 5
_FIXED = {FIXED_64: 8, FIXED_32: 4}
_VARINT_BITS = 70  # ten bytes of seven bits: what a 64-bit number takes at most


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `value` is the number of a varint; the bytes of the others are data[begin:end]."""

    number: int
    wire: int
    begin: int
    end: int
    value: int = 0


def fields(data: bytes, begin: int, end: int) -> Iterator[Field]:
    """Give the fields of the message data[begin:end] in the order of the file; ValueError where it is broken."""
    at = begin
    while at < end:
        tag, body = varint(data, at, end)
        number, wire = tag >> 3, tag & 7
        value, begin_of, at = _body(data, body, end, wire, where=at)
        if not number:
            raise ValueError(f"there is no field number at byte {body - 1}")
        yield Field(number, wire, begin_of, at, value)


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Give the number that begins at a byte, and where the next thing begins."""
    value = 0
    for shift in range(0, _VARINT_BITS, 7):
        if at >= end:
            raise ValueError(f"it ends inside a number, at byte {at}")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
    raise ValueError(f"the number before byte {at} is longer than 64 bits")


def float_of(data: bytes, field: Field) -> float:
    """Give the single-precision number of a FIXED_32 field."""
    return float(struct.unpack_from("<f", data, field.begin)[0])


def _body(data: bytes, at: int, end: int, wire: int, where: int) -> tuple[int, int, int]:
    """Give a field's number, and where its bytes begin and end."""
    if wire == VARINT:
        value, after = varint(data, at, end)
        return value, at, after
    if wire == DELIMITED:
        size, at = varint(data, at, end)
    elif wire in _FIXED:
        size = _FIXED[wire]
    else:
        raise ValueError(f"there is no field of a model at byte {where}")
    if at + size > end:
        raise ValueError(f"it ends inside the field at byte {where}, which needs {at + size - end} bytes more")
    return 0, at, at + size
