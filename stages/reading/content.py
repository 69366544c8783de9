"""One input file, opened: unpacked, its format recognised, and readable from any byte of its content."""

from __future__ import annotations

from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.formats import HEAD_BYTES, format_of, packing
from headrace.stages.reading.storage import open_listed
from headrace.stages.reading.stream import ByteStream, PlainStream, StreamFaultError, gunzip, unzstd
from headrace.stages.reading.wide import bom_of, wide_by_zeros

_SKIP = 1 << 20
_MAX_LAYERS = 3  # .gz of .gz happens; more is an attack
_BEFORE = 4096


class Content:
    """The content of one file, read forwards from `offset`; a fault ends it like an end of file, and is in `fault`."""

    def __init__(self, file: InputFile, stream: ByteStream, plain: PlainStream, source: Source) -> None:
        self.file, self._stream, self._plain = file, stream, plain
        self.path = self.name = file.path  # where the file is; whose ending tells the format
        self.member: str | None = None
        self.offset = 0
        self.fault: StreamFaultError | None = None
        self._pending = b""
        head = self.read(HEAD_BYTES)
        self.unread(head)
        self.blank = not head
        self.wide = bom_of(head) or wide_by_zeros(head)
        self.format = format_of(head, file.path, source, self.wide)

    @property
    def packed(self) -> bool:
        """Say whether the content differs from the file's bytes."""
        return self._stream is not self._plain

    def read(self, size: int) -> bytes:
        """Give `size` bytes, fewer only before the end or a fault."""
        first, self._pending = self._pending[:size], self._pending[size:]
        data = first + self._more(size - len(first)) if len(first) < size else first
        self.offset += len(data)
        return data

    def unread(self, data: bytes) -> None:
        """Give bytes back: the next read begins with them."""
        self._pending = data + self._pending
        self.offset -= len(data)

    def ended(self) -> bool:
        """Say whether nothing follows, not even a fault."""
        byte = self.read(1)
        self.unread(byte)
        return not byte and self.fault is None

    def move_to(self, offset: int) -> None:
        """Go on at a byte of the content; what is compressed is unpacked up to there, never backwards."""
        if not self.packed and offset != self.offset:
            self._pending, self.offset = b"", offset
            self._plain.seek(offset)
        while self.offset < offset and self.read(min(_SKIP, offset - self.offset)):
            pass

    def before(self, offset: int) -> bytes:
        """Give bytes in front of an offset, back to a line end or some visible character (plain files only)."""
        size = _BEFORE
        while True:
            begin = max(0, offset - size)
            self._plain.seek(begin)
            text = self._plain.read(offset - begin)
            self._plain.seek(self.offset + len(self._pending))
            if not begin or b"\n" in text[:-1] or text.strip():
                return text
            size *= 4

    def drain(self, at_most: int) -> int:
        """Read to the end without keeping anything; give the number of bytes, of which `at_most` are looked at."""
        begin = self.offset
        if not self.packed:
            return self.file.bytes - begin
        while self.offset - begin < at_most and self.read(_SKIP):
            pass
        return self.offset - begin

    def close(self) -> None:
        """Release the file."""
        self._stream.close()

    def _more(self, size: int) -> bytes:
        pieces: list[bytes] = []
        while size > 0 and self.fault is None:
            try:
                piece = self._stream.read(size)
            except StreamFaultError as fault:
                self.fault = fault
                break
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def open_content(root: str, file: InputFile, source: Source) -> Content:
    """Open a listed file; raises StreamFaultError if it cannot be read, HeadraceError if it is not the listed one."""
    plain = PlainStream(open_listed(root, file))
    stream: ByteStream = plain
    for _ in range(_MAX_LAYERS):
        kind = packing(_head(stream))
        if kind is None:
            break
        stream = gunzip(stream) if kind == "gzip" else unzstd(stream)
    return Content(file, stream, plain, source)


def _head(stream: ByteStream) -> bytes:
    try:
        return stream.peek(HEAD_BYTES)
    except StreamFaultError:
        return b""  # nothing was delivered; the first read says why
