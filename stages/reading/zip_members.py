"""The members of a zip archive, by its directory where that can be read, else by their own headers.

Structures are those of the ZIP File Format Specification 6.3.10 (APPNOTE.TXT): 4.3.7 to 4.3.9, methods of 4.4.5.
"""

from __future__ import annotations

import stat
import struct
from collections import Counter
from collections.abc import Iterator

from headrace.schemas.source import Source
from headrace.stages.reading.archive import Entry
from headrace.stages.reading.bounded import Checked
from headrace.stages.reading.content import EXPANSION_FLOOR, Content
from headrace.stages.reading.member_names import member_name
from headrace.stages.reading.stream import ByteStream, StreamFaultError, UnpackedStream
from headrace.stages.reading.unpack import OPENERS, lzma_in_zip
from headrace.stages.reading.window import Window
from headrace.stages.reading.zip_directory import LOCAL, Directory, Listed, extents, find_directory, listed

_LOCAL_SIZE = 30
ENCRYPTED, DESCRIPTOR, UTF8, _MASKED = 1, 1 << 3, 1 << 11, 1 << 13
STORED, DEFLATED, LZMA = 0, 8, 14
METHODS = {DEFLATED: "deflate", 12: "bzip2", 20: "zstd", 93: "zstd", 95: "xz"}
LZMA_END_MARK = 1 << 1
_FOR_ALL = ("expansion", "too_many_members")  # what is true of a member and of all that follow it


class ZipMembers:
    """The members that the directory lists."""

    def __init__(self, content: Content, source: Source, directory: Directory) -> None:
        self._content, self._directory = content, directory
        self._over, self._total = extents(content, directory, source.max_members)
        self._most = max(EXPANSION_FLOOR, source.max_expansion * (content.size or 0))
        self._threshold = source.max_expansion
        self._entries = self._walk()
        self.counts: Counter[str] = Counter()

    def next(self) -> Entry | None:
        """Give the next member, or what is wrong with it."""
        return next(self._entries, None)

    def _walk(self) -> Iterator[Entry]:
        number = 0
        for number, member in enumerate(listed(self._content, self._directory), 1):
            kind = _kind(member)
            if kind:
                self.counts[kind] += 1
                continue
            name = member_name(member.name, zipped=not member.flags & UTF8)
            fault = self._refusal(number - 1, member)
            yield Entry(name, fault=fault) if fault else self._entry(name, member)
            if fault and fault.reason in _FOR_ALL:
                return
        if number < self._directory.members:
            detail = f"its directory lists {self._directory.members} members, of which {number} can be made out"
            yield Entry(None, fault=StreamFaultError("corrupt", detail), offset=self._directory.begin)

    def _refusal(self, number: int, member: Listed) -> StreamFaultError | None:
        """Say why a member is not read."""
        if number >= len(self._over):
            detail = f"only the first {number} members are read (the source's max_members)"
            return StreamFaultError("too_many_members", detail, self._directory.members, number)
        if member.begin >= self._directory.begin:
            return StreamFaultError(
                "corrupt", f"it is said to begin at byte {member.begin}, in or behind the directory"
            )
        if self._over[number]:
            return StreamFaultError("overlapping_member", "it lies over another member, as in a bomb")
        total = float(self._total[number])
        if total > self._most:
            detail = f"the archive unpacks to more than {self._most} bytes up to here: the rest is not read"
            return StreamFaultError("expansion", detail, total / max(1, self._content.size or 0), self._threshold)
        return refusal(member.flags, member.method)

    def _entry(self, name: str, member: Listed) -> Entry:
        self._content.move_to(member.begin)
        header = self._content.read(_LOCAL_SIZE)
        if len(header) < _LOCAL_SIZE or header[:4] != LOCAL:
            return Entry(name, fault=StreamFaultError("corrupt", f"no member at byte {member.begin} of the archive"))
        name_length, extra_length = struct.unpack_from("<2H", header, 26)
        if self._content.read(name_length) != member.name:
            detail = f"the member at byte {member.begin} of the archive has another name than the directory says"
            return Entry(name, fault=StreamFaultError("corrupt", detail))
        begin = member.begin + _LOCAL_SIZE + name_length + extra_length
        window = Window(self._content, begin, member.packed)
        try:
            stream = unpacked_member(window, member.method, member.flags, member.size)
        except StreamFaultError as fault:
            return Entry(name, fault=fault)
        return Entry(name, Checked(stream, member.size, member.crc), member.size)


def zip_members(content: Content, source: Source) -> ZipMembers | None:
    """Open an archive by its directory; None where it has none that can be read."""
    directory = None if content.packed else find_directory(content)
    return None if directory is None else ZipMembers(content, source, directory)


def refusal(flags: int, method: int) -> StreamFaultError | None:
    """Say why a member cannot be unpacked."""
    if flags & (ENCRYPTED | _MASKED):
        return StreamFaultError("encrypted", "the member is encrypted")
    if method not in (STORED, LZMA, *METHODS):
        return StreamFaultError("unsupported_format", f"packed by method {method} of the zip format")
    return None


def unpacked_member(packed: ByteStream, method: int, flags: int, size: int | None) -> ByteStream:
    """Give the content of a member."""
    if method == STORED:
        return packed
    if method == LZMA:
        properties = packed.read(9)[4:]  # behind the version of the SDK and the length of the properties
        known = None if flags & LZMA_END_MARK else size
        return UnpackedStream(packed, lambda: lzma_in_zip(properties, known), single=True)
    return UnpackedStream(packed, OPENERS[METHODS[method]], single=True)


def _kind(member: Listed) -> str | None:
    """Name what is no file."""
    mode = member.attributes >> 16
    if member.name.endswith(b"/") or stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else None
