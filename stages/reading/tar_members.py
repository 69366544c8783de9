"""The members of a tar archive as a stream; behind a damaged header the next good one is found by its checksum.

Formats: POSIX.1-2001 (pax), ustar, GNU, and the old one without magic. Python's `tarfile` reads the headers; it takes a
damaged one for the end of the archive, which is why the walk over the members is here.
"""

from __future__ import annotations

import re
import tarfile
from collections import Counter

from headrace.stages.reading.archive import Entry
from headrace.stages.reading.content import Content
from headrace.stages.reading.formats import TAR_BLOCK, holds_tar_header
from headrace.stages.reading.member_names import member_name
from headrace.stages.reading.stream import StreamFaultError
from headrace.stages.reading.window import Window

_MOST_EXTENDED = 1 << 20  # bytes of a header that extends another: a name of a megabyte is an attack
_SEARCHED = 1 << 20
_MAGIC, _MAGIC_AT = b"ustar", 257
_SPARSE_MORE_AT, _SPARSE_MORE_FOLLOWS = 482, 504  # bytes of GNU sparse headers that say whether another one follows
_KINDS = {
    tarfile.DIRTYPE: "directory",
    tarfile.LNKTYPE: "link",
    tarfile.SYMTYPE: "link",
    tarfile.CHRTYPE: "device",
    tarfile.BLKTYPE: "device",
    tarfile.FIFOTYPE: "device",
    b"D": "directory",  # GNU: the names in a directory
    b"V": "label",  # GNU: the name of the volume
}
_RECORD = re.compile(rb"(\d{1,20}) ([^=]+)=")


class TarMembers:
    """The members of a tar archive, in order."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._next = 0  # where the next header is looked for
        self._ended = False
        self._zeros = False  # the archive's end mark was seen
        self._defaults: dict[str, bytes] = {}
        self.counts: Counter[str] = Counter()

    def next(self) -> Entry | None:
        """Give the next member, or what is wrong between members."""
        extended: dict[str, bytes] = {}
        while not self._ended:
            header = self._header()
            if isinstance(header, Entry):
                return header
            if header is not None:
                member = self._member(header, extended)
                if member is not None:
                    return member
        return None

    def _header(self) -> tarfile.TarInfo | Entry | None:
        """Read one header; None for a block of zeros, an entry for a fault."""
        at = self._next
        self._content.move_to(at)
        block = self._content.read(TAR_BLOCK)
        if len(block) < TAR_BLOCK:
            return self._end(block)
        self._next = at + TAR_BLOCK
        if not block.strip(b"\0"):
            self._zeros = True
            self._skip_zeros()
            return None
        try:
            return _parsed(block)
        except (tarfile.HeaderError, ValueError):
            return self._resync(at)

    def _end(self, block: bytes) -> Entry | None:
        self._ended = True
        fault = self._content.fault
        if fault is not None:
            detail = f"{fault.detail}; the members behind are lost"
            return self._lost(StreamFaultError(fault.reason, detail, fault.value, fault.threshold))
        if block.strip(b"\0") or not self._zeros:
            detail = f"the archive ends at its byte {self._content.offset} without an end mark"
            return self._lost(StreamFaultError("truncated", detail))
        return None

    def _skip_zeros(self) -> None:
        """Pass over padding: another archive may follow."""
        while data := self._content.read(_SEARCHED):
            if data != bytes(len(data)):
                self._content.unread(data.lstrip(b"\0"))
                break
        self._next += (self._content.offset - self._next) // TAR_BLOCK * TAR_BLOCK

    def _resync(self, begin: int) -> Entry:
        """Look for the next header wherever it is, since bytes may be missing."""
        self._content.move_to(begin + 1)
        window = b""
        while data := self._content.read(_SEARCHED):
            window += data
            first = self._content.offset - len(window)
            at = window.find(_MAGIC, _MAGIC_AT)
            while at >= 0 and at - _MAGIC_AT + TAR_BLOCK <= len(window):
                if holds_tar_header(window[at - _MAGIC_AT : at - _MAGIC_AT + TAR_BLOCK]):
                    self._next = first + at - _MAGIC_AT
                    detail = f"no header at byte {begin} of the archive; the next one is at byte {self._next}"
                    return self._lost(StreamFaultError("corrupt", detail), begin)
                at = window.find(_MAGIC, at + 1)
            window = window[-TAR_BLOCK:]
        self._ended = True
        detail = f"no header at byte {begin} of the archive, nor behind it"
        return self._lost(self._content.fault or StreamFaultError("corrupt", detail), begin)

    def _lost(self, fault: StreamFaultError, offset: int | None = None) -> Entry:
        return Entry(None, fault=fault, offset=self._content.offset if offset is None else offset)

    def _member(self, header: tarfile.TarInfo, extended: dict[str, bytes]) -> Entry | None:
        """Take a header: what extends the next one is collected, a member is given, all else is counted."""
        if header.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, b"L", b"K"):
            return self._extension(header, extended)
        known = {**self._defaults, **extended}
        extended.clear()
        size = int(known["size"]) if known.get("size", b"").isdigit() else header.size
        raw = known.get("path", header.name.encode("utf-8", "surrogateescape"))
        begin = self._next
        kind = "directory" if header.type in tarfile.REGULAR_TYPES and raw.endswith(b"/") else _KINDS.get(header.type)
        if kind and header.type not in (b"D", b"V"):
            size = 0
        if header.type == tarfile.GNUTYPE_SPARSE:
            begin = self._behind_sparse_map()
        self._next = begin + -(-size // TAR_BLOCK) * TAR_BLOCK
        if kind:
            self.counts[kind] += 1
            return None
        return self._entry(header, member_name(raw, zipped=False), begin, size, known)

    def _entry(self, header: tarfile.TarInfo, name: str, begin: int, size: int, known: dict[str, bytes]) -> Entry:
        if header.type in (tarfile.GNUTYPE_SPARSE, b"M") or any(key.startswith("GNU.sparse") for key in known):
            return Entry(name, fault=StreamFaultError("unsupported_format", "a sparse or split member of a tar"))
        return Entry(name, Window(self._content, begin, size), size)

    def _extension(self, header: tarfile.TarInfo, extended: dict[str, bytes]) -> Entry | None:
        at = self._next
        self._next = at + -(-header.size // TAR_BLOCK) * TAR_BLOCK
        if header.size > _MOST_EXTENDED:
            detail = "a header that extends the next one is too large"
            return self._lost(StreamFaultError("corrupt", detail, header.size, _MOST_EXTENDED), at)
        data = self._content.read(header.size)
        if header.type == b"L":
            extended["path"] = data.rstrip(b"\0")
        elif header.type == tarfile.XGLTYPE:
            self._defaults.update(_records(data))
        elif header.type != b"K":
            extended.update(_records(data))
        return None

    def _behind_sparse_map(self) -> int:
        """Pass over the headers that continue the map of a GNU sparse member."""
        self._content.move_to(self._next - TAR_BLOCK)
        block, more_at = self._content.read(TAR_BLOCK), _SPARSE_MORE_AT
        while len(block) == TAR_BLOCK and block[more_at]:
            block, more_at = self._content.read(TAR_BLOCK), _SPARSE_MORE_FOLLOWS
        return self._content.offset


def _parsed(block: bytes) -> tarfile.TarInfo:
    header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    if header.size < 0:
        raise tarfile.HeaderError("a negative size")
    return header


def _records(data: bytes) -> dict[str, bytes]:
    """Take pax records apart: `length key=value` and a line feed; what is none ends them."""
    found: dict[str, bytes] = {}
    at = 0
    while match := _RECORD.match(data, at):
        end = at + int(match[1])
        if end <= match.end() or end > len(data) or data[end - 1 : end] != b"\n":
            break
        found[match[2].decode("utf-8", "replace")] = data[match.end() : end - 1]
        at = end
    return found
