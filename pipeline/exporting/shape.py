"""What every writer of a format must know of the rows it is given."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.loader.shards import Layout
from headrace.pipeline.exporting.reading import Grain


@dataclass(frozen=True, slots=True)
class Shape:
    """Whether rows are packed sequences of one length or documents of any, and how large files may become."""

    grain: Grain
    layout: Layout
    file_bytes: int

    @property
    def packed(self) -> bool:
        """Rows are sequences of `layout.sequence_length` ids, padding included."""
        return self.grain == "sequences"

    @property
    def id_type(self) -> str:
        """NumPy's name for the type of the ids."""
        return "uint16" if self.layout.vocabulary_size <= 1 << 16 else "uint32"
