"""What a reader must not serve: documents that the run's tombstones name, found in the very pieces it is about to give.

Looked for at every batch, at the price of one `stat`. A sequence that holds a token of a forgotten document becomes
padding as a whole, as those of `loader.skip` do, so that nothing else moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.loader.batch import Batch
from headrace.loader.follow import Published
from headrace.loader.order import IntArray
from headrace.schemas.document import KEPT
from headrace.schemas.errors import FormatError
from headrace.schemas.forgetting import NEVER
from headrace.schemas.manifest import ManifestLine
from headrace.schemas.tombstones import TOMBSTONES, Tombstones, prefix_sha256, read_tombstones

_ROW_BITS = 31  # a unit has fewer rows than this many bits count

Stamp = tuple[int, int, int]  # inode, size, time of the last change: a replaced file differs in the first


class ForgottenRows:
    """The forgotten documents of a run, as far as its tombstones are known to this reader.

    What was seen stays forgotten in this process, even if somebody removes the file. A damaged file, or an older one in
    its place, is an error: nothing is served before it is restored.
    """

    def __init__(self, run: Path) -> None:
        self.revision = 0
        self._run = run
        self._stamp: Stamp | None = None
        self._matcher = Tombstones().matcher
        self._settled = 0  # manifest lines whose documents the file names; those behind are asked line by line
        self._keys: IntArray = np.empty(0, np.int64)
        self._asked: set[int] = set()

    def __reduce__(self) -> tuple[type[ForgottenRows], tuple[Path]]:
        return ForgottenRows, (self._run,)

    def look(self) -> None:
        """Take in the tombstones, if they changed since the last look."""
        stamp = _stamp(self._run / TOMBSTONES)
        if stamp is None or stamp == self._stamp:
            return
        found = read_tombstones(self._run)
        if found is None:  # removed since: nothing returns
            return
        if found.revision < self.revision:
            why = f"revision {found.revision} came after revision {self.revision}"
            remedy = "restore the newer file, or start the reader again to go by this one"
            where = str(self._run / TOMBSTONES)
            raise FormatError("the tombstones were put back", where=where, why=why, remedy=remedy)
        self._stamp = stamp
        same = prefix_sha256(self._run, found.lines) == found.manifest_sha256
        self._matcher, self.revision = found.matcher, found.revision
        self._settled, self._asked = found.lines if same else 0, set()
        documents = found.documents if same else ()
        units, rows = (np.array([getattr(d, name) for d in documents], np.int64) for name in ("unit", "row"))
        self._keys = np.unique(keys_of(units, rows))

    def rows(self, batch: Batch, published: Published, shards: Iterable[int]) -> npt.NDArray[np.bool_]:
        """Say which rows of a batch, gathered from these shards, hold a forgotten document."""
        self._ask(published, shards)
        gone = np.zeros(len(batch.tokens), np.bool_)
        if self._keys.size and batch.piece_units.size:
            keys = keys_of(batch.piece_units.astype(np.int64), batch.piece_rows.astype(np.int64))
            at = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
            owners = np.repeat(np.arange(len(gone)), np.diff(batch.piece_offsets))
            gone[owners[self._keys[at] == keys]] = True
        return gone

    def _ask(self, published: Published, shards: Iterable[int]) -> None:
        """Ask the requests about lines that were committed after the tombstones were written."""
        for shard in shards:
            number = published.lines_with(shard + 1) - 1
            if number >= self._settled and number not in self._asked:
                keys = [self._keys, *self._kept_keys(published.line_of(shard))]
                self._keys = np.unique(np.concatenate(keys))
                self._asked.add(number)

    def _kept_keys(self, line: ManifestLine) -> Iterable[IntArray]:
        for ref in line.documents:
            path = self._run / ref.name
            try:
                with pq.ParquetFile(path) as file:
                    table = file.read(["doc_id", "url", "verdict"])
            except (OSError, ValueError) as error:
                why = f"the tombstones are older than manifest line {line.index + 1}: {' '.join(str(error).split())}"
                remedy = "restore the file, or run `headrace forget RUN` where the whole run is, and copy it again"
                raise FormatError("a documents file cannot be read", where=str(path), why=why, remedy=remedy) from error
            kept = np.asarray(pc.equal(table["verdict"], pa.scalar(KEPT)))  # they come first in the file
            rows = np.flatnonzero(kept & (self._matcher.revisions(table) != NEVER))
            yield keys_of(np.full(len(rows), int(path.name.partition("-")[0])), rows)


def keys_of(units: IntArray, rows: IntArray) -> IntArray:
    """Give one number for each row of a unit."""
    return units << _ROW_BITS | rows


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
