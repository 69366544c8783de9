"""The bytes of a WARC file as they lie on the disk: read in pieces, and searched for members that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.stages.reading.stream import ByteStream, PlainStream
from headrace.stages.reading.warc_heads import holds_head, may_begin
from headrace.stages.reading.warc_unpack import MAGICS, DamagedError, OpenMember, Unpacker, beginning

_TRIED = 1 << 16  # packed and unpacked bytes of a member that are looked at for a record
_FIRST = 64


class PackedBytes:
    """A window on the file: `window` begins at byte `at`."""

    def __init__(self, inner: ByteStream, chunk: int) -> None:
        self._inner, self._chunk = inner, chunk
        self.window, self.at = memoryview(b""), 0

    @property
    def seekable(self) -> bool:
        """Say whether the file can be entered anywhere (gzip inside gzip cannot)."""
        return isinstance(self._inner, PlainStream)

    def more(self, size: int) -> int:
        """Read on until the window holds `size` bytes or the file ends; give how many it holds."""
        while len(self.window) < size:
            data = self._inner.read(self._chunk)
            if not data:
                break
            self.window = memoryview(bytes(self.window) + data if self.window else data)
        return len(self.window)

    def take(self, size: int) -> None:
        """Move on."""
        self.window, self.at = self.window[size:], self.at + size

    def seek(self, at: int) -> None:
        """Go to a byte of the file."""
        if isinstance(self._inner, PlainStream):
            self._inner.seek(at)
            self.window, self.at = memoryview(b""), at

    def close(self) -> None:
        """Release the file."""
        self._inner.close()

    def find_member(self, begin: int, kind: str, open_member: OpenMember) -> int | None:
        """Give the next byte from `begin` on where a member begins that a record begins in."""
        self.seek(begin)
        while self.more(_TRIED):
            found = bytes(self.window).find(MAGICS[kind])
            if found >= 0:
                self.take(found)
                self.more(_TRIED)
                if _holds_record(open_member, bytes(self.window[:_TRIED])):
                    return self.at
            self.take(1 if found >= 0 else max(1, len(self.window) - len(MAGICS[kind]) + 1))
        return None

    def rescued(self, begin: int, given: int, open_member: OpenMember) -> bytes:
        """Give what a broken member, which begins at a byte of the file, gives beyond the `given` bytes it gave.

        A call that fails keeps its output to itself, so the window it failed in is unpacked byte by byte.
        """
        if not self.seekable:
            return b""
        failed, window = self.at, self.window
        return _without_first(self._again(begin, failed, window, open_member()), given)

    def _again(self, begin: int, failed: int, window: memoryview, member: Unpacker) -> Iterator[bytes]:
        self.seek(begin)
        while self.at < failed and self.more(1):
            piece, used = member.feed(self.window[: failed - self.at])
            self.take(used)
            yield piece
        try:
            while window:
                piece, used = member.feed(window[:1])
                window = window[used:]
                yield piece
        except DamagedError:
            return


def _without_first(pieces: Iterator[bytes], size: int) -> bytes:
    kept = []
    for piece in pieces:
        kept.append(piece[size:])
        size = max(0, size - len(piece))
    return b"".join(kept)


def _holds_record(open_member: OpenMember, data: bytes) -> bool:
    if may_begin(beginning(open_member, data, _FIRST), 0):
        return True
    return holds_head(beginning(open_member, data, _TRIED))
