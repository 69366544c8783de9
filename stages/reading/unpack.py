"""One compressed member at a time, pushed through the library of its format in pieces of bounded size."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import Protocol

import lz4.frame
import zstandard

_ZSTD_PIECE = 512  # a zstd block of 4 bytes can stand for 128 KiB: 512 bytes of input give at most 16 MiB
_ZSTD_WINDOW = 1 << 27  # what the zstd program accepts without --long
_LZMA_MEMORY = 1 << 28  # xz -9 needs 65 MiB
_PIECE = 1 << 15  # output of one call; a call that fails keeps its output to itself, so that so much is lost


class DamagedError(Exception):
    """A member does not unpack; `output` is what it gave in this call before the fault, behind `taken` bytes."""

    def __init__(self, output: bytes, detail: str, taken: int = 0) -> None:
        self.output, self.detail, self.taken = output, detail, taken
        super().__init__(detail)


class Member(Protocol):
    """One gzip member, zstd frame, bzip2 stream or the like, being unpacked."""

    unit: str  # what its format calls it
    finished: bool
    hungry: bool  # nothing comes out without more input

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        """Unpack some of `data`; give the output and the input that is left."""
        ...


class Deflated:
    """A gzip member, or bare deflated data."""

    unit = "member"

    def __init__(self, wbits: int) -> None:
        self._inflater = zlib.decompressobj(wbits=wbits)
        self.finished, self.hungry = False, True

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        """Unpack up to `limit` bytes."""
        before = self._inflater.copy()
        try:
            output = self._inflater.decompress(data, limit)
        except zlib.error as error:
            raise DamagedError(*_byte_by_byte(before, data, f"gzip: {_reason(error)}")) from error
        self.finished = self._inflater.eof
        self.hungry = len(output) < limit  # else the rest of a match may wait inside, whose input is gone already
        left = len(self._inflater.unused_data if self.finished else self._inflater.unconsumed_tail)
        return output, data[len(data) - left :]


def _byte_by_byte(inflater: zlib._Decompress, data: memoryview, detail: str) -> tuple[bytes, str, int]:
    """Give what can be had before the fault: a call that raises keeps its output to itself."""
    output: list[bytes] = []
    for at in range(len(data)):
        try:
            output.append(inflater.decompress(data[at : at + 1]))
        except zlib.error:
            return b"".join(output), detail, at
    return b"".join(output), detail, len(data)


def _reason(error: zlib.error) -> str:
    return str(error).rpartition(": ")[2]


class ZstdFrame:
    """A Zstandard frame."""

    unit, hungry = "frame", True

    def __init__(self) -> None:
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self.finished = False

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        """Unpack a small piece of the input."""
        del limit  # bounded by the size of the piece
        try:
            output = self._unpacker.decompress(data[:_ZSTD_PIECE])
        except zstandard.ZstdError as error:
            raise DamagedError(b"", f"zstd: {str(error).removeprefix('zstd decompressor error: ')}") from error
        self.finished = self._unpacker.eof
        left = len(self._unpacker.unused_data) if self.finished else 0
        return output, data[min(_ZSTD_PIECE, len(data)) - left :]


class _Decompressor(Protocol):
    """What the decompressors of bz2, lzma and lz4.frame have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes | None: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class Stream:
    """A bzip2, xz, lzma or lz4 stream: its library keeps the input that it has not used yet."""

    def __init__(self, name: str, decompressor: _Decompressor, front: bytes = b"") -> None:
        self._name, self._decompressor, self._front = name, decompressor, front
        self.unit = "frame" if name == "lz4" else "stream"
        self.finished, self.hungry = False, True

    def feed(self, data: memoryview, limit: int) -> tuple[bytes, memoryview]:
        """Unpack a piece; the same calls whatever the limit, so that a fault costs the same bytes."""
        del limit
        given, self._front = self._front + bytes(data), b""
        try:
            output = self._decompressor.decompress(given, _PIECE)
        except (OSError, EOFError, ValueError, RuntimeError, lzma.LZMAError) as error:
            raise DamagedError(b"", f"{self._name}: {' '.join(str(error).split())}") from error
        self.finished = self._decompressor.eof
        self.hungry = self._decompressor.needs_input
        # What is left may be of an earlier call: the library took it all in then.
        return output, memoryview((self._decompressor.unused_data or b"") if self.finished else b"")


def lzma_in_zip(properties: bytes, size: int | None) -> Stream:
    """Open a zip's LZMA data: bare, so that the header of an .lzma file is put in front of it."""
    front = properties + (size if size is not None else (1 << 64) - 1).to_bytes(8, "little")
    return Stream("lzma", lzma.LZMADecompressor(lzma.FORMAT_ALONE, _LZMA_MEMORY), front)


OPENERS: Mapping[str, Callable[[], Member]] = {
    "gzip": lambda: Deflated(31),
    "deflate": lambda: Deflated(-15),
    "zstd": ZstdFrame,
    "bzip2": lambda: Stream("bzip2", bz2.BZ2Decompressor()),
    "xz": lambda: Stream("xz", lzma.LZMADecompressor(lzma.FORMAT_XZ, _LZMA_MEMORY)),
    "lzma": lambda: Stream("lzma", lzma.LZMADecompressor(lzma.FORMAT_ALONE, _LZMA_MEMORY)),
    "lz4": lambda: Stream("lz4", lz4.frame.LZ4FrameDecompressor()),
}
