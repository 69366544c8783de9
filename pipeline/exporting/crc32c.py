"""CRC-32C, Castagnoli's checksum (RFC 3720, appendix B.4), of many byte strings at once."""

from __future__ import annotations

from functools import cache

import numpy as np

from headrace.pipeline.exporting.kernels import Checksums, crc32c
from headrace.pipeline.exporting.ragged import Ragged
from headrace.schemas.arrays import read_only

_POLYNOMIAL = 0x82F63B78  # bits reversed


def crc32c_of(items: Ragged) -> Checksums:
    """Give the checksum of each item."""
    return crc32c(read_only(items.data), items.offsets, _tables())


@cache
def _tables() -> Checksums:
    """Give table k, byte b: the checksum's change by b when k more bytes follow."""
    tables = np.zeros((8, 256), np.uint32)
    tables[0] = np.arange(256)
    for _ in range(8):
        tables[0] = tables[0] >> np.uint32(1) ^ np.where(tables[0] & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    for k in range(1, 8):
        tables[k] = tables[0][tables[k - 1] & 0xFF] ^ tables[k - 1] >> np.uint32(8)
    return tables
