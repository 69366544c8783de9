"""Read one part of a split: bytes of a few megabytes, cut into records, the same whatever was read before.

A part is a pure function of the files, the cursor and the unit size. A `Reader` keeps a few files open between calls,
so that consecutive parts of a compressed file need no second unpacking; what it gives never depends on that.
"""

from __future__ import annotations

from collections import OrderedDict

from headrace.schemas.source import Cursor, Source, Split
from headrace.stages.reading.content import check_unchanged
from headrace.stages.reading.opened import OpenedFile, open_file
from headrace.stages.reading.part import FILE_COST, Draft, Part, Stretch

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
        file, offset = cursor.file, max(cursor.offset, split.begin)
        while file < len(split.files) and budget > 0:
            stretch = self._read_file(split, source, file, offset, budget)
            draft.add(stretch, _note(stretch, offset))
            budget -= max(stretch.size, FILE_COST)
            file, offset = (file + 1, 0) if stretch.next is None else (file, stretch.next)
        more = file < len(split.files)
        return draft.finished(Cursor(split.index, cursor.part + 1, file, offset) if more else None)

    def close(self) -> None:
        """Release all files."""
        while self._open:
            self._open.popitem()[1].close()

    def _read_file(self, split: Split, source: Source, file: int, offset: int, budget: int) -> Stretch:
        entry = split.files[file]
        place = (split.root, entry, split.end, source)
        opened = self._open.pop((*place, offset), None)
        if opened is None:
            opened = open_file(split, entry, source, offset)
        else:
            check_unchanged(split.root, entry)
        stretch = opened.read(budget)
        if stretch.next is None:
            opened.close()
        else:
            self._keep((*place, stretch.next), opened)
        return stretch

    def _keep(self, place: object, opened: OpenedFile) -> None:
        self._open[place] = opened
        if len(self._open) > _OPEN_FILES:
            self._open.popitem(last=False)[1].close()


def _note(stretch: Stretch, offset: int) -> str:
    if stretch.faults:
        return stretch.faults[-1].reason
    return "" if offset or stretch.next is not None or len(stretch.records.data) else "empty"
