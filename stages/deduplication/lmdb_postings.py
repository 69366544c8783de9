"""Merged postings in LMDB, for small indexes that other programs read too: one environment, one file, per merge.

Key: table (2 bytes) and fingerprint (4 bytes), big endian, so in order; values: rows (4 bytes), several a key. The file
is written once, named and checked as `merged` says, and opened to be read only.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Sequence
from pathlib import Path

import lmdb
import numpy as np

from headrace.schemas.arrays import Counts, Signatures
from headrace.schemas.durable import canonical_json
from headrace.stages.deduplication.merged import Content
from headrace.stages.deduplication.merging import Step
from headrace.stages.deduplication.open_files import Table
from headrace.stages.kernels.sorted_postings import merged_pieces

LMDB_SUFFIX = ".lmdb"
_POSTINGS, _HEADER = b"postings", b"header"
_POSTING = np.dtype([("table", ">u2"), ("print", ">u4"), ("row", ">u4")])
_KEY_BYTES, _ROW_BYTES = 6, 4
_ROOM = 128  # bytes of the map for a posting: those that are not written take no storage
_LEAST = 16 << 20


class LmdbPostings:
    """Postings of one merged file; nothing of it is kept in memory."""

    nbytes = 0
    tables: Sequence[Table] = ()  # none that are sorted arrays: a merge begins with the files again

    def __init__(self, path: Path) -> None:
        try:
            self._store = lmdb.open(str(path), subdir=False, lock=False, readonly=True, max_dbs=1, readahead=False)
            self._postings = self._store.open_db(_POSTINGS, dupsort=True, dupfixed=True, create=False)
        except lmdb.Error as error:
            raise _storage_error(error) from error

    def find(self, table: int, wanted: Signatures) -> tuple[Counts, Counts, Signatures]:
        """Look all fingerprints up in one call."""
        keys = _keys(table, np.unique(wanted))
        with self._store.begin(self._postings) as reading, reading.cursor() as cursor:
            found = cursor.getmulti(keys, dupdata=True, dupfixed_bytes=_ROW_BYTES, keyfixed=True)
        postings = np.frombuffer(found, _POSTING)
        prints = postings["print"].astype(np.uint32)
        begins, ends = np.searchsorted(prints, wanted, "left"), np.searchsorted(prints, wanted, "right")
        return begins, ends, postings["row"].astype(np.uint32)


def write_lmdb_postings(path: Path, content: Content, step: Step) -> None:
    """Write merged postings, a transaction a piece; an OSError of the store says what the system said."""
    size = _LEAST + _ROOM * content.tables * sum(opened.file.documents for opened in content.files)
    try:
        with _new_store(path, size) as store:
            with store.begin(write=True) as transaction:
                transaction.put(_HEADER, canonical_json(content.header()))
            store.open_db(_POSTINGS, dupsort=True, dupfixed=True)
            for table in range(content.tables):
                for prints, rows in merged_pieces(*content.table(table)):
                    step()
                    _put(store, table, prints, rows)
    except lmdb.Error as error:
        raise _storage_error(error) from error


def _storage_error(error: lmdb.Error) -> OSError:
    """LMDB reports the system's cause as words alone, with the file's name among them."""
    return OSError(errno.ENOSPC if "No space left" in str(error) else errno.EIO, str(error))


def _new_store(path: Path, size: int) -> lmdb.Environment:
    return lmdb.open(str(path), map_size=size, subdir=False, lock=False, sync=False, metasync=False, max_dbs=1)


def read_lmdb_header(path: Path) -> dict[str, object]:
    """Read what a whole merged file says of itself."""
    with lmdb.open(str(path), subdir=False, lock=False, readonly=True, max_dbs=1) as store, store.begin() as reading:
        header: dict[str, object] = json.loads(reading.get(_HEADER) or b"{}")
    return header


def _put(store: lmdb.Environment, table: int, prints: Signatures, rows: Signatures) -> None:
    postings = store.open_db(_POSTINGS)  # known to the environment by now
    values = _cut(rows.astype(">u4").tobytes(), _ROW_BYTES)
    with store.begin(write=True) as transaction, transaction.cursor(postings) as cursor:
        _, added = cursor.putmulti(zip(_keys(table, prints), values, strict=True), dupdata=True, append=True)
    if added != len(values):
        raise OSError(errno.EIO, f"LMDB took {added} of {len(values)} postings", store.path())


def _keys(table: int, prints: Signatures) -> list[bytes]:
    keys = np.empty(len(prints), np.dtype([("table", ">u2"), ("print", ">u4")]))
    keys["table"], keys["print"] = table, prints
    return _cut(keys.tobytes(), _KEY_BYTES)


def _cut(text: bytes, size: int) -> list[bytes]:
    return [text[at : at + size] for at in range(0, len(text), size)]
