"""Archives and compressed files, made at test time with the libraries that users make them with."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping

import lz4.frame
import zstandard

Files = Mapping[str, bytes]

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
    "bz2": lambda data: bz2.compress(data, 1),  # blocks of 100 kB
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    "lz4": lambda data: bytes(lz4.frame.compress(data, content_checksum=True)),
}
SEVERAL = ("gz", "zst", "bz2", "xz", "lz4")  # an .lzma file is one stream by its definition


def tar(files: Files, form: int = tarfile.PAX_FORMAT) -> bytes:
    """Give a tar archive of files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            add(archive, name, data)
    return out.getvalue()


def add(archive: tarfile.TarFile, name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE) -> None:
    """Add a member to a tar archive."""
    info = tarfile.TarInfo(name)
    info.size, info.type = len(data), kind
    info.linkname = "target" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    archive.addfile(info, io.BytesIO(data))


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Give a zip archive of files, as a program that may seek writes it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


class _Pipe(io.RawIOBase):
    """What nobody can seek in, so that sizes come behind the members."""

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.data += data
        return len(data)


def streamed_zip(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Give a zip archive that was written into a pipe: with data descriptors."""
    out = _Pipe()
    with zipfile.ZipFile(out, "w", method) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            archive.writestr(name, data)
    return bytes(out.data)


def raw_zip(members: list[tuple[bytes, bytes]], flags: int = 0, *, overlapping: int = 0) -> bytes:
    """Give a zip archive of bytes as names; or one whose only member is listed several times over."""
    out, directory, listed = bytearray(), bytearray(), 0
    for name, data in members:
        inflated = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = inflated.compress(data) + inflated.flush()
        numbers = (flags, 8, 0, 0, zlib.crc32(data), len(packed), len(data), len(name), 0)
        at = len(out)
        out += struct.pack("<4sH", b"PK\x03\x04", 20) + struct.pack("<4H3L2H", *numbers)
        out += name + packed
        for _ in range(1 + overlapping):
            directory += struct.pack("<4s2H", b"PK\x01\x02", 20, 20) + struct.pack("<4H3L2H", *numbers)
            directory += struct.pack("<3H2L", 0, 0, 0, 0, at) + name
            listed += 1
    begin = len(out)
    out += directory
    if listed > 0xFFFF:
        at = len(out)
        out += struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, listed, listed, len(directory), begin)
        out += struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    few = min(listed, 0xFFFF)
    return bytes(out + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, few, few, len(directory), begin, 0))
