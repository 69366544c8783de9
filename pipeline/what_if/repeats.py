"""Documents that were dropped since they repeat another one, which would be gone before they are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64_intdigest

from headrace.pipeline.committed import Committed, read_columns
from headrace.pipeline.what_if.deciding import Decided
from headrace.pipeline.what_if.tally import gone_before
from headrace.stages.kernels.arrays import Column, Counts, Hashes


@dataclass(slots=True)
class Repeats:
    """What is known of survivors; they come before the documents that repeat them, in the order of units.

    Ids are kept as XXH3 hashes of 64 bits: 8 bytes for each survivor, and among ten million of them a wrong one in a
    hundred thousand runs.
    """

    survivors: Hashes
    gone: dict[int, int] = field(default_factory=dict)  # hash -> number of the stage that would drop it
    documents: Counter[int] = field(default_factory=Counter)  # stage that dropped them -> documents that repeat
    originals: dict[int, set[int]] = field(default_factory=dict)  # the same -> hashes of what they repeat

    def add(self, table: pa.Table, decided: Decided) -> None:
        """Look at one unit."""
        earlier = gone_before(decided)
        if not len(self.survivors):
            return
        rows = np.flatnonzero(earlier)
        hashed = _hashed(table["doc_id"].take(rows))
        known = np.isin(hashed, self.survivors)
        self.gone.update(zip(hashed[known].tolist(), decided.leaves[rows[known]].tolist(), strict=True))
        still: Counts = np.flatnonzero(np.asarray(pc.is_valid(table["survivor"])) & (decided.leaves == decided.left))
        if self.gone and len(still):
            self._count(_hashed(table["survivor"].take(still)), decided.left[still])

    def _count(self, hashed: Hashes, stages: Counts) -> None:
        """Count repeats whose survivor would leave before the stage that compared them."""
        for name, stage in zip(hashed.tolist(), stages.tolist(), strict=True):
            if self.gone.get(name, stage) < stage:
                self.documents[stage] += 1
                self.originals.setdefault(stage, set()).add(name)


def read_repeats(committed: Committed, names: Sequence[str], first: int) -> Repeats:
    """Collect what documents repeat that were dropped by a stage behind number `first`."""
    later = pa.array(names[first + 1 :], pa.string())
    found = [np.zeros(0, np.uint64)]
    for _, path in committed.documents():
        table = read_columns(path, ["stage", "survivor"])
        if "survivor" in table.column_names:
            repeats = table.filter(pc.and_(pc.is_in(table["stage"], later), pc.is_valid(table["survivor"])))
            found.append(np.unique(_hashed(repeats["survivor"])))
    return Repeats(np.unique(np.concatenate(found)))


def _hashed(doc_ids: Column) -> Hashes:
    return np.array([xxh3_64_intdigest(str(name).encode()) for name in doc_ids.to_pylist()], np.uint64)
