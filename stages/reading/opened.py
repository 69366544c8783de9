"""An input file that is being read, whatever it is: one call gives the records of the next few megabytes."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import pyarrow as pa

from headrace.schemas.document import DROPPED, QUARANTINED
from headrace.schemas.source import InputFile, Source, Split
from headrace.stages.reading.archive import ArchiveFile
from headrace.stages.reading.content import Content, open_content
from headrace.stages.reading.formats import ARCHIVES, TABLES, WARCS, holds_no_text
from headrace.stages.reading.header import read_header, with_header
from headrace.stages.reading.part import Fault, Position, Stretch
from headrace.stages.reading.records import align, cutter_of, read_stretch
from headrace.stages.reading.storage import open_table
from headrace.stages.reading.stream import StreamFaultError
from headrace.stages.reading.table import TableFile
from headrace.stages.reading.tar_members import TarMembers
from headrace.stages.reading.warc import WarcMember, open_warc
from headrace.stages.reading.zip_members import ZipMembers, zip_members
from headrace.stages.reading.zip_stream import ZipStream

_MOST_TABLE = 1 << 28  # bytes of a table that is packed or inside an archive: it is read from memory


class OpenedFile(Protocol):
    """What the reader keeps open between parts."""

    def read(self, budget: int) -> Stretch:
        """Give the next records, about `budget` bytes of them."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class RefusedFile:
    """A file that gives nothing, or nothing but the reason why."""

    def __init__(self, path: str, *faults: Fault) -> None:
        self._path, self._faults = path, faults

    def read(self, budget: int) -> Stretch:
        """Give the reason."""
        del budget
        return Stretch(self._path, (), self._faults, None, 0)

    def close(self) -> None:
        """Do nothing: no file is open."""


class RecordFile:
    """A file whose records are cut out of its bytes."""

    def __init__(
        self, content: Content, source: Source, end: int | None, header: bytes | None, line: int | None
    ) -> None:
        self._content, self._source, self._end, self._header = content, source, end, header
        self._line = line

    def read(self, budget: int) -> Stretch:
        """Give the next records."""
        stretch = read_stretch(self._content, self._source, budget, self._end, self._line)
        self._line = stretch.next.line if stretch.next else None
        return stretch if self._header is None else with_header(stretch, self._header)

    def close(self) -> None:
        """Release the file."""
        self._content.close()


def open_file(split: Split, file: InputFile, source: Source, place: Position) -> OpenedFile:
    """Open a file of a split at a place of it; the same place gives the same records, whoever was there before."""
    try:
        content = open_content(split.root, file, source)
        return _open_file(split, file, content, source, place)
    except StreamFaultError as fault:
        return RefusedFile(file.path, _fault(file.path, None, fault))


def _open_file(split: Split, file: InputFile, content: Content, source: Source, place: Position) -> OpenedFile:
    if content.format in ARCHIVES:
        members = _archive(content, source)
        return ArchiveFile(content, members, source, place, _open_member)
    if content.format in WARCS:
        return _open_warc(split, file, content, source, place)
    if content.format in TABLES and not content.packed:
        content.close()
        return TableFile(content, partial(open_table, split.root, file), file.bytes, source, place.offset)
    return _open_content(content, source, place, split.begin, split.end)


def _open_warc(split: Split, file: InputFile, content: Content, source: Source, place: Position) -> OpenedFile:
    try:
        return open_warc(split.root, file, content, source, place)
    except StreamFaultError:
        content.close()
        raise


def _archive(content: Content, source: Source) -> TarMembers | ZipStream | ZipMembers:
    if content.format == "tar":
        return TarMembers(content)
    return zip_members(content, source) or ZipStream(content, source)


def _open_member(content: Content, source: Source, place: Position) -> OpenedFile:
    """Open a member of an archive; an archive inside it is not taken apart."""
    if content.format in WARCS:
        return WarcMember(content, source, place)
    if content.format in ARCHIVES:
        return _refused(content, StreamFaultError("unsupported_format", f"{content.format} inside an archive"))
    return _open_content(content, source, place, 0, None)


def _open_content(content: Content, source: Source, place: Position, begin: int, end: int | None) -> OpenedFile:
    """Open what is no container of its own at a place of it, which may be cut into ranges [begin, end)."""
    if content.format in TABLES:
        return _open_table_in_memory(content, source, place)
    if content.format.startswith("unsupported:") and not content.blank:
        kind = content.format.partition(":")[2]
        if content.member is not None and holds_no_text(content.format):
            return _refused(content, StreamFaultError("not_text", kind), DROPPED)
        return _refused(content, StreamFaultError("unsupported_format", kind))
    return _open_records(content, source, place, begin, end)


def _open_table_in_memory(content: Content, source: Source, place: Position) -> OpenedFile:
    data = content.read(_MOST_TABLE + 1)
    if content.fault is not None:
        return _refused(content, content.fault)
    if len(data) > _MOST_TABLE:
        detail = f"a {content.format} file of more than {_MOST_TABLE} bytes that is packed or inside an archive"
        return _refused(content, StreamFaultError("unsupported_format", detail, len(data), _MOST_TABLE))
    content.close()
    return TableFile(content, partial(pa.BufferReader, data), len(data), source, place.offset)


def _open_records(content: Content, source: Source, place: Position, begin: int, end: int | None) -> OpenedFile:
    offset, line = place.offset, place.line
    header = read_header(content, source) if content.format == "csv" else None
    if isinstance(header, Fault):
        content.close()
        return RefusedFile(content.path, header)
    if header is not None and not offset:
        line = header.lines
    cutter = cutter_of(content.format, content.name, source)
    if cutter is not None and offset == begin > 0:
        if not align(content, offset, end, cutter):
            content.close()
            return RefusedFile(content.path)
    elif offset > content.offset:
        content.move_to(offset)
    return RecordFile(content, source, end, header.row if header else None, line)


def _refused(content: Content, fault: StreamFaultError, verdict: str = QUARANTINED) -> RefusedFile:
    content.close()
    return RefusedFile(content.path, _fault(content.path, content.member, fault, verdict))


def _fault(path: str, member: str | None, fault: StreamFaultError, verdict: str = QUARANTINED) -> Fault:
    return Fault(path, 0, fault.reason, fault.detail, fault.value, fault.threshold, member, verdict=verdict)
