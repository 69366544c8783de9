"""Bytes of a file's content, unpacked in bounded memory; a damaged end does not cost what came before it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

import zstandard

_CHUNK = 1 << 16
_ZSTD_PIECE = 512  # a zstd block of 4 bytes can stand for 128 KiB: 512 bytes of input give at most 16 MiB
_ZSTD_WINDOW = 1 << 27  # what the zstd program accepts without --long


class StreamFaultError(Exception):
    """The content ends here in a fault; every good byte before it was delivered."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(reason, detail)


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


class Member(Protocol):
    """One gzip member or zstd frame being unpacked."""

    finished: bool

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        """Unpack some of `data`; give the output and the input that is left."""
        ...


class UnpackedStream:
    """Content of compressed members that follow each other; zero padding after the last one is allowed."""

    def __init__(self, inner: ByteStream, open_member: Callable[[], Member]) -> None:
        self._inner, self._open_member = inner, open_member
        self._member: Member | None = None
        self._input = memoryview(b"")
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

    def close(self) -> None:
        """Release the file."""
        self._inner.close()

    def _step(self, limit: int) -> bytes:
        try:
            if not self._input:
                self._input = memoryview(self._inner.read(_CHUNK))
            if not self._input:
                return self._end()
            if self._member is None:
                return self._next_member()
            output, self._input = self._member.feed(self._input, limit)
        except (StreamFaultError, _DamagedError) as error:
            return self._damaged(error)
        if self._member.finished:
            self._member = None
        return output

    def _end(self) -> bytes:
        if self._member is not None:
            self._fault = StreamFaultError("truncated", "the compressed data ends in the middle of a member")
        self._ended = True
        return b""

    def _next_member(self) -> bytes:
        if self._begun:
            self._input = self._input[len(self._input) - len(bytes(self._input).lstrip(b"\0")) :]
        if self._input:
            self._member, self._begun = self._open_member(), True
        return b""

    def _damaged(self, error: StreamFaultError | _DamagedError) -> bytes:
        if isinstance(error, StreamFaultError):
            self._fault = error
            return b""
        self._fault = StreamFaultError("corrupt", error.detail)
        return error.output


def gunzip(inner: ByteStream) -> UnpackedStream:
    """Unpack gzip, member after member."""
    return UnpackedStream(inner, _GzipMember)


def unzstd(inner: ByteStream) -> UnpackedStream:
    """Unpack Zstandard, frame after frame."""
    return UnpackedStream(inner, _ZstdFrame)


class _DamagedError(Exception):
    """A member does not unpack; `output` is what it gave in this call before the fault."""

    def __init__(self, output: bytes, detail: str) -> None:
        self.output, self.detail = output, detail
        super().__init__(detail)


class _GzipMember:
    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=31)
        self.finished = False

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        before = self._inflater.copy()
        try:
            output = self._inflater.decompress(data, limit)
        except zlib.error as error:
            raise _DamagedError(_byte_by_byte(before, data), f"gzip: {_reason(error)}") from error
        self.finished = self._inflater.eof
        left = len(self._inflater.unused_data if self.finished else self._inflater.unconsumed_tail)
        return output, data[len(data) - left :]


def _byte_by_byte(inflater: zlib._Decompress, data: memoryview) -> bytes:
    """Give what can be had before the fault: a call that raises keeps its output to itself."""
    output: list[bytes] = []
    for at in range(len(data)):
        try:
            output.append(inflater.decompress(data[at : at + 1]))
        except zlib.error:
            break
    return b"".join(output)


def _reason(error: zlib.error) -> str:
    return str(error).rpartition(": ")[2]


class _ZstdFrame:
    def __init__(self) -> None:
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self.finished = False

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        del limit  # bounded by the size of the piece
        try:
            output = self._unpacker.decompress(data[:_ZSTD_PIECE])
        except zstandard.ZstdError as error:
            raise _DamagedError(b"", str(error)) from error
        self.finished = self._unpacker.eof
        left = len(self._unpacker.unused_data) if self.finished else 0
        return output, data[min(_ZSTD_PIECE, len(data)) - left :]
