"""Read one part of a split: bytes of a few megabytes, cut into records, the same whatever was read before.

A part is a pure function of the files, the cursor and the unit size. A `Reader` keeps a few files open between calls,
so that consecutive parts of a compressed file need no second unpacking; what it gives never depends on that.
"""

from __future__ import annotations

from collections import OrderedDict

from headrace.schemas.document import QUARANTINED
from headrace.schemas.source import Cursor, Source, Split
from headrace.stages.reading.opened import OpenedFile, open_file
from headrace.stages.reading.part import BEGINNING, FILE_COST, Draft, Part, Position, Stretch
from headrace.stages.reading.storage import check_unchanged
from headrace.stages.reading.taken import taken

__all__ = ["Part", "Reader", "read_part"]

_OPEN_FILES = 4


def read_part(split: Split, source: Source, cursor: Cursor, unit_bytes: int) -> Part:
    """Give the records from a cursor to the record border at or behind `unit_bytes`."""
    reader = Reader()
    try:
        return reader.read_part(split, source, cursor, unit_bytes)
    finally:
        reader.close()


class Reader:
    """Reads parts; one per worker. It remembers where files were left, which saves time and changes nothing else."""

    def __init__(self) -> None:
        self._open: OrderedDict[object, OpenedFile] = OrderedDict()

    def read_part(self, split: Split, source: Source, cursor: Cursor, unit_bytes: int) -> Part:
        """Give the records from a cursor to the record border at or behind `unit_bytes`."""
        draft, budget = Draft(source), unit_bytes
        file, place = cursor.file, _entered(cursor, split)
        while file < len(split.files) and budget > 0:
            stretch = self._read_file(split, source, file, place, budget)
            draft.add(stretch, _note(stretch, place))
            budget -= max(stretch.size, FILE_COST)
            file, place = (file + 1, BEGINNING) if stretch.next is None else (file, stretch.next)
        after = Cursor(split.index, cursor.part + 1, file, place.offset, place.member, place.line)
        part = draft.finished(after if file < len(split.files) else None)
        return part if split.only is None else taken(part, split.only)

    def close(self) -> None:
        """Release all files."""
        while self._open:
            self._open.popitem()[1].close()

    def _read_file(self, split: Split, source: Source, file: int, place: Position, budget: int) -> Stretch:
        entry = split.files[file]
        key = (split.root, entry, split.end, source)
        opened = self._open.pop((*key, place), None)
        if opened is None:
            opened = open_file(split, entry, source, place)
        else:
            check_unchanged(split.root, entry)
        stretch = opened.read(budget)
        if stretch.next is None:
            opened.close()
        else:
            self._keep((*key, stretch.next), opened)
        return stretch

    def _keep(self, place: object, opened: OpenedFile) -> None:
        self._open[place] = opened
        if len(self._open) > _OPEN_FILES:
            self._open.popitem(last=False)[1].close()


def _entered(cursor: Cursor, split: Split) -> Position:
    """Give where a cursor enters its file; the lines before a range, or of an older cursor, nobody counted."""
    offset = max(cursor.offset, split.begin)
    return Position(offset, cursor.member, cursor.line if offset == cursor.offset and offset else None if offset else 0)


def _note(stretch: Stretch, place: Position) -> str:
    faults = [fault.reason for fault in stretch.faults if fault.verdict == QUARANTINED]
    if faults:
        return faults[-1]
    nothing = not (stretch.gave or stretch.faults or stretch.counts)
    return "empty" if place == BEGINNING and stretch.next is None and nothing else ""
