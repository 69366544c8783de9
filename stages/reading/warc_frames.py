"""Cut a WARC or ARC file into records: header, block, and the proof that the block ends where the header says.

The proof is what follows: line ends and then a header, a new gzip member or the end of the file. Where it fails, the
length is wrong, and the block is taken to end where the next header begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.stages.reading.warc_heads import MOST_HEAD, Head, find_head, head_at, may_begin
from headrace.stages.reading.warc_members import Break, Members

_LOOKED_AT = 1 << 13  # behind a block: line ends, and enough of the next header to know it
_WINDOW = 1 << 20
_BEGINNING = 1 << 16  # of a record that is too long: enough to tell its type by
_MOST_JUNK = 1 << 28  # in one piece: a second's work
_GIVE_UP_FACTOR = 16  # a packed record this many times over the limit is not unpacked to its end
_NEAR = 6  # a blank line or two with a byte too many
_LINE_ENDS = re.compile(rb"[\r\n]*")
_LF, _CR = 10, 13
_BLANK_LINES = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class Frame:
    """One record. `size` is the length of its block; `block` holds less where that is over the limit.

    `faults` names what was wrong about it and could be mended.
    """

    offset: int
    place: int  # byte of the file where its gzip member begins, as an index (CDX) has it
    head: Head
    block: bytes
    size: int
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """A place of the content where there should be a record and none can be read."""

    offset: int
    reason: str
    detail: str
    value: float | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


class Frames:
    """The records of a file, one after the other; `most` is the longest block that is kept."""

    def __init__(self, members: Members, most: int, *, arc: bool) -> None:
        self._members, self._most, self._arc = members, most, arc

    def next(self) -> Frame | Lost | None:
        """Give the next record, or what is there in its stead; None at the end of the file."""
        members = self._members
        self._skip_line_ends()
        if not members.fill(1):
            return self._broken(members.broken, {}) if members.broken else None
        members.fill(_LOOKED_AT)
        head = head_at(members.buffer, 0)
        if head is None and may_begin(members.buffer, 0):
            members.fill(MOST_HEAD)
            head = head_at(members.buffer, 0)
        if head is None and self._ends_in_header():
            return self._cut({}, None)
        if head is None:
            return self._no_record()
        if head.length is not None and head.length > self._most:
            return self._too_long(head)
        return self._record(head)

    def settled(self) -> bool:
        """Say whether the file can be left here: what comes next begins a record, or nothing comes."""
        self._skip_line_ends()
        return bool(self._members.fill(1)) or self._members.broken is None

    def _ends_in_header(self) -> bool:
        members = self._members
        held = len(members.buffer)
        return members.closed and may_begin(members.buffer, 0) and self._find(1, held) is None

    def _skip_line_ends(self) -> None:
        members = self._members
        while members.fill(1) and members.buffer[0] in b"\r\n":
            members.drop(_behind_line_ends(members.buffer, 0))

    def _record(self, head: Head) -> Frame | Lost:
        members = self._members
        if head.length is None:
            return self._up_to_the_next(head, head.size, "content_length_missing")
        end = head.size + head.length
        held = members.fill(end + _LOOKED_AT)
        after = _behind_line_ends(members.buffer, end)
        if held >= end and self._may_end(end, after):
            return self._framed(head, end, end)
        shorter = self._find(head.size, min(held, end))
        if shorter is not None:
            return self._framed(head, shorter, None, "content_length_too_long")
        if members.broken is not None and after >= held:
            return self._broken(members.broken, head.fields)
        if held < end:
            return self._cut(head.fields, end - held)
        if _BLANK_LINES.match(members.buffer, end):
            return self._framed(head, end, end)  # the length is right, and what follows is no record
        near = next((at for at in range(end, end + _NEAR) if head_at(members.buffer, at) is not None), None)
        if near is not None:
            return self._framed(head, near, end, "separator_damaged")
        return self._up_to_the_next(head, end, "content_length_too_short")

    def _may_end(self, end: int, after: int) -> bool:
        """Say whether a record may end here: a header, a new member or the end of the run is behind its line ends."""
        members = self._members
        if after == len(members.buffer) and members.closed:
            wrong_from = members.broken.wrong_from if members.broken else None
            return wrong_from is None or members.offset + end <= wrong_from
        return may_begin(members.buffer, after) or bool(members.members_in(after, after))

    def _framed(self, head: Head, end: int, stop: int | None, *faults: str) -> Frame:
        """Give a record and move on to `end`; where its block stops is the same, or (None) before the blank lines."""
        members = self._members
        stop = _before_blank_lines(members.buffer, head.size, end) if stop is None else stop
        block = bytes(memoryview(members.buffer)[head.size : stop])
        frame = Frame(members.offset, members.place, head, block, len(block), faults)
        members.drop(end)
        return frame

    def _find(self, begin: int, end: int) -> int | None:
        """Give the first place of the buffer in [begin, end) where a record begins: on a line or in a new member."""
        members = self._members
        on_line = find_head(members.buffer, begin, end, arc=self._arc)
        entered = (at for at in members.members_in(begin, end - 1) if head_at(members.buffer, at) is not None)
        return min((at for at in (on_line, next(entered, None)) if at is not None), default=None)

    def _up_to_the_next(self, head: Head, begin: int, fault: str) -> Frame | Lost:
        """Give a record whose block ends where the next one begins, or the file ends."""
        members, looked = self._members, begin
        while True:
            held = members.fill(looked + _WINDOW)
            found = self._find(looked, held)
            if (held if found is None else found) - head.size > self._most:
                return self._too_long(head)
            if found is not None:
                return self._framed(head, found, None, fault)
            if members.closed:
                break
            looked = max(begin, held - MOST_HEAD)
        if members.broken is not None:
            return self._broken(members.broken, head.fields)
        return self._framed(head, held, None, fault)

    def _cut(self, fields: Mapping[str, str], missing: int | None) -> Lost:
        """Give a record that the run ends in."""
        members, offset = self._members, self._members.offset
        if members.broken is not None:
            return self._broken(members.broken, fields)
        members.next_run()
        where = "in its header" if missing is None else f"{missing:,} bytes before the record does"
        return Lost(offset, "truncated", f"the file ends {where}", missing, fields)

    def _broken(self, broken: Break, fields: Mapping[str, str]) -> Lost:
        """Give a fault of the packed file, which costs what is in the buffer, and go on behind it."""
        offset, held = self._members.offset, len(self._members.buffer)
        self._members.next_run()
        further = "nothing follows" if broken.following is None else f"reading goes on at byte {broken.following}"
        return Lost(offset, broken.reason, f"{broken.detail}; {further}", held, fields)

    def _no_record(self) -> Lost:
        offset = self._members.offset
        self._skip(1, None, _MOST_JUNK)
        size = self._members.offset - offset
        return Lost(offset, "no_record", f"{size:,} bytes in which no record begins", size)

    def _too_long(self, head: Head) -> Frame:
        members = self._members
        offset, place = members.offset, members.place
        members.fill(head.size + _BEGINNING)
        beginning = bytes(members.buffer[head.size : head.size + min(_BEGINNING, self._most)])
        end = None if head.length is None else offset + head.size + head.length
        left = self._skip(head.size, end, self._most * _GIVE_UP_FACTOR if members.packed else None)
        size = members.offset - offset - head.size if head.length is None else head.length
        if left:
            self._give_up()
        return Frame(offset, place, head, beginning, size)

    def _skip(self, begin: int, stop: int | None, most: int | None) -> bool:
        """Move on to the next record, the content byte `stop` or the end of the run, keeping nothing.

        True if it was given up behind `most` bytes. Where that is depends on where it began alone.
        """
        members = self._members
        limit = None if most is None else members.offset + most
        while limit is None or members.offset < limit:
            held = members.fill(begin + _WINDOW + MOST_HEAD)  # a header that begins in the window is whole
            left = held if stop is None else stop - members.offset
            until = min(held, begin + _WINDOW, left)
            found = self._find(begin, until)
            over = (members.closed and until == held) or (stop is not None and until == left)
            if found is not None or over:
                members.drop(until if found is None else found)
                return False
            members.drop(until - 1)
            begin = 1
        return True

    def _give_up(self) -> None:
        members = self._members
        members.leave_member()
        members.drop(len(members.buffer))
        if members.broken is not None and members.broken.following is not None:
            members.next_run()  # else the fault is reported: it costs the rest of the file


def _behind_line_ends(buffer: bytearray, at: int) -> int:
    found = _LINE_ENDS.match(buffer, at)
    return found.end() if found else at


def _before_blank_lines(buffer: bytearray, begin: int, end: int) -> int:
    """Give where a block stops that is followed by two line ends (fewer, where a writer left them out)."""
    for _ in range(2):
        end -= 1 if end > begin and buffer[end - 1] == _LF else 0
        end -= 1 if end > begin and buffer[end - 1] == _CR else 0
    return end
