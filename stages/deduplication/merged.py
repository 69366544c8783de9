"""Merged postings: those of several index files as one file, derived from them and made again when in doubt.

No manifest line names them. A name tells which files went in and carries the SHA-256 of the content, which is checked
before anything of it is used; so nothing is synced, and after a power loss it is whole or made again. They are made
from the committed files, or from merged ones that are hashed once more before: damage does not pass from one to the
next. Version 2 is a line of JSON, filled up with spaces to a multiple of 64 bytes, and the tables as uint32: all
fingerprints and then all rows of the first, and so on, without documents that have none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Counts, read_only
from headrace.schemas.durable import canonical_json, temporary_beside
from headrace.stages.deduplication.committed_file import mapped
from headrace.stages.deduplication.merging import Step
from headrace.stages.deduplication.open_files import MappedPostings, OpenFile, Table
from headrace.stages.kernels.sorted_postings import count_postings, merged_pieces

MERGED_VERSION = 2
STEM, SUFFIX = "postings", ".merged"
_LINE = 64
_BLOCK = 1 << 22  # bytes hashed between two steps: some 4 ms


class Source(NamedTuple):
    """Sorted postings that go into merged ones, and the row of those at which theirs begin."""

    tables: Sequence[Table]
    first: int


class Content(NamedTuple):
    """What merged postings are made of: committed files, in the order in which their rows are numbered, and tables."""

    files: Sequence[OpenFile]
    sources: Sequence[Source]

    @property
    def tables(self) -> int:
        """How many there are."""
        return len(self.sources[0].tables)

    def table(self, number: int) -> tuple[list[Table], Counts]:
        """Give one table of each source, and its first row."""
        return [source.tables[number] for source in self.sources], np.array([source.first for source in self.sources])

    def header(self) -> dict[str, object]:
        """Give what a merged file says of itself."""
        postings = [sum(count_postings(prints) for prints, _ in self.table(n)[0]) for n in range(self.tables)]
        return {
            "version": MERGED_VERSION,
            "inputs": inputs_of(self.files),
            "tables": self.tables,
            "postings": postings,
        }


Write = Callable[[Path, Content, Step], None]


def publish_merged(folder: Path, content: Content, suffix: str, write: Write, step: Step) -> Path:
    """Let `write` make a merged file, under a temporary name, and give it its own; `step` is called now and then.

    What `step` raises, or an OSError (a full disk, say), leaves nothing behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{STEM}-{hashlib.sha256(canonical_json(inputs_of(content.files))).hexdigest()[:16]}"
    temporary = temporary_beside(folder / f"{stem}{suffix}")
    try:
        write(temporary, content, step)
        return temporary.replace(folder / f"{stem}-{_hashed(temporary, step)[:12]}{suffix}")
    finally:
        temporary.unlink(missing_ok=True)


def is_whole(path: Path, step: Step = lambda: None) -> bool:
    """Tell whether a merged file has the content that its name says."""
    try:
        return path.stem.rpartition("-")[2] == _hashed(path, step)[:12]
    except OSError:
        return False


def _hashed(path: Path, step: Step) -> str:
    state = hashlib.sha256()
    with path.open("rb", buffering=0) as source:
        while block := source.read(_BLOCK):
            step()
            state.update(block)
    return state.hexdigest()


def inputs_of(files: Sequence[OpenFile]) -> list[str]:
    """Give the hashes of files in the order in which their rows are numbered."""
    return [opened.file.ref.sha256 for opened in files]


def rows_before(files: Sequence[OpenFile]) -> Counts:
    """Give the row at which each file begins, and the end."""
    return np.cumsum([0, *(opened.file.documents for opened in files)], dtype=np.int64)


def write_merged(path: Path, content: Content, step: Step) -> None:
    """Write merged postings; memory is that of a piece, whatever the number of documents."""
    header = content.header()
    line = canonical_json(header)
    line += b" " * (-(len(line) + 1) % _LINE) + b"\n"
    begin = len(line)
    with path.open("wb") as out:
        out.write(line)
        for number in range(content.tables):
            tables, firsts = content.table(number)
            room = 4 * sum(count_postings(prints) for prints, _ in tables)
            for prints, rows in merged_pieces(tables, firsts):
                step()
                for at, values in ((begin, prints), (begin + room, rows)):
                    out.seek(at)
                    out.write(values.data)
                begin += prints.nbytes
            begin += room


def read_header(path: Path) -> dict[str, object]:
    """Read what a whole merged file says of itself."""
    with path.open("rb") as source:
        header: dict[str, object] = json.loads(source.readline())
    return header


def open_merged(path: Path) -> MappedPostings:
    """Map a whole merged file; nothing of it is read but what the directories are made of."""
    with path.open("rb") as source:
        line = source.readline()
    values = read_only(np.frombuffer(memoryview(mapped(path)), np.uint32, offset=len(line)))
    counts: list[int] = json.loads(line)["postings"]
    ends = 2 * np.cumsum(counts)
    parts = [values[end - 2 * count : end] for end, count in zip(ends.tolist(), counts, strict=True)]
    return MappedPostings([(part[:count], part[count:]) for part, count in zip(parts, counts, strict=True)])
