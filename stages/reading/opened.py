"""An input file that is being read, whatever it is: one call gives the records of the next few megabytes."""

from __future__ import annotations

from typing import Protocol

from headrace.schemas.source import InputFile, Source, Split
from headrace.stages.reading.content import Content, open_content
from headrace.stages.reading.header import read_header, with_header
from headrace.stages.reading.part import Fault, Position, Stretch
from headrace.stages.reading.records import align, cutter_of, read_stretch
from headrace.stages.reading.stream import StreamFaultError
from headrace.stages.reading.table import TableFile


class OpenedFile(Protocol):
    """What the reader keeps open between parts."""

    def read(self, budget: int) -> Stretch:
        """Give the next records, about `budget` bytes of them."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class RefusedFile:
    """A file that gives nothing but the reason why."""

    def __init__(self, file: InputFile, reason: str, detail: str) -> None:
        self._fault = Fault(file.path, 0, reason, detail)

    def read(self, budget: int) -> Stretch:
        """Give the reason."""
        del budget
        return _nothing(self._fault.path, self._fault)

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
    except StreamFaultError as fault:
        return RefusedFile(file, fault.reason, fault.detail)
    if content.format in ("parquet", "arrow"):
        content.close()
        if content.packed:
            return RefusedFile(file, "unsupported_format", f"{content.format} inside a compressed file")
        return TableFile(split.root, file, source, content.format, place.offset)
    if content.format.startswith("unsupported:") and not content.blank:
        content.close()
        return RefusedFile(file, "unsupported_format", content.format.partition(":")[2])
    return _at_place(content, split, source, place)


def _at_place(content: Content, split: Split, source: Source, place: Position) -> OpenedFile:
    offset, line = place.offset, place.line
    header = read_header(content, source) if content.format == "csv" else None
    if isinstance(header, Fault):
        content.close()
        return RefusedFile(content.file, header.reason, header.detail)
    if header is not None and not offset:
        line = header.lines
    cutter = cutter_of(content.format, content.file.path, source)
    if cutter is not None and offset == split.begin > 0:
        if not align(content, offset, split.end, cutter):
            content.close()
            return _EndedFile(content.file)
    elif offset > content.offset:
        content.move_to(offset)
    return RecordFile(content, source, split.end, header.row if header else None, line)


class _EndedFile:
    """A byte range in which no record begins."""

    def __init__(self, file: InputFile) -> None:
        self._path = file.path

    def read(self, budget: int) -> Stretch:
        del budget
        return _nothing(self._path)

    def close(self) -> None:
        pass


def _nothing(path: str, *faults: Fault) -> Stretch:
    return Stretch(path, (), faults, None, 0)
