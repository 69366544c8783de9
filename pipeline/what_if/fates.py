"""What may become of a document, numbered, so that millions of documents are counted as arrays of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Column, Counts

KEPT = 0  # the number of Fate()


class Fate(NamedTuple):
    """Out by a stage and its rule; without a rule it goes on behind that stage, without a stage it is kept."""

    stage: str = ""
    rule: str = ""


@dataclass(slots=True)
class Fates:
    """The fates of a run's documents, numbered as they come up."""

    numbers: dict[Fate, int] = field(default_factory=lambda: {Fate(): KEPT})

    def number(self, fate: Fate) -> int:
        """Give the number of a fate."""
        return self.numbers.setdefault(fate, len(self.numbers))

    def by_number(self) -> list[Fate]:
        """Give all fates, each at its number."""
        return list(self.numbers)

    def of(self, stages: Column, rules: Column) -> Counts:
        """Number the fates of documents; a null stage is that of a kept one."""
        (first, at_first), (second, at_second) = encoded(stages), encoded(rules)
        width = max(1, len(second))
        known, places = np.unique(at_first * width + at_second, return_inverse=True)
        pairs = ((first[code // width], second[code % width]) for code in known.tolist())
        numbers = [self.number(Fate(stage or "", rule or "")) for stage, rule in pairs]
        return np.array(numbers, np.int64)[places]


def encoded(column: Column) -> tuple[list[str | None], Counts]:
    """Give the different values of a text column, null being one of them, and each row's number among them."""
    array: Array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    codes = array.cast(pa.string()).dictionary_encode("encode")
    return codes.dictionary.to_pylist(), np.asarray(codes.indices.to_numpy(), np.int64)
