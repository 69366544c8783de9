"""The folder of merged postings: which are there and whole, new ones, and what is left over."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakValueDictionary

from headrace.schemas.index import Store
from headrace.stages.deduplication.lmdb_postings import (
    LMDB_SUFFIX,
    LmdbPostings,
    read_lmdb_header,
    write_lmdb_postings,
)
from headrace.stages.deduplication.merged import (
    MERGED_VERSION,
    STEM,
    SUFFIX,
    Content,
    Write,
    inputs_of,
    is_whole,
    open_merged,
    publish_merged,
    read_header,
    write_merged,
)
from headrace.stages.deduplication.merging import Step
from headrace.stages.deduplication.open_files import Postings

_LOG = logging.getLogger(__name__)


class _Form(NamedTuple):
    suffix: str
    write: Write
    header: Callable[[Path], dict[str, object]]
    open: Callable[[Path], Postings]


_FORMS: Mapping[Store, _Form] = MappingProxyType(
    {
        "runs": _Form(SUFFIX, write_merged, read_header, open_merged),
        "lmdb": _Form(LMDB_SUFFIX, write_lmdb_postings, read_lmdb_header, LmdbPostings),
    }
)


class MergedStore:
    """Merged postings in a folder that belongs to one object alone, and is seen by two threads of it.

    A thread that opens what it was told is `whole` holds `lock` from one to the other: nothing is swept between.
    """

    def __init__(self, folder: Path, store: Store, tables: int) -> None:
        self._folder, self._form, self._tables = folder, _FORMS[store], tables
        self.lock = RLock()
        self._opened: WeakValueDictionary[Path, Postings] = WeakValueDictionary()
        self._inputs: dict[Path, list[str]] = {}  # of those that were found whole

    def make(self, content: Content, step: Step) -> Path:
        """Merge the postings of some files; OSError if they cannot be written, and then nothing is left of them."""
        path = publish_merged(self._folder, content, self._form.suffix, self._form.write, step)
        with self.lock:
            self._inputs[path] = inputs_of(content.files)
        return path

    def open(self, path: Path) -> Postings:
        """Open merged postings that were made here, or found whole: once, for LMDB refuses a file that is open."""
        with self.lock:
            if (postings := self._opened.get(path)) is None:
                postings = self._opened[path] = self._form.open(path)
            return postings

    def whole(self) -> list[tuple[Path, list[str]]]:
        """Give those that are there, most files first, with the hashes of the files they were made of.

        Each is hashed once. One that is damaged is removed, with a line in the log: it will be made again.
        """
        with self.lock:
            found = sorted(self._folder.glob(f"{STEM}-*{self._form.suffix}"))
            self._inputs = {path: inputs for path, inputs in self._inputs.items() if path in {*found}}
            for path in found:
                self._look_at(path)
            there = [(path, inputs) for path, inputs in self._inputs.items() if inputs]
        return sorted(there, key=lambda found: (-len(found[1]), found[0]))

    def sweep(self, used: set[Path]) -> None:
        """Remove all else: what was merged since into more, is of other files, or was left by a killed process."""
        with self.lock:
            for path in [*self._folder.glob(f"{STEM}-*"), *self._folder.glob(f".{STEM}-*.tmp")]:
                if path not in used:
                    path.unlink(missing_ok=True)

    def _look_at(self, path: Path) -> None:
        if path not in self._inputs and not is_whole(path):
            _LOG.warning("%s: merged postings are damaged; they are removed, and made again", path)
            path.unlink(missing_ok=True)
        elif path not in self._inputs:
            self._inputs[path] = self._read(path)

    def _read(self, path: Path) -> list[str]:
        try:
            header = self._form.header(path)
        except ValueError:
            return []  # of a version that has none
        inputs = header.get("inputs")
        known = header.get("version") == MERGED_VERSION and header.get("tables") == self._tables
        return inputs if known and isinstance(inputs, list) else []
