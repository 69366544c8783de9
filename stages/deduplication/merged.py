"""Merged postings: those of several index files as one file, derived from them and made again when in doubt.

No manifest line names them. A name tells which files went in and carries the SHA-256 of the content, which is checked
before anything of it is used; so nothing is synced, and after a power loss it is whole or made again. They are always
made from the committed files, never from one another. Version 1 is a line of JSON, filled up with spaces to a multiple
of 64 bytes, and the tables as uint32: fingerprints and then rows of the first, and so on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from headrace.schemas.durable import canonical_json, publish, sha256_file, temporary_beside
from headrace.stages.deduplication.committed_file import mapped
from headrace.stages.deduplication.open_files import MappedPostings, OpenFile
from headrace.stages.kernels.arrays import Counts, Signatures
from headrace.stages.kernels.sorted_postings import merged_pieces

MERGED_VERSION = 1
STEM, SUFFIX = "postings", ".merged"
_LINE = 64
Write = Callable[[Path, Sequence[OpenFile], Callable[[], None]], None]


def publish_merged(
    folder: Path, files: Sequence[OpenFile], suffix: str, write: Write, step: Callable[[], None]
) -> Path:
    """Let `write` make a merged file, under a temporary name, and give it its own; `step` is called now and then.

    What `step` raises, or an OSError (a full disk, say), leaves nothing behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{STEM}-{hashlib.sha256(canonical_json(inputs_of(files))).hexdigest()[:16]}"
    temporary = temporary_beside(folder / f"{stem}{suffix}")
    try:
        write(temporary, files, step)
        return folder.parent / publish(temporary, folder.parent, folder.name, stem, suffix).name
    finally:
        temporary.unlink(missing_ok=True)


def is_whole(path: Path) -> bool:
    """Tell whether a merged file has the content that its name says."""
    try:
        return path.stem.rpartition("-")[2] == sha256_file(path)[:12]
    except OSError:
        return False


def header_of(files: Sequence[OpenFile]) -> dict[str, object]:
    """Give what a merged file says of itself."""
    rows = sum(opened.file.documents for opened in files)
    return {"version": MERGED_VERSION, "inputs": inputs_of(files), "tables": len(files[0].tables), "rows": rows}


def inputs_of(files: Sequence[OpenFile]) -> list[str]:
    """Give the hashes of files in the order in which their rows are numbered."""
    return [opened.file.ref.sha256 for opened in files]


def rows_before(files: Sequence[OpenFile]) -> Counts:
    """Give the row at which each file begins, and the end."""
    return np.cumsum([0, *(opened.file.documents for opened in files)], dtype=np.int64)


def write_merged(path: Path, files: Sequence[OpenFile], step: Callable[[], None]) -> None:
    """Write merged postings; memory is that of a piece, whatever the number of documents."""
    line = canonical_json(header_of(files))
    line += b" " * (-(len(line) + 1) % _LINE) + b"\n"
    firsts = rows_before(files)
    with path.open("wb") as out:
        out.write(line)
        for table in range(len(files[0].tables)):
            begin = len(line) + 8 * int(firsts[-1]) * table
            for prints, rows in merged_pieces([opened.tables[table] for opened in files], firsts[:-1]):
                step()
                for at, values in ((begin, prints), (begin + 4 * int(firsts[-1]), rows)):
                    out.seek(at)
                    out.write(values.data)
                begin += prints.nbytes


def read_header(path: Path) -> dict[str, object]:
    """Read what a whole merged file says of itself."""
    with path.open("rb") as source:
        header: dict[str, object] = json.loads(source.readline())
    return header


def open_merged(path: Path, tables: int) -> MappedPostings:
    """Map a whole merged file."""
    content = np.frombuffer(memoryview(mapped(path)), np.uint8)
    begin = int(np.argmax(content == ord("\n"))) + 1
    values: Signatures = content[begin:].view(np.uint32).reshape(tables, 2, -1)
    return MappedPostings([(table[0], table[1]) for table in values])
