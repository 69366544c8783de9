"""The loops of exporting as one would tell them: the tests hold the kernels against these."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from headrace.pipeline.exporting.kernels import Checksums
from headrace.schemas.arrays import Bytes, Offsets

_POLYNOMIAL = 0x82F63B78  # Castagnoli's, bits reversed (RFC 3720, B.4)


def copy_bytes(
    data: Bytes,
    sources: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    out: Bytes,
) -> None:
    """Copy every item of `data` to its place in `out`."""
    for source, target, size in zip(sources.tolist(), targets.tolist(), sizes.tolist(), strict=True):
        out[target : target + size] = data[source : source + size]


def crc32c(data: Bytes, offsets: Offsets) -> Checksums:
    """Give the CRC-32C of each item, bit by bit."""
    return np.array([_crc32c(data[a:b].tobytes()) for a, b in pairwise(offsets.tolist())], np.uint32)


def _crc32c(item: bytes) -> int:
    state = 0xFFFFFFFF
    for byte in item:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (_POLYNOMIAL if state & 1 else 0)
    return state ^ 0xFFFFFFFF
