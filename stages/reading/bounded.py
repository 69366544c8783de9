"""Streams that end where they must: at a limit, or at the end of a member inside its archive."""

from __future__ import annotations

import zlib

from headrace.stages.reading.stream import ByteStream, StreamFaultError


class Bounded:
    """A stream of which at most so many bytes are delivered: what follows is a fault."""

    def __init__(self, inner: ByteStream, most: int, fault: StreamFaultError) -> None:
        self._inner, self._left, self._fault = inner, most, fault

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes within the bound."""
        if self._left:
            data = self._inner.read(min(size, self._left))
            self._left -= len(data)
            return data
        if size and self._inner.read(1):
            raise self._fault
        return b""

    def peek(self, size: int) -> bytes:
        """Give the next bytes without moving on."""
        return self._inner.peek(min(size, self._left))

    def close(self) -> None:
        """Release the file."""
        self._inner.close()


class Checked:
    """A member whose size and CRC-32 its archive knows: what does not agree is a fault behind the bytes there are."""

    def __init__(self, inner: ByteStream, size: int, crc: int) -> None:
        self._inner, self._size, self._crc = inner, size, crc
        self._given, self._found = 0, 0

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes."""
        data = self._inner.read(min(size, self._size - self._given)) if self._given < self._size else b""
        self._given += len(data)
        self._found = zlib.crc32(data, self._found)
        if size and not data:
            self._check_end()
        return data

    def peek(self, size: int) -> bytes:
        """Give the next bytes without moving on."""
        return self._inner.peek(min(size, self._size - self._given))

    def close(self) -> None:
        """Release the member."""
        self._inner.close()

    def _check_end(self) -> None:
        if self._given < self._size:
            detail = f"it ends after {self._given} bytes where the archive says {self._size}"
            raise StreamFaultError("truncated", detail)
        if self._inner.read(1):
            raise StreamFaultError("corrupt", f"it is longer than the {self._size} bytes that the archive says")
        if self._found != self._crc:
            raise StreamFaultError("corrupt", "its CRC-32 is not the one that the archive says")
