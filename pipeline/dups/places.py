"""Where many documents of a run are: each ledger and each documents file is read once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.pipeline.committed import Committed, read_columns

_BEHIND_A_FILE = "#!"  # an offset, or a member of an archive


def files_of(doc_id: str) -> Iterator[str]:
    """Give the names (source:path) of all files that a document of this name may be of.

    >>> list(files_of("web:a!b.txt#3"))
    ['web:a!b.txt#3', 'web:a', 'web:a!b.txt']
    """
    yield doc_id
    yield from (doc_id[:at] for at, character in enumerate(doc_id) if character in _BEHIND_A_FILE)


def by_file_name(doc_ids: Iterable[str]) -> dict[str, list[str]]:
    """Give the documents that may be of each file."""
    found: dict[str, list[str]] = {}
    for doc_id in doc_ids:
        for name in files_of(doc_id):
            found.setdefault(name, []).append(doc_id)
    return found


def places_of(committed: Committed, doc_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Give unit and row of the documents that a run has; those that it does not have are left out.

    They are looked for in the units whose ledgers name their files, then in all.
    """
    names = by_file_name(doc_ids)
    likely: dict[int, set[str]] = {}
    for ledger in committed.ledgers():
        for file in ledger.files:
            if file.path in names:
                likely.setdefault(ledger.unit, set()).update(names[file.path])
    files = dict(committed.documents())
    found: dict[str, tuple[int, int]] = {}
    for unit, wanted in likely.items():
        still = wanted - found.keys()
        found |= _rows(unit, files[unit], still) if still else {}
    missing = set(doc_ids) - found.keys()
    for unit, path in files.items() if missing else ():
        rows = _rows(unit, path, missing)
        found |= rows
        missing -= rows.keys()
        if not missing:
            break
    return found


def _rows(unit: int, path: Path, doc_ids: Iterable[str]) -> dict[str, tuple[int, int]]:
    column = read_columns(path, ["doc_id"])["doc_id"]
    rows = np.flatnonzero(np.asarray(pc.is_in(column, pa.array(sorted(doc_ids), column.type))))
    there = zip(column.take(pa.array(rows, pa.int64())).to_pylist(), rows.tolist(), strict=True)
    return {str(doc_id): (unit, row) for doc_id, row in there}
