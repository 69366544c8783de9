"""The bands of signatures as hashes of 64 bits: all that is kept of a signature whose values are not compared."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Hashes, Signatures
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.mixing import mix64, rolled


@kernel
def hash_bands(values: Signatures | Hashes, rows: int, out: Hashes) -> None:
    """Write a hash of each band, `rows` values in a row, of each signature; values behind the bands are left out."""
    for document in range(len(out)):
        for band in range(out.shape[1]):
            value = np.uint64(0)
            for slot in range(band * rows, (band + 1) * rows):
                value = rolled(value, np.uint64(values[document, slot]))
            out[document, band] = mix64(value)
