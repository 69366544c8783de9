"""The content of a WARC file as runs of bytes that follow on each other, with where each lies in the packed file.

A file of gzip members or zstd frames is unpacked member after member. Where one is broken the run ends, and the next
run begins at the next member that a record begins in. So a fault costs the records it hits and no other.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from headrace.stages.reading.formats import packing
from headrace.stages.reading.stream import ByteStream, StreamFaultError
from headrace.stages.reading.warc_packed import PackedBytes
from headrace.stages.reading.warc_unpack import DamagedError, OpenMember, StoredBytes, Unpacker

_MAGIC = 4
_CHUNK, _PLAIN_CHUNK = 1 << 16, 1 << 20  # read at once: what unpacks to some hundred kB, or as much as is wanted


@dataclass(frozen=True, slots=True)
class Break:
    """Why a run ended before the file did; `following` is the byte of the file where the next run begins.

    Where all of a member was unpacked and is not what was packed, `wrong_from` is the content byte where it begins.
    """

    reason: str
    detail: str
    following: int | None
    wrong_from: int | None = None


class Members:
    """Unpacked bytes of one run in `buffer`, whose first is at `offset` of the content; `closed`: the run has no more.

    `broken` says why a closed run is not the end of the file.
    """

    broken: Break | None

    def __init__(self, inner: ByteStream, kind: str | None, open_member: OpenMember) -> None:
        self._packed, self._kind, self._open_member = (
            PackedBytes(inner, _CHUNK if kind else _PLAIN_CHUNK),
            kind,
            open_member,
        )
        self.buffer, self.offset = bytearray(), 0
        self.closed, self.broken = False, None
        self._member = None if kind else open_member()
        self._given = 0  # bytes that the member gave
        self._begins = deque([(0, 0)])  # of members: byte of the content, byte of the file

    @property
    def packed(self) -> bool:
        """Say whether the content is unpacked from members."""
        return self._kind is not None

    @property
    def place(self) -> int:
        """Give the byte of the file where the member begins that holds the first byte of the buffer."""
        offset, place = self._begins[0]
        return place if self.packed else place + self.offset - offset

    @property
    def at_member(self) -> bool:
        """Say whether the file can be entered at the first byte of the buffer: where a member begins, or unpacked."""
        return self._packed.seekable and (not self.packed or self._begins[0][0] == self.offset)

    def members_in(self, begin: int, end: int) -> list[int]:
        """Give the places of the buffer in [begin, end] where members begin."""
        return [at for offset, _ in self._begins if begin <= (at := offset - self.offset) <= end]

    def fill(self, size: int) -> int:
        """Unpack until the buffer holds `size` bytes or the run ends; give how many it holds."""
        while len(self.buffer) < size and not self.closed:
            self._step()
        return len(self.buffer)

    def drop(self, size: int) -> None:
        """Move on."""
        del self.buffer[:size]
        self.offset += size
        while len(self._begins) > 1 and self._begins[1][0] <= self.offset:
            self._begins.popleft()

    def enter(self, offset: int, place: int) -> None:
        """Go to a byte of the content: straight to the byte of the file, or (place 0) by unpacking all before it."""
        if place:
            self._restart(offset, place)
        while self.offset < offset:
            self.drop(min(self.fill(1), offset - self.offset))
            if self.closed and not self.buffer and self.offset < offset and not self.next_run():
                return

    def next_run(self) -> bool:
        """Go to where the next run begins, behind all that is left of this one; False if there is none.

        Content that was lost takes one byte, so that what follows has another place than the fault.
        """
        lost = self.broken is not None and self.broken.wrong_from is None
        self.drop(len(self.buffer))
        following = self.broken.following if self.broken else None
        self.closed, self.broken = True, None
        if following is None:
            return False
        self._restart(self.offset + lost, following)
        return True

    def leave_member(self) -> None:
        """Give up the member that is being unpacked; the run ends here."""
        self._break("record_too_large", f"the rest of the {self._which()} was not unpacked")

    def close(self) -> None:
        """Release the file."""
        self._packed.close()

    def _restart(self, offset: int, place: int) -> None:
        self._packed.seek(place)
        self.offset, self.closed, self.broken = offset, False, None
        self.buffer.clear()
        self._begins = deque([(offset, place)])
        self._member = None if self.packed else StoredBytes()

    def _step(self) -> None:
        try:
            if not self._packed.more(_MAGIC if self._member is None else 1):
                self._end()
            elif self._member is None:
                self._enter_member()
            else:
                self._feed(self._member)
        except StreamFaultError as error:
            self._break(error.reason, error.detail)

    def _feed(self, member: Unpacker) -> None:
        try:
            output, used = member.feed(self._packed.window)
        except DamagedError as damage:
            self._keep(self._packed.rescued(self._begins[-1][1], self._given, self._open_member))
            wrong_from = self._begins[-1][0] if damage.checksum else None
            self._break("corrupt", f"{self._which()}: {damage.detail}", wrong_from)
            return
        self._keep(output)
        self._packed.take(used)
        if member.finished:
            self._member = None

    def _enter_member(self) -> None:
        packed, end = self._packed, self.offset + len(self.buffer)
        if packed.window[0] == 0:  # tapes are padded
            packed.take(len(packed.window) - len(bytes(packed.window).lstrip(b"\0")))
            return
        if packing(bytes(packed.window[:_MAGIC])) != self._kind:
            self._break("corrupt", f"no {self._kind} member begins at byte {packed.at} of the file")
            return
        self._member, self._given = self._open_member(), 0
        if self._begins[-1][0] == end:
            self._begins.pop()  # it gave nothing
        self._begins.append((end, packed.at))

    def _end(self) -> None:
        member, before = self._member, self._given
        if member is None or not self.packed:
            self.closed = True
            return
        self._feed(member)  # what is still inside
        if not (member.finished or self.closed) and self._given == before:
            self._break("truncated", f"the file ends in the {self._which()}")

    def _keep(self, output: bytes) -> None:
        self.buffer += output
        self._given += len(output)

    def _which(self) -> str:
        return f"{self._kind} member at byte {self._begins[-1][1]} of the file"

    def _break(self, reason: str, detail: str, wrong_from: int | None = None) -> None:
        following = self._following() if reason != "unreadable_file" else None
        self.closed, self.broken = True, Break(reason, detail, following, wrong_from)

    def _following(self) -> int | None:
        if self._kind is None or not self._packed.seekable:
            return None
        begin = self._begins[-1][1] + 1 if self._member else self._packed.at
        return self._packed.find_member(begin, self._kind, self._open_member)
