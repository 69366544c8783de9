"""Documents that were dropped since they repeat another one, which would be gone before they are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64_intdigest

from headrace.pipeline.committed import Committed, read_columns, survivors_here
from headrace.pipeline.what_if.deciding import Decided
from headrace.pipeline.what_if.tally import gone_before
from headrace.schemas.arrays import Column, Counts, Flags, Hashes

Stages = npt.NDArray[np.int16]
_STAYS = np.iinfo(np.int16).max


@dataclass(slots=True)
class Repeats:
    """What is known of survivors; they come before the documents that repeat them, in the order of units.

    Ids are kept as XXH3 hashes of 64 bits: among ten million of them there is a wrong one in a hundred thousand runs. A
    survivor takes 10 bytes, and one more for each stage that dropped repeats.
    """

    survivors: Hashes  # sorted, each once
    gone: Stages = field(init=False)  # number of the stage that would drop each survivor
    documents: Counter[int] = field(default_factory=Counter)  # stage that dropped them -> documents that repeat
    originals: dict[int, Flags] = field(default_factory=dict)  # the same -> which survivors they repeat

    def __post_init__(self) -> None:
        """Begin with all of them staying."""
        self.gone = np.full(len(self.survivors), _STAYS, np.int16)

    def add(self, table: pa.Table, decided: Decided) -> None:
        """Look at one unit."""
        earlier = gone_before(decided)
        if not len(self.survivors):
            return
        rows = np.flatnonzero(earlier)
        places, known = self._found(_hashed(table["doc_id"].take(rows)))
        self.gone[places[known]] = decided.leaves[rows[known]]
        survivors = survivors_here(table)
        still: Counts = np.flatnonzero(np.asarray(pc.is_valid(survivors)) & (decided.leaves == decided.left))
        if len(still):
            self._count(_hashed(survivors.take(still)), decided.left[still])

    def _count(self, hashed: Hashes, stages: Counts) -> None:
        """Count repeats whose survivor would leave before the stage that compared them."""
        places, known = self._found(hashed)
        repeats = known & (self.gone[places] < stages)
        for stage in np.unique(stages[repeats]).tolist():
            at = places[repeats & (stages == stage)]
            self.documents[stage] += len(at)
            self.originals.setdefault(stage, np.zeros(len(self.survivors), np.bool_))[at] = True

    def _found(self, hashed: Hashes) -> tuple[Counts, Flags]:
        """Give the places of hashes among the survivors, and which of them are there."""
        places = np.minimum(np.searchsorted(self.survivors, hashed), len(self.survivors) - 1)
        return places, np.asarray(self.survivors[places] == hashed)


def read_repeats(committed: Committed, names: Sequence[str], first: int) -> Repeats:
    """Collect what documents repeat that were dropped by a stage behind number `first`."""
    later = pa.array(names[first + 1 :], pa.string())
    found = [np.zeros(0, np.uint64)]
    for _, path in committed.documents():
        table = read_columns(path, ["stage", "survivor", "detail"])
        if "survivor" in table.column_names:
            survivors = survivors_here(table)
            repeats = pc.and_(pc.is_in(table["stage"], later), pc.is_valid(survivors))
            found.append(np.unique(_hashed(survivors.filter(repeats))))
    return Repeats(np.unique(np.concatenate(found)))


def _hashed(doc_ids: Column) -> Hashes:
    return np.array([xxh3_64_intdigest(str(name).encode()) for name in doc_ids.to_pylist()], np.uint64)
