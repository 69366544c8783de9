"""Structs of Thrift's compact protocol, as Parquet has them in its footer and in front of each page.

Layout: thrift-compact-protocol.md of Apache Thrift 0.21. A struct comes as fields by number; strings are passed over.
"""

from __future__ import annotations

from typing import TypeAlias

Value: TypeAlias = "int | Struct | list[Value] | None"
Struct: TypeAlias = "dict[int, Value]"

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_LONG = 15  # elements: that many follow as a number
_MAX_DEPTH = 16
_MAX_BITS = 70


class ThriftError(ValueError):
    """The bytes are no struct."""


def read_struct(data: bytes, at: int = 0, depth: int = 0) -> tuple[Struct, int]:
    """Give the fields of a struct by their numbers, and where it ends; raises ThriftError."""
    fields: Struct = {}
    number = 0
    try:
        while head := data[at]:
            at += 1
            if head >> 4:
                number += head >> 4
            else:
                number, at = _integer(data, at)
            fields[number], at = _value(data, at, head & 15, depth + 1)
    except IndexError:
        raise ThriftError("it ends inside a struct") from None
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Value, int]:
    if kind in _INTEGERS:
        return _integer(data, at)
    if kind == _BINARY:
        length, at = _number(data, at)
        return None, _within(data, at + length)
    if kind == _STRUCT and depth < _MAX_DEPTH:
        return read_struct(data, at, depth)
    if kind in (_LIST, _SET) and depth < _MAX_DEPTH:
        return _elements(data, at, depth)
    if kind in (_TRUE, _FALSE):
        return int(kind == _TRUE), at
    if kind == _BYTE:
        return data[at], at + 1
    if kind == _DOUBLE:
        return None, _within(data, at + 8)
    raise ThriftError(f"a field of type {kind}")  # a map is nowhere in Parquet


def _elements(data: bytes, at: int, depth: int) -> tuple[Value, int]:
    head = data[at]
    count, kind, at = head >> 4, head & 15, at + 1
    if count == _LONG:
        count, at = _number(data, at)
    if count > len(data) - at:
        raise ThriftError("a list of more elements than there are bytes")
    found: list[Value] = []
    for _ in range(count):
        if kind in (_TRUE, _FALSE):
            value: Value = data[at]
            at += 1
        else:
            value, at = _value(data, at, kind, depth + 1)
        found.append(value)
    return found, at


def _within(data: bytes, at: int) -> int:
    if at > len(data):
        raise ThriftError("a value that is longer than the data")
    return at


def _integer(data: bytes, at: int) -> tuple[int, int]:
    number, at = _number(data, at)
    return (number >> 1) ^ -(number & 1), at


def _number(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while (byte := data[at]) & 0x80:
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if shift > _MAX_BITS:
            raise ThriftError("a number of too many bytes")
    return number | byte << shift, at + 1
