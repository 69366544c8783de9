"""The two loops of exporting, compiled; `plain.py` holds their readable twins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import kernel

Checksums = npt.NDArray[np.uint32]


@kernel
def copy_bytes(
    data: Bytes,
    sources: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    out: Bytes,
) -> None:
    """Copy data[sources[i] : + sizes[i]] to out[targets[i]:] for every i."""
    for item in range(len(sizes)):
        source, target = sources[item], targets[item]
        for at in range(sizes[item]):
            out[target + at] = data[source + at]


@kernel
def crc32c(data: Bytes, offsets: Offsets, tables: Checksums) -> Checksums:
    """Give the CRC-32C of each item data[offsets[i]:offsets[i + 1]].

    Eight bytes a step: table k of the 8 x 256 tables is the effect of a byte that k more bytes follow.
    """
    sums = np.empty(len(offsets) - 1, np.uint32)
    for item in range(len(sums)):
        state = np.uint32(0xFFFFFFFF)
        at, end = offsets[item], offsets[item + 1]
        while at + 8 <= end:
            low = state ^ (
                np.uint32(data[at])
                | np.uint32(data[at + 1]) << np.uint32(8)
                | np.uint32(data[at + 2]) << np.uint32(16)
                | np.uint32(data[at + 3]) << np.uint32(24)
            )
            state = (
                tables[7, low & np.uint32(0xFF)]
                ^ tables[6, low >> np.uint32(8) & np.uint32(0xFF)]
                ^ tables[5, low >> np.uint32(16) & np.uint32(0xFF)]
                ^ tables[4, low >> np.uint32(24)]
                ^ tables[3, data[at + 4]]
                ^ tables[2, data[at + 5]]
                ^ tables[1, data[at + 6]]
                ^ tables[0, data[at + 7]]
            )
            at += 8
        while at < end:
            state = tables[0, (state ^ data[at]) & np.uint32(0xFF)] ^ state >> np.uint32(8)
            at += 1
        sums[item] = state ^ np.uint32(0xFFFFFFFF)
    return sums
