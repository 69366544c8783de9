"""The doc_ids of documents that are in files: each file is hashed once, and few of them are mapped at a time."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from headrace.schemas.arrays import Array
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication.committed_file import FileKind, mapped
from headrace.stages.deduplication.signatures import in_one_piece

_MAPS = 1 << 13  # a process may have 65,530, and index files of 3 TB take most of these

_Stamp = tuple[int, int, int]  # inode, bytes, time of the last change


class WrittenIds:
    """doc_ids by file, of which the `most` that were asked for last stay mapped.

    A file that was hashed is mapped again without that, unless another one took its place or it was written since.
    Memory: 1.3 kB a mapped file, some 0.3 kB another.
    """

    def __init__(self, run: Path, kind: FileKind, parameters: dict[str, object], most: int = _MAPS) -> None:
        self._run, self._kind, self._parameters, self._most = run, kind, parameters, most
        self._stamps: dict[str, _Stamp | None] = {}  # of the files that were hashed, by name
        self._mapped: dict[str, Array] = {}  # the one that was asked for last comes last

    def of(self, ref: FileRef) -> Array:
        """Give those of one file; FormatError, with its name, if it is not what was committed."""
        ids = self._mapped.pop(ref.name, None)
        if ids is None:
            ids = in_one_piece(self._read(ref)["doc_id"])
        self._mapped[ref.name] = ids
        if len(self._mapped) > self._most:
            del self._mapped[next(iter(self._mapped))]
        return ids

    def _read(self, ref: FileRef) -> pa.Table:
        path = self._run / ref.name
        stamp = _stamp(path)
        if stamp is not None and stamp == self._stamps.get(ref.name):
            return pa.ipc.open_file(mapped(path)).read_all()
        table = self._kind.open(path, ref.sha256, self._parameters)
        self._stamps[ref.name] = stamp
        return table


def _stamp(path: Path) -> _Stamp | None:
    try:
        there = path.stat()
    except OSError:
        return None  # whoever opens the file says what is wrong
    return there.st_ino, there.st_size, there.st_mtime_ns
