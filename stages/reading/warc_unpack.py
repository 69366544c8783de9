"""Unpack gzip members and Zstandard frames one at a time: each holds a record, and each may be broken alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import zstandard
from isal import igzip_lib, isal_zlib

from headrace.stages.reading.stream import ByteStream, StreamFaultError

GZIP, ZSTD = "gzip", "zstd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_MOST_DICTIONARY = 1 << 24
MAGICS = {GZIP: b"\x1f\x8b\x08", ZSTD: b"\x28\xb5\x2f\xfd"}
ISAL_ERROR: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]  # its stub calls the class a value
_OUTPUT = 1 << 20
ZSTD_PIECE = 512  # a zstd block of 4 bytes can stand for 128 KiB: 512 bytes of input give at most 16 MiB
ZSTD_WINDOW = 1 << 27  # what the zstd program accepts without --long


class DamagedError(Exception):
    """A member does not unpack; `checksum` where all of it did, but is not what was packed."""

    def __init__(self, detail: str) -> None:
        self.detail, self.checksum = detail, "checksum" in detail
        super().__init__(detail)


class Unpacker(Protocol):
    """One member that is being unpacked."""

    finished: bool

    def feed(self, data: memoryview) -> tuple[bytes, int]:
        """Unpack some of `data`; give the output and how many bytes it used. Without data: what is still inside."""
        ...


OpenMember = Callable[[], Unpacker]


class StoredBytes:
    """The content of a file that is not packed."""

    finished = False

    def feed(self, data: memoryview) -> tuple[bytes, int]:
        """Give the bytes as they are."""
        return bytes(data), len(data)


class GzipMember:
    """One gzip member (RFC 1952), its checksum checked."""

    def __init__(self) -> None:
        self._inflater = isal_zlib.decompressobj(wbits=31)
        self.finished = False

    def feed(self, data: memoryview) -> tuple[bytes, int]:
        """Unpack at most 1 MiB."""
        try:
            output = self._inflater.decompress(data, _OUTPUT)
        except ISAL_ERROR as error:
            raise DamagedError(f"gzip: {_in_words(error)}") from error
        self.finished = self._inflater.eof
        left = len(self._inflater.unused_data if self.finished else self._inflater.unconsumed_tail)
        return output, len(data) - left


class ZstdFrame:
    """One Zstandard frame (RFC 8878), unpacked with the file's dictionary if it has one."""

    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None = None) -> None:
        unpacker = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=ZSTD_WINDOW)
        self._unpacker = unpacker.decompressobj()
        self.finished = False

    def feed(self, data: memoryview) -> tuple[bytes, int]:
        """Unpack a small piece of the input, which bounds the output."""
        piece = data[:ZSTD_PIECE]
        try:
            output = self._unpacker.decompress(piece) if piece else b""
        except zstandard.ZstdError as error:
            raise DamagedError(f"zstd: {error}") from error
        self.finished = self._unpacker.eof
        return output, len(piece) - (len(self._unpacker.unused_data) if self.finished else 0)


def opener(stream: ByteStream, kind: str | None) -> OpenMember:
    """Give what opens the members of a stream of a kind; a .warc.zst may begin with the dictionary of its frames."""
    if kind is None:
        return StoredBytes
    if kind == GZIP:
        return GzipMember
    head = stream.peek(8)
    size = int.from_bytes(head[4:8], "little")
    if not head.startswith(_DICTIONARY) or size > _MOST_DICTIONARY:
        return ZstdFrame
    return partial(ZstdFrame, _dictionary(stream.peek(8 + size)[8:]))


def _dictionary(data: bytes) -> zstandard.ZstdCompressionDict:
    """Read a dictionary, packed or not (IIPC, "Zstandard compression for WARC files")."""
    try:
        if data.startswith(MAGICS[ZSTD]):
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MOST_DICTIONARY)
        return zstandard.ZstdCompressionDict(data)
    except zstandard.ZstdError as error:
        raise StreamFaultError("corrupt", f"the dictionary of the zstd frames: {error}") from error


def beginning(open_member: OpenMember, data: bytes, size: int) -> bytes:
    """Unpack up to `size` bytes of the member that begins with `data`, fewer where it breaks or `data` ends."""
    unpacker, rest, output = open_member(), memoryview(data), b""
    while len(output) < size and not unpacker.finished:
        try:
            piece, used = unpacker.feed(rest[:ZSTD_PIECE])
        except DamagedError:
            break
        output, rest = output + piece, rest[used:]
        if not rest and not piece:
            break
    return output[:size]


def _in_words(error: Exception) -> str:
    """Give "Incorrect checksum found" of "Error -6 Incorrect checksum found", in lower case."""
    return str(error).partition(" ")[2].partition(" ")[2].lower()
