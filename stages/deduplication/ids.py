"""The doc_ids of kept documents, by number."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Column, Counts, text_array, text_buffers
from headrace.stages.kernels.lines import gather


class DocumentIds:
    """The ids from number `base` on in one growing buffer: nothing beside their bytes and 8 bytes each."""

    def __init__(self, base: int = 0) -> None:
        self._begin(base)

    def _begin(self, base: int) -> None:
        self.base = self.count = base
        self._bytes = np.zeros(0, np.uint8)
        self._ends = np.zeros(1, np.int64)

    @property
    def nbytes(self) -> int:
        """Memory of both arrays."""
        return self._bytes.nbytes + self._ends.nbytes

    def extend(self, ids: Column) -> None:
        """Append ids; the first of them gets the number `count`."""
        data, offsets = text_buffers(ids)
        held = self.count - self.base
        size, added = int(self._ends[held]), len(offsets) - 1
        data, offsets = data[offsets[0] : offsets[-1]], offsets - offsets[0]
        if size + len(data) > len(self._bytes):
            self._bytes.resize(2 * (size + len(data)), refcheck=False)  # in place: nobody else holds it
        if held + added >= len(self._ends):
            self._ends.resize(2 * (held + added) + 1, refcheck=False)
        self._bytes[size : size + len(data)] = data
        self._ends[held + 1 : held + added + 1] = size + offsets[1:]
        self.count += added

    def take(self, numbers: Counts) -> Array:
        """Give the ids of some documents, by their numbers."""
        places = numbers - self.base
        begins = self._ends[places]
        return text_array(*gather(self._bytes, begins, self._ends[places + 1] - begins)).cast(pa.string())

    def forget(self, number: int) -> None:
        """Give up the ids before a number."""
        rest = self.take(np.arange(number, self.count))
        self._begin(number)
        self.extend(rest)
