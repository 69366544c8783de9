"""Which documents of a run repeat which: numbers alone, 25 bytes for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64_intdigest

from headrace.pipeline.committed import Committed, read_columns, reading
from headrace.schemas.arrays import Column, Counts, Flags, Floats, Hashes, floats, text_buffers
from headrace.schemas.document import DROPPED
from headrace.schemas.index import runs_of

NEAR = "near_duplicate"
COLUMNS = ("verdict", "stage", "reason", "value", "survivor", "detail")
_NUMBERS = [("file", np.int32), ("row", np.int32), ("value", np.float32), ("stage", np.int16), ("reason", np.int16)]
_KIND = np.dtype([("key", np.uint64), *_NUMBERS, ("elsewhere", np.bool_)])
Rows = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Repetitions:
    """Documents that were dropped since they repeat another, in the order of the run.

    `files` and `rows` say where each is: the number of its documents file, and its row in it. `keys` are equal where
    the survivor is the same: XXH3 hashes of 64 bits, among ten million there is a wrong one in a hundred thousand runs.
    `values` are similarities, NaN where the stage measures none. `stages` and `reasons` are numbers of the names.
    `elsewhere`: the survivor is in an earlier run.
    """

    table: Rows
    stage_names: tuple[str, ...]
    reason_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.table)

    @property
    def keys(self) -> Hashes:
        """What each repeats."""
        return np.asarray(self.table["key"], np.uint64)

    @property
    def files(self) -> Counts:
        """Number of its documents file."""
        return np.asarray(self.table["file"], np.int64)

    @property
    def rows(self) -> Counts:
        """Row in its documents file."""
        return np.asarray(self.table["row"], np.int64)

    @property
    def values(self) -> Floats:
        """Similarity; NaN for none."""
        return np.asarray(self.table["value"], np.float64)

    @property
    def stages(self) -> Counts:
        """Number of the stage that dropped it."""
        return np.asarray(self.table["stage"], np.int64)

    @property
    def reasons(self) -> Counts:
        """Number of the reason."""
        return np.asarray(self.table["reason"], np.int64)

    @property
    def elsewhere(self) -> Flags:
        """Whether the survivor is in an earlier run."""
        return np.asarray(self.table["elsewhere"], np.bool_)

    def only(self, wanted: Flags | Counts) -> Repetitions:
        """Give some of them; without a copy if they are all."""
        if wanted.dtype == np.bool_ and wanted.all():
            return self
        return Repetitions(self.table[wanted], self.stage_names, self.reason_names)


@dataclass(slots=True)
class Collector:
    """Takes up repetitions, documents file by documents file."""

    _stages: dict[str, int] = field(default_factory=dict)
    _reasons: dict[str, int] = field(default_factory=dict)
    _parts: list[Rows] = field(default_factory=lambda: [np.zeros(0, _KIND)])

    def add(self, number: int, table: pa.Table) -> None:
        """Look at a documents file; it has the columns `COLUMNS`, or lacks some where nothing was dropped."""
        if not {*COLUMNS} <= {*table.column_names}:
            return
        rows = np.flatnonzero(
            (np.array(table["verdict"].to_pylist()) == DROPPED) & np.asarray(pc.is_valid(table["survivor"]))
        )
        found, part = table.take(rows), np.zeros(len(rows), _KIND)
        part["key"], part["file"], part["row"] = keys_of(found), number, rows
        part["value"] = floats(found, "value")
        part["elsewhere"] = np.asarray(pc.is_valid(runs_of(found["detail"])))
        part["stage"], part["reason"] = _numbers(found["stage"], self._stages), _numbers(found["reason"], self._reasons)
        self._parts.append(part)

    def found(self) -> Repetitions:
        """Give all that was taken up; each part is let go once it is copied, so that there are never two of all."""
        whole, at = np.empty(sum(map(len, self._parts)), _KIND), 0
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            whole[at : at + len(part)] = part
            at += len(part)
        self._parts = [whole]
        return Repetitions(self._parts[0], tuple(self._stages), tuple(self._reasons))


def read_repetitions(committed: Committed) -> Repetitions:
    """Go through the documents files of a run."""
    collector = Collector()
    for number, (_, path) in enumerate(committed.documents()):
        table = read_columns(path, COLUMNS)
        with reading(path):
            collector.add(number, table)
    return collector.found()


def keys_of(repeats: pa.Table) -> Hashes:
    """Hash what each row repeats: the survivor's doc_id, and the run that it is in if that is an earlier one."""
    runs = runs_of(repeats["detail"])
    elsewhere = np.asarray(pc.is_valid(runs))
    return hashed(repeats["survivor"]) ^ np.where(elsewhere, hashed(runs), np.uint64(0))


def hashed(names: Column) -> Hashes:
    """Hash names to 64 bits."""
    data, offsets = text_buffers(names)
    text, bounds = memoryview(data.data), offsets.tolist()
    return np.array([xxh3_64_intdigest(text[begin:end]) for begin, end in pairwise(bounds)], np.uint64)


def _numbers(names: Column, known: dict[str, int]) -> Counts:
    """Give the number of each name; new ones get the next."""
    return np.array([known.setdefault(str(name), len(known)) for name in names.to_pylist()], np.int64)
