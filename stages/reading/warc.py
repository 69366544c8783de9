"""Read WARC and ARC files, packed or not: each page a document, each fault named, and nothing lost between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import PurePath

from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.content import Content
from headrace.stages.reading.formats import packing
from headrace.stages.reading.part import Fault, Position, Records, Stretch
from headrace.stages.reading.storage import open_listed
from headrace.stages.reading.stream import PlainStream
from headrace.stages.reading.warc_frames import Frames, Lost
from headrace.stages.reading.warc_heads import may_begin
from headrace.stages.reading.warc_members import Members
from headrace.stages.reading.warc_pages import Page, taken, url_of
from headrace.stages.reading.warc_unpack import GZIP, MAGICS, ZSTD, StoredBytes, opener

_HEAD = 4096
_MAGIC = 32
_PROMISED = {".gz": GZIP, ".zst": ZSTD}  # by names of files whose first bytes are damaged


class WarcFile:
    """A WARC or ARC file that is read from the beginning of a record onwards."""

    def __init__(self, path: str, source: Source, members: Members, *, arc: bool) -> None:
        self._path, self._source, self._members = path, source, members
        self._frames = Frames(members, source.max_record_bytes, arc=arc)

    def read(self, budget: int) -> Stretch:
        """Give the records that begin in the next `budget` bytes of the content."""
        begin = self._members.offset
        records: list[Records] = []
        faults: list[Fault] = []
        counts: Counter[str] = Counter()
        while self._members.offset - begin < budget or not self._frames.settled():
            frame = self._frames.next()
            if frame is None:
                break
            if isinstance(frame, Lost):
                faults.append(self._fault(frame))
                continue
            counts.update(frame.faults)
            match taken(frame, self._path, self._source):
                case Page() as page:
                    records.append(page.records)
                    counts.update(page.faults)
                case Fault() as fault:
                    faults.append(fault)
                case str() as kind:
                    counts[kind] += 1
        size = self._members.offset - begin
        return Stretch(self._path, tuple(records), tuple(faults), self._following(), size, dict(sorted(counts.items())))

    def close(self) -> None:
        """Release the file."""
        self._members.close()

    def _following(self) -> Position | None:
        members = self._members
        if not members.fill(1):
            return None
        return Position(members.offset, members.place if members.at_member else 0, None)

    def _fault(self, lost: Lost) -> Fault:
        fields = lost.fields
        record_id, url = fields.get("warc-record-id"), url_of(fields)
        return Fault(self._path, lost.offset, lost.reason, lost.detail, lost.value, record_id=record_id, url=url)


class WarcMember:
    """A WARC or ARC file inside an archive, which is unpacked from its beginning; records are named by both."""

    def __init__(self, content: Content, source: Source, place: Position) -> None:
        members = Members(_Inner(content), None, StoredBytes)
        members.enter(place.offset, 0)
        self._name = content.member
        self._file = WarcFile(content.path, source, members, arc=content.format == "arc")

    def read(self, budget: int) -> Stretch:
        """Give the records that begin in the next `budget` bytes of the content."""
        stretch = self._file.read(budget)
        records = tuple(replace(records, member=self._name) for records in stretch.records)
        return replace(stretch, records=records, faults=tuple(replace(f, member=self._name) for f in stretch.faults))

    def close(self) -> None:
        """Release the member."""
        self._file.close()


class _Inner:
    """The content of a WARC that is packed in some other way, as a stream that cannot be entered in the middle."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def read(self, size: int) -> bytes:
        data = self._content.read(size)
        if not data and self._content.fault is not None:
            raise self._content.fault
        return data

    def peek(self, size: int) -> bytes:
        data = self.read(size)
        self._content.unread(data)
        return data

    def close(self) -> None:
        self._content.close()


def open_warc(root: str, file: InputFile, content: Content, source: Source, place: Position) -> WarcFile:
    """Open a file that was found to be a WARC or ARC at a place of it; raises StreamFaultError if it cannot be read."""
    members = _members(root, file, content)
    members.enter(place.offset, place.member)
    return WarcFile(file.path, source, members, arc=content.format == "arc")


def _members(root: str, file: InputFile, content: Content) -> Members:
    stream = PlainStream(open_listed(root, file))
    head = stream.peek(_HEAD)
    kind = packing(head) or (None if may_begin(head, 0) else _PROMISED.get(PurePath(file.path).suffix.lower()))
    if kind in (None, *MAGICS):
        members = Members(stream, kind, opener(stream, kind))
        if kind is None or not members.fill(_MAGIC) or packing(bytes(members.buffer[:_MAGIC])) is None:
            content.close()
            return members
    stream.close()
    return Members(_Inner(content), None, StoredBytes)
