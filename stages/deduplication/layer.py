"""What every part of an index answers, and which committed files a part on disk is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headrace.schemas.arrays import Array, Counts
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication.fates import Fates
from headrace.stages.kernels.band_index import Entries


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A committed file of a dedup index, and where its documents stand in the order of all kept ones."""

    run: Path
    ref: FileRef
    first: int  # number of its first document
    documents: int

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self.run / self.ref.name


class Layer(Protocol):
    """A part of an index: kept documents with numbers of their own. Answers of several parts join with `better`."""

    def ask(self, batch: Entries, below: int) -> Fates:
        """Judge documents against those of this part whose number is below `below`; nothing is kept."""
        ...

    def ids(self, numbers: Counts) -> Array:
        """Give the doc_ids of documents of this part, by their numbers."""
        ...
