"""Bytes of a file's content, unpacked in bounded memory; a damaged end does not cost what came before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO, Protocol

from headrace.stages.reading.unpack import DamagedError, Member

_CHUNK = 1 << 16


class StreamFaultError(Exception):
    """The content ends here in a fault; every good byte before it was delivered."""

    def __init__(self, reason: str, detail: str, value: float | None = None, threshold: float | None = None) -> None:
        self.reason, self.detail, self.value, self.threshold = reason, detail, value, threshold
        super().__init__(reason, detail, value, threshold)


class ByteStream(Protocol):
    """What readers pull content from."""

    def read(self, size: int) -> bytes:
        """Give `size` bytes, fewer only before the end or a fault, none at the end; a fault raises StreamFaultError."""
        ...

    def peek(self, size: int) -> bytes:
        """Give the next `size` bytes, or fewer, without moving on."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class PlainStream:
    """The bytes of a file as they are."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes."""
        try:
            return self._file.read(size)
        except OSError as error:
            raise StreamFaultError("unreadable_file", error.strerror or "read failed") from error

    def peek(self, size: int) -> bytes:
        """Give the next bytes without moving on."""
        begin = self._file.tell()
        data = self.read(size)
        self._file.seek(begin)
        return data

    def seek(self, offset: int) -> None:
        """Go to a byte of the file."""
        self._file.seek(offset)

    def close(self) -> None:
        """Release the file."""
        self._file.close()


class UnpackedStream:
    """Content of compressed members that follow each other; zero padding after the last one is allowed.

    What comes out before a fault, and where the fault is said to be, depends on the compressed bytes alone.
    """

    def __init__(self, inner: ByteStream, open_member: Callable[[], Member], *, single: bool = False) -> None:
        self._inner, self._open_member, self._single = inner, open_member, single
        self._member: Member | None = None
        self._input = memoryview(b"")
        self._fetched = 0
        self._ready = b""
        self._fault: StreamFaultError | None = None
        self._ended = False
        self._begun = False

    def read(self, size: int) -> bytes:
        """Give `size` unpacked bytes, fewer only before the end or a fault."""
        pieces, got = [self._ready[:size]], min(size, len(self._ready))
        self._ready = self._ready[size:]
        while got < size and not self._ended and self._fault is None:
            piece = self._step(size - got)
            pieces.append(piece[: size - got])
            self._ready = piece[size - got :]
            got += len(pieces[-1])
        if not got and size and self._fault is not None:
            raise self._fault
        return b"".join(pieces)

    def peek(self, size: int) -> bytes:
        """Give the next unpacked bytes without moving on."""
        data = self.read(size)
        self._ready = data + self._ready
        return data

    def leftover(self) -> bytes:
        """Give what was fetched and does not belong to a single member that has ended."""
        return bytes(self._input)

    def close(self) -> None:
        """Release the file."""
        self._inner.close()

    def _step(self, limit: int) -> bytes:
        try:
            if not self._input and (self._member is None or self._member.hungry):
                self._fetch()
                if not self._input:
                    return self._end()
            if self._member is None:
                return self._next_member()
            output, self._input = self._member.feed(self._input, limit)
        except DamagedError as error:
            at = self._fetched - len(self._input) + error.taken
            self._fault = StreamFaultError("corrupt", f"{error.detail}, behind byte {at} of the compressed data")
            return error.output
        except StreamFaultError as fault:
            self._fault = fault
            return b""
        if self._member.finished:
            self._member, self._ended = None, self._single
        return output

    def _fetch(self) -> None:
        self._input = memoryview(self._inner.read(_CHUNK))
        self._fetched += len(self._input)

    def _end(self) -> bytes:
        if self._member is not None or (self._single and not self._begun):
            unit = self._member.unit if self._member else "member"
            detail = f"the compressed data ends at its byte {self._fetched}, in the middle of a {unit}"
            self._fault = StreamFaultError("truncated", detail)
        self._ended = True
        return b""

    def _next_member(self) -> bytes:
        if self._begun:
            self._input = self._input[len(self._input) - len(bytes(self._input).lstrip(b"\0")) :]
        if self._input:
            self._member, self._begun = self._open_member(), True
        return b""
