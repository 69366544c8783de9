"""NumPy's own files: what `numpy.load(..., mmap_mode="r")` maps into memory, numbered from 00000.

Sequences: `tokens-N.npy` [rows, sequence_length], `lengths-N.npy` [rows] (ids that are no padding), `ends-N.npy` with
where each piece of a document ends, those of row i from `end_offsets-N.npy`[i] to [i + 1]. Documents: `tokens-N.npy`
flat, document i from `offsets-N.npy`[i] to [i + 1].
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from headrace.pipeline.exporting.out_folder import OutFolder
from headrace.pipeline.exporting.ragged import little_endian
from headrace.pipeline.exporting.rows import Rows
from headrace.pipeline.exporting.shape import Shape


def write_npy(parts: Iterator[Rows], out: OutFolder, shape: Shape) -> None:
    """Write the arrays of each file's rows."""
    for number, rows in enumerate(parts):
        for name, array in _arrays(rows, shape).items():
            out.write(f"{name}-{number:05}.npy", _header(array), little_endian(array))


def _arrays(rows: Rows, shape: Shape) -> dict[str, npt.NDArray[np.integer]]:
    if not shape.packed:
        return {"tokens": rows.ids, "offsets": rows.offsets}
    return {
        "tokens": rows.ids.reshape(rows.count, shape.layout.sequence_length),
        "lengths": rows.lengths.astype(np.int32),
        "ends": rows.ends,
        "end_offsets": rows.end_offsets,
    }


def _header(array: npt.NDArray[np.integer]) -> bytes:
    """Give what stands before the numbers: NumPy's format 1.0."""
    header = io.BytesIO()
    described = {"descr": array.dtype.newbyteorder("<").str, "fortran_order": False, "shape": array.shape}
    np.lib.format.write_array_header_1_0(header, described)
    return header.getvalue()
