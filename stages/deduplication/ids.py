"""The doc_ids of kept documents, by number."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.stages.kernels.arrays import Array, Column, Counts, text_array, text_buffers
from headrace.stages.kernels.lines import gather


class DocumentIds:
    """All ids in one growing buffer: nothing beside their bytes and 8 bytes each."""

    def __init__(self) -> None:
        self.count = 0
        self._bytes = np.zeros(0, np.uint8)
        self._ends = np.zeros(1, np.int64)

    def extend(self, ids: Column) -> None:
        """Append ids; the first of them gets the number `count`."""
        data, offsets = text_buffers(ids)
        size, added = int(self._ends[self.count]), len(offsets) - 1
        data, offsets = data[offsets[0] : offsets[-1]], offsets - offsets[0]
        if size + len(data) > len(self._bytes):
            self._bytes.resize(2 * (size + len(data)), refcheck=False)  # in place: nobody else holds it
        if self.count + added >= len(self._ends):
            self._ends.resize(2 * (self.count + added) + 1, refcheck=False)
        self._bytes[size : size + len(data)] = data
        self._ends[self.count + 1 : self.count + added + 1] = size + offsets[1:]
        self.count += added

    def take(self, numbers: Counts) -> Array:
        """Give the ids of some documents."""
        begins = self._ends[numbers]
        return text_array(*gather(self._bytes, begins, self._ends[numbers + 1] - begins)).cast(pa.string())
