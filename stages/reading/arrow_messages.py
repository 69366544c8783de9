"""The messages of an Arrow stream, by their headers: how many rows, and how many bytes once unpacked.

Layout: Arrow columnar format, "Encapsulated message format"; the headers are flatbuffers (Message.fbs, format 1.5).
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from dataclasses import dataclass

import pyarrow as pa

_CONTINUED = b"\xff\xff\xff\xff"
_DICTIONARY, _BATCH = 2, 3  # MessageHeader
_TYPE, _HEADER, _BODY = 1, 2, 3  # fields of Message
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3  # fields of RecordBatch
_DATA = 1  # field of DictionaryBatch
_MOST_HEADER = 1 << 26
_ALIGNED = 8


@dataclass(frozen=True, slots=True)
class Message:
    """What the header of a message says."""

    batch: bool = False
    rows: int = 0
    size: int = 0  # of its buffers, unpacked
    cut: bool = False  # the file ends before the message does, or without an end mark


def messages(file: pa.NativeFile, at: int, size: int) -> Generator[Message, None, None]:
    """Go through the messages behind the schema of a file of so many bytes."""
    while True:
        prefix = _read(file, at, 8)
        old = prefix[:4] != _CONTINUED  # written before version 0.15
        length = struct.unpack("<i", prefix[:4] if old else prefix[4:8])[0] if len(prefix) == 8 else -1
        if length == 0:
            return
        header_at = at + (4 if old else 8)
        header = _read(file, header_at, length) if 0 < length <= _MOST_HEADER else b""
        body_at = header_at + length
        message = _message(file, header, body_at) if 0 < length == len(header) else None
        if message is None or message[1] < 0 or body_at + message[1] > size:
            yield Message(cut=True)
            return
        found, body = message
        if found is not None:
            yield found
        at = body_at + -(-body // _ALIGNED) * _ALIGNED


def _message(file: pa.NativeFile, header: bytes, body_at: int) -> tuple[Message | None, int] | None:
    """Give what is said, None for a schema, and the length of the body; None where it is no message."""
    try:
        table = _Table.root(header)
        kind, body = table.number(_TYPE, "<B"), table.number(_BODY, "<q")
        if kind not in (_DICTIONARY, _BATCH):
            return None, body
        inner = table.inner(_HEADER)
        batch = inner.inner(_DATA) if kind == _DICTIONARY else inner
        rows, packed = batch.number(_LENGTH, "<q"), batch.has(_COMPRESSION)
        total = sum(_unpacked(file, body_at, *span, packed=packed) for span in batch.spans(_BUFFERS))
        return Message(kind == _BATCH, rows, total), body
    except (struct.error, IndexError):
        return None


def _unpacked(file: pa.NativeFile, body_at: int, offset: int, length: int, *, packed: bool) -> int:
    """Give the size of a buffer: compressed ones begin with it, or with -1 where they are not after all."""
    if not packed or length < _ALIGNED:
        return length
    said: int = struct.unpack("<q", _read(file, body_at + offset, _ALIGNED))[0]
    return length if said < 0 else said


def _read(file: pa.NativeFile, at: int, length: int) -> bytes:
    file.seek(at)
    data: bytes = file.read(length)
    return data


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a flatbuffer: its fields are found through its vtable."""

    data: bytes
    at: int

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, struct.unpack_from("<I", data, 0)[0])

    def place(self, field: int) -> int:
        """Give where a field is, 0 where it has its default."""
        vtable = self.at - struct.unpack_from("<i", self.data, self.at)[0]
        size = struct.unpack_from("<H", self.data, vtable)[0]
        slot = 4 + 2 * field
        offset = struct.unpack_from("<H", self.data, vtable + slot)[0] if slot + 2 <= size else 0
        return self.at + offset if offset else 0

    def has(self, field: int) -> bool:
        return self.place(field) > 0

    def number(self, field: int, form: str) -> int:
        place = self.place(field)
        value: int = struct.unpack_from(form, self.data, place)[0] if place else 0
        return value

    def inner(self, field: int) -> _Table:
        place = self.place(field)
        return _Table(self.data, place + struct.unpack_from("<I", self.data, place)[0])

    def spans(self, field: int) -> list[tuple[int, int]]:
        """Give a vector of pairs of 64-bit numbers."""
        place = self.place(field)
        if not place:
            return []
        vector = place + struct.unpack_from("<I", self.data, place)[0]
        count = struct.unpack_from("<I", self.data, vector)[0]
        if vector + 4 + 16 * count > len(self.data):
            raise IndexError("a vector runs over the end of the header")
        return [struct.unpack_from("<2q", self.data, vector + 4 + 16 * at) for at in range(count)]
