"""The committed files that the part of an index on disk is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headrace.schemas.unit import FileRef


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
