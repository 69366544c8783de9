"""What a Parquet file says of its row groups and pages, read before a library acts on it.

Arrow ends the process on some damaged footers, and makes room for whatever number of bytes or values a page claims.
Structs are those of parquet.thrift, format 2.11.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pyarrow as pa

from headrace.stages.reading.stream import StreamFaultError
from headrace.stages.reading.thrift import Struct, ThriftError, Value, read_struct

_MAGIC, _ENCRYPTED, _TAIL = b"PAR1", b"PARE", 8
_ROW_GROUPS, _COLUMNS, _ROWS, _METADATA = 4, 1, 3, 3
_ENCODINGS, _VALUES, _SIZE, _PACKED, _DATA_AT, _DICTIONARY_AT = 2, 5, 6, 7, 9, 11  # fields of ColumnMetaData
_PAGE_SIZE, _PAGE_PACKED = 2, 3  # fields of PageHeader
_PAGE_HEADERS = (5, 8)  # of data pages, whose first field counts the values
_SLACK = 100  # some writers of the past left a page's header out of what a column takes (PARQUET-816)
_HEADER_READ = (1 << 12, 1 << 20)  # most headers are a few dozen bytes; statistics may make one long


@dataclass(frozen=True, slots=True)
class Chunk:
    """One column of a row group."""

    begin: int
    packed: int
    size: int  # unpacked
    values: int
    encodings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A row group as the footer declares it."""

    number: int
    begin: int  # its first row
    rows: int
    chunks: tuple[Chunk, ...]

    @property
    def name(self) -> str:
        """Name the group by its rows."""
        return f"row group {self.number} (rows {self.begin} to {self.begin + self.rows - 1})"

    @property
    def packed(self) -> int:
        """Give the bytes that it takes in the file."""
        return sum(chunk.packed for chunk in self.chunks)

    @property
    def size(self) -> int:
        """Give the bytes of its pages, unpacked."""
        return sum(chunk.size for chunk in self.chunks)


def check_ends(file: pa.NativeFile, size: int) -> None:
    """Raise StreamFaultError where a file does not begin and end as Parquet does, and say what that means."""
    head, tail = _read(file, 0, len(_MAGIC)), _read(file, max(0, size - len(_MAGIC)), len(_MAGIC))
    if tail == _MAGIC:
        return
    detail = "it neither begins nor ends as a Parquet file does"
    if head == _MAGIC:
        detail = f"cut off at byte {size}: the footer is missing, and without it no column can be found"
    if tail == _ENCRYPTED:
        detail = "its footer is encrypted"
    raise StreamFaultError("unreadable_parquet", detail if size else "the file is empty")


def read_groups(file: pa.NativeFile, size: int) -> list[Group]:
    """Give the row groups that the footer lists; raises ThriftError or OSError where it cannot be read."""
    tail = _read(file, size - _TAIL, _TAIL) if size >= _TAIL else b""
    if tail[4:] != _MAGIC:
        raise ThriftError("the file does not end with the magic of Parquet")
    length = struct.unpack("<I", tail[:4])[0]
    if length > size - _TAIL:
        raise ThriftError("the footer is said to be longer than the file")
    footer, _ = read_struct(_read(file, size - _TAIL - length, length))
    groups: list[Group] = []
    begin = 0
    for number, fields in enumerate(_structs(footer.get(_ROW_GROUPS))):
        rows = _number(fields, _ROWS)
        chunks = tuple(_chunk(_fields(column.get(_METADATA))) for column in _structs(fields.get(_COLUMNS)))
        groups.append(Group(number, begin, rows, chunks))
        begin += rows
    return groups


def check_pages(file: pa.NativeFile, group: Group, most: int) -> StreamFaultError | None:
    """Find a page that claims more bytes or values than its column has, or more than memory shall hold."""
    for number, chunk in enumerate(group.chunks):
        at, end, size = chunk.begin, chunk.begin + chunk.packed, 0
        while at < end:
            page = _page(file, at, end)
            if page is None:
                break  # the library says what is wrong with it
            header, length = page
            one = _number(header, _PAGE_SIZE)
            size += one
            values = max((_number(_fields(header.get(kind)), 1) for kind in _PAGE_HEADERS), default=0)
            behind = at + length + _number(header, _PAGE_PACKED)
            if size > chunk.size or values > chunk.values or behind > end + _SLACK:
                detail = f"{group.name}: a page of column {number} at byte {at} claims more than the column has"
                return StreamFaultError("unreadable_parquet", detail)
            if one > most:
                detail = f"{group.name}: a page of column {number} unpacks to {one} bytes, over the max_page_bytes"
                return StreamFaultError("page_too_large", detail, one, most)
            at = behind
    return None


def _page(file: pa.NativeFile, at: int, end: int) -> tuple[Struct, int] | None:
    for size in _HEADER_READ:
        try:
            return read_struct(_read(file, at, min(size, end - at)))
        except ThriftError:
            continue
    return None


def _chunk(fields: Struct) -> Chunk:
    begins = [at for at in (_number(fields, _DATA_AT), _number(fields, _DICTIONARY_AT)) if at > 0]
    packed, size, values = (_number(fields, field) for field in (_PACKED, _SIZE, _VALUES))
    encodings = fields.get(_ENCODINGS)
    known = tuple(n for n in encodings if isinstance(n, int)) if isinstance(encodings, list) else ()
    return Chunk(min(begins, default=0), packed, size, values, known)


def _structs(value: Value) -> list[Struct]:
    return [_fields(item) for item in value] if isinstance(value, list) else []


def _fields(value: Value) -> Struct:
    return value if isinstance(value, dict) else {}


def _number(fields: Struct, field: int) -> int:
    value = fields.get(field)
    return max(0, value) if isinstance(value, int) else 0


def _read(file: pa.NativeFile, at: int, length: int) -> bytes:
    file.seek(at)
    data: bytes = file.read(length)
    return data
