"""Long lines of documents, as mC4 asks for them."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import kernel

_NEWLINE = 0x0A


@kernel
def long_line_counts(data: Bytes, offsets: Offsets, characters: int) -> Counts:
    """Give per document how many lines, parted by line feeds, have at least some characters."""
    out = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        size = 0
        for at in range(offsets[document], offsets[document + 1] + 1):
            byte = data[at] if at < offsets[document + 1] else _NEWLINE
            if byte != _NEWLINE:
                size += int(byte & 0xC0 != 0x80)
                continue
            out[document] += int(size >= characters)
            size = 0
    return out
