"""One input file, opened: unpacked, its format recognised, and readable from any byte of its content."""

from __future__ import annotations

from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.bounded import Bounded
from headrace.stages.reading.formats import HEAD_BYTES, format_of, packing
from headrace.stages.reading.storage import open_listed
from headrace.stages.reading.stream import ByteStream, PlainStream, StreamFaultError, UnpackedStream
from headrace.stages.reading.unpack import OPENERS
from headrace.stages.reading.wide import bom_of, wide_by_zeros

_SKIP = 1 << 20
_MAX_LAYERS = 3  # .gz of .gz happens; more is an attack
EXPANSION_FLOOR = 100_000_000  # bytes that any compressed file may unpack to: a third of a second's work
_BEFORE = 4096


class Content:
    """The content of a file or of an archive's member, read forwards from `offset`.

    A fault ends it like an end of file, and is in `fault`. `seekable` is the file itself where nothing is unpacked.
    """

    def __init__(
        self,
        path: str,
        stream: ByteStream,
        source: Source,
        *,
        member: str | None = None,
        size: int | None = None,
        seekable: PlainStream | None = None,
    ) -> None:
        self.path, self.member, self.size = path, member, size
        self._stream, self._seekable = stream, seekable
        self.offset = 0
        self.fault: StreamFaultError | None = None
        self._pending = b""
        head = self.read(HEAD_BYTES)
        self.unread(head)
        self.blank = not head
        self.wide = bom_of(head) or wide_by_zeros(head)
        self.format = format_of(head, self.name, source, self.wide)

    @property
    def name(self) -> str:
        """Give the name whose ending tells the format."""
        return self.path if self.member is None else self.member

    @property
    def packed(self) -> bool:
        """Say whether the content differs from the file's bytes."""
        return self._seekable is None

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
        if self._seekable and offset != self.offset:
            self._pending, self.offset = b"", offset if self.size is None else min(offset, self.size)
            self._seekable.seek(self.offset)
        while self.offset < offset and self.read(min(_SKIP, offset - self.offset)):
            pass

    def before(self, offset: int) -> bytes:
        """Give bytes in front of an offset, back to a line end or some visible character (plain files only)."""
        size, plain = _BEFORE, self._seekable
        while plain:
            begin = max(0, offset - size)
            plain.seek(begin)
            text = plain.read(offset - begin)
            plain.seek(self.offset + len(self._pending))
            if not begin or b"\n" in text[:-1] or text.strip():
                return text
            size *= 4
        return b""

    def drain(self, at_most: int) -> int:
        """Read to the end without keeping anything; give the number of bytes, of which `at_most` are looked at."""
        begin = self.offset
        if self._seekable and self.size is not None:
            return self.size - begin
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
    try:
        stream = unpacked(plain, file.bytes, EXPANSION_FLOOR, source)
    except StreamFaultError:
        plain.close()
        raise
    return Content(file.path, stream, source, size=file.bytes, seekable=plain if stream is plain else None)


def unpacked(stream: ByteStream, size: int, floor: int, source: Source) -> ByteStream:
    """Give what is inside all layers of compression; so many bytes may grow by the source's bound, or to the floor."""
    inside = stream
    for _ in range(_MAX_LAYERS):
        kind = packing(_head(inside))
        if kind is None:
            break
        inside = UnpackedStream(inside, OPENERS[kind])
    else:
        if packing(_head(inside)):
            detail = f"compressed more than {_MAX_LAYERS} times over"
            raise StreamFaultError("too_many_layers", detail, _MAX_LAYERS + 1, _MAX_LAYERS)
    return inside if inside is stream else within_expansion(inside, size, floor, source)


def within_expansion(stream: ByteStream, size: int, floor: int, source: Source) -> ByteStream:
    """End a stream that grows out of so many bytes where it passes the source's bound, and the floor."""
    most = max(floor, source.max_expansion * size)
    detail = f"{size} bytes unpack to more than {most}: what follows is not read (the source's max_expansion)"
    return Bounded(stream, most, StreamFaultError("expansion", detail, most / max(1, size), source.max_expansion))


def _head(stream: ByteStream) -> bytes:
    try:
        return stream.peek(HEAD_BYTES)
    except StreamFaultError:
        return b""  # nothing was delivered; the first read says why
