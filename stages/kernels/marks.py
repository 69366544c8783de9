"""Runs of marks: texts that would keep the libraries' normalization busy for minutes."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Flags, Offsets
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.utf8 import decode


@kernel
def flag_runs(data: Bytes, offsets: Offsets, flags: Flags, length: int) -> Flags:
    """Flag the documents that have so many flagged code points in a row."""
    found = np.zeros(len(offsets) - 1, np.bool_)
    for document in range(len(offsets) - 1):
        at = offsets[document]
        run = 0
        while at < offsets[document + 1] and run < length:
            point, at = decode(data, at)
            run = run + 1 if flags[point] else 0
        found[document] = run == length
    return found
