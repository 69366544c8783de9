"""What an export leaves out: the documents of a run that are forgotten on request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.loader.forgotten import keys_of
from headrace.loader.order import IntArray
from headrace.pipeline.committed import read_columns, unit_of
from headrace.schemas.arrays import Flags
from headrace.schemas.document import KEPT
from headrace.schemas.errors import HeadraceError
from headrace.schemas.forgetting import NEVER
from headrace.schemas.manifest import ManifestLine
from headrace.schemas.tombstones import TOMBSTONES, Tombstones, prefix_sha256, read_tombstones


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The forgotten documents of a run, as they stood when the export began."""

    run: Path
    tombstones: Tombstones
    settled: int  # manifest lines whose documents the tombstones name; those behind are asked one by one

    @classmethod
    def of(cls, run: Path) -> LeftOut:
        """Read the tombstones of a run; there may be none."""
        found = read_tombstones(run) or Tombstones()
        same = found.lines > 0 and prefix_sha256(run, found.lines) == found.manifest_sha256
        return cls(run, found, found.lines if same else 0)

    def keys(self, line: ManifestLine) -> IntArray:
        """Give the keys (`keys_of`) of a line's forgotten documents, ascending."""
        if not self.tombstones.requests:
            return np.empty(0, np.int64)
        if line.index < self.settled:
            here = [d for d in self.tombstones.documents if line.first <= d.unit <= line.last]
            units, rows = (np.array([getattr(d, name) for d in here], np.int64) for name in ("unit", "row"))
            return np.sort(keys_of(units, rows))
        return np.sort(np.concatenate([np.empty(0, np.int64), *(self._asked(line))]))

    def _asked(self, line: ManifestLine) -> list[IntArray]:
        matcher = self.tombstones.matcher
        found = []
        for ref in line.documents:
            table = read_columns(self.run / ref.name, ["doc_id", "url", "verdict"])
            kept = np.asarray(pc.equal(table["verdict"], pa.scalar(KEPT)))
            rows = np.flatnonzero(kept & (matcher.revisions(table) != NEVER))
            found.append(keys_of(np.full(len(rows), unit_of(ref)), rows))
        return found

    def check_unchanged(self) -> None:
        """Raise HeadraceError if somebody asked to forget more while the export was written."""
        now = read_tombstones(self.run) or Tombstones()
        if now.revision != self.tombstones.revision:
            raise HeadraceError(
                "documents were forgotten while the export was written",
                where=str(self.run / TOMBSTONES),
                why=f"revision {self.tombstones.revision} at its beginning, {now.revision} at its end",
                remedy="start the export again: nothing of this one is left",
            )


def among(keys: IntArray, wanted: IntArray) -> Flags:
    """Say which keys are among those wanted, which ascend."""
    if not wanted.size:
        return np.zeros(len(keys), np.bool_)
    found: Flags = wanted[np.searchsorted(wanted, keys).clip(max=len(wanted) - 1)] == keys
    return found
