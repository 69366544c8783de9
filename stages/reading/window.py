"""A stretch of an archive's content: the bytes of one member."""

from __future__ import annotations

from headrace.stages.reading.content import Content
from headrace.stages.reading.stream import StreamFaultError


class Window:
    """So many bytes of a content from a place onwards; the content belongs to the archive and stays open."""

    def __init__(self, content: Content, begin: int, size: int) -> None:
        self._content, self._at, self._end = content, begin, begin + size

    def read(self, size: int) -> bytes:
        """Give up to `size` bytes; raises StreamFaultError where the archive ends inside the member."""
        wanted = min(size, self._end - self._at)
        if wanted <= 0:
            return b""
        self._content.move_to(self._at)
        data = self._content.read(wanted) if self._content.offset == self._at else b""
        self._at += len(data)
        if not data:
            raise self._content.fault or StreamFaultError("truncated", "the archive ends inside the member")
        return data

    def peek(self, size: int) -> bytes:
        """Give the next bytes without moving on."""
        data = self.read(size)
        self._content.unread(data)
        self._at -= len(data)
        return data

    def close(self) -> None:
        """Leave the archive open."""
