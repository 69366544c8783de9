"""Documents of earlier runs among all that are kept: they are numbered first, run after run in the list's order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts
from headrace.schemas.errors import FormatError
from headrace.schemas.index import EarlierRun, found_in


@dataclass(slots=True)
class EarlierNumbers:
    """Which numbers are those of which earlier run."""

    names: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # the number after each run's last document

    def add(self, run: EarlierRun, end: int) -> None:
        """Note that the documents of a run go up to a number."""
        self.names.append(run.name)
        self.ends.append(end)

    def details(self, survivors: Counts) -> Array:
        """Say of each survivor in which earlier run it is; null for one of this run, and for none (-1)."""
        which = np.searchsorted(np.array(self.ends, np.int64), survivors, side="right")
        words = pa.array([*map(found_in, self.names), None], pa.string())
        which[survivors < 0] = len(self.names)
        return words.take(which)


@contextmanager
def blaming(runs: Sequence[EarlierRun]) -> Iterator[None]:
    """Say of an index file that cannot be used which earlier run it belongs to, and what can be done about that."""
    try:
        yield
    except FormatError as error:
        names = [run.name for run in runs if any(str(run.run / ref.name) == error.where for ref in run.files)]
        raise FormatError(
            f"an index file of the earlier run {' or '.join(names)} cannot be used",
            where=error.where,
            why=f"{error.what}: {error.why}" if error.why else error.what,
            remedy="restore it from a copy, or take the run out of `against` and start over with --fresh",
        ) from error
