"""The members of a zip archive by their own headers: of one that is cut off, or packed, or whose directory is damaged.

Structures are those of the ZIP File Format Specification 6.3.10 (APPNOTE.TXT): 4.3.7 (local header), 4.3.9.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator

from headrace.schemas.source import Source
from headrace.stages.reading.archive import FLOOR, Entry
from headrace.stages.reading.bounded import Checked
from headrace.stages.reading.content import EXPANSION_FLOOR, Content, within_expansion
from headrace.stages.reading.member_names import member_name
from headrace.stages.reading.stream import ByteStream, StreamFaultError, UnpackedStream
from headrace.stages.reading.unpack import OPENERS
from headrace.stages.reading.window import Window
from headrace.stages.reading.zip_directory import CENTRAL, END, LOCAL, zip64_values
from headrace.stages.reading.zip_members import DEFLATED, DESCRIPTOR, UTF8, refusal, unpacked_member

_LOCAL = struct.Struct("<4s5H3L2H")
_SEARCHED = 1 << 20
_MOST = 1 << 62


class ZipStream:
    """The members of an archive that is read from its beginning to its end."""

    def __init__(self, content: Content, source: Source) -> None:
        self._content, self._source = content, source
        self._most = max(EXPANSION_FLOOR, source.max_expansion * (content.size or 0))
        self._next: int | None = 0  # where the next header is looked for; None: where the member before it ends
        self._open: UnpackedStream | None = None
        self._entries = self._walk()
        self.counts: Counter[str] = Counter()

    def next(self) -> Entry | None:
        """Give the next member, or what is wrong between members."""
        return next(self._entries, None)

    def _walk(self) -> Iterator[Entry]:
        yield from self._members()
        if self._content.fault is not None:
            fault = self._content.fault
            detail = f"{fault.detail}; the members behind are lost"
            yield self._lost(StreamFaultError(fault.reason, detail, fault.value, fault.threshold))
        elif not self._content.packed:
            detail = "the archive has no directory that can be read: members were found by their own headers"
            yield self._lost(StreamFaultError("truncated", detail))

    def _members(self) -> Iterator[Entry]:
        while True:
            self._leave()
            begin = self._content.offset
            header = self._content.read(_LOCAL.size)
            if header[:4] in (CENTRAL, END):
                return
            if len(header) < _LOCAL.size or header[:4] != LOCAL:
                lost = self._resync(begin) if header else None
                if lost is None:
                    return
                yield lost
                continue
            entry = self._member(begin, header)
            if entry is not None:
                yield entry

    def _member(self, begin: int, header: bytes) -> Entry | None:
        _, _, flags, method, _, _, _, packed, size, name_length, extra_length = _LOCAL.unpack(header)
        raw, extra = self._content.read(name_length), self._content.read(extra_length)
        size, packed, _ = zip64_values(extra, size, packed, 0)
        at, name = self._content.offset, member_name(raw, zipped=not flags & UTF8)
        unknown = bool(flags & DESCRIPTOR) and not packed
        self._next = None if unknown else at + packed
        if raw.endswith(b"/"):
            self.counts["directory"] += 1
            return None
        fault = refusal(flags, method)
        if fault or not unknown:
            return (
                Entry(name, fault=fault)
                if fault
                else self._known(name, Window(self._content, at, packed), header, size)
            )
        if method != DEFLATED:
            self._next = at
            detail = f"the member at byte {begin} of the archive does not say where it ends"
            return Entry(name, fault=StreamFaultError("unsupported_format", detail))
        self._open = UnpackedStream(Window(self._content, at, _MOST), OPENERS["deflate"], single=True)
        whole = self._content.size or 0
        return Entry(name, within_expansion(self._open, whole, EXPANSION_FLOOR, self._source), whole)

    def _known(self, name: str, window: Window, header: bytes, size: int) -> Entry:
        """Give a member whose header says how long it is."""
        _, _, flags, method, _, _, crc, packed, *_ = _LOCAL.unpack(header)
        try:
            stream = unpacked_member(window, method, flags, size)
        except StreamFaultError as fault:
            return Entry(name, fault=fault)
        return Entry(name, Checked(within_expansion(stream, packed, FLOOR, self._source), size, crc), size)

    def _leave(self) -> None:
        """Go to where the member ends that was given last."""
        if self._next is not None:
            self._content.move_to(self._next)
            return
        if self._open:
            _drain(self._open, self._most)
            self._content.unread(self._open.leftover())
            self._open = None
        self._skip_descriptor()

    def _skip_descriptor(self) -> None:
        """Pass over checksum and sizes behind a member: 12 to 24 bytes, whose form nothing states."""
        behind = self._content.read(28)
        ends = (behind.find(signature) for signature in (LOCAL, CENTRAL, END))
        self._content.unread(behind[min((end for end in ends if end >= 0), default=0) :])

    def _resync(self, begin: int) -> Entry | None:
        """Look for the next header; None where there is none."""
        self._content.move_to(begin + 1)
        window = b""
        while data := self._content.read(_SEARCHED):
            window += data
            at = window.find(LOCAL)
            if at >= 0:
                self._next = self._content.offset - len(window) + at
                detail = f"no header at byte {begin} of the archive; the next one is at byte {self._next}"
                return self._lost(StreamFaultError("corrupt", detail), begin)
            window = window[-len(LOCAL) :]
        return None

    def _lost(self, fault: StreamFaultError, offset: int | None = None) -> Entry:
        return Entry(None, fault=fault, offset=self._content.offset if offset is None else offset)


def _drain(stream: ByteStream, most: int) -> None:
    """Read a stream to its end, to its fault, or so far."""
    try:
        while most > 0 and (data := stream.read(_SEARCHED)):
            most -= len(data)
    except StreamFaultError:
        pass
