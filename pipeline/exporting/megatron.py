"""Megatron-LM's indexed data set: `tokens.bin` with all ids, `tokens.idx` with where each row begins.

The index, little-endian: magic `MMIDIDX` and two zero bytes, version 1 (u64), code of the id type (u8; 8 = uint16, 4 =
int32), number of rows (u64), number of document borders (u64), length of each row (i32), byte offset of each row (i64),
document borders (i64), which count rows. Megatron makes its own samples, so rows have no padding. Read with
`IndexedDataset` of `megatron.core.datasets.indexed_dataset`.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from headrace.pipeline.exporting.out_folder import OutFolder
from headrace.pipeline.exporting.ragged import little_endian
from headrace.pipeline.exporting.rows import Ids, Rows, files
from headrace.pipeline.exporting.shape import Shape

PREFIX = "tokens"
_MAGIC, _VERSION = b"MMIDIDX\0\0", 1
_UINT16, _INT32 = 8, 4  # Megatron has no uint32; ids are far below 2**31
_PORTION_BYTES = 1 << 21  # of ids that padding is taken out of at a time
_AT_A_TIME = 1 << 18  # lengths of rows that are in memory while the index is written


def write_megatron(parts: Iterator[Rows], out: OutFolder, shape: Shape) -> None:
    """Write all rows as one `.bin` and one `.idx`; every row is a document to Megatron."""
    narrow = shape.id_type == "uint16"
    with tempfile.TemporaryFile(dir=out.path) as lengths:
        rows = 0
        with out.file(f"{PREFIX}.bin") as data:
            for part in files(parts, _PORTION_BYTES):
                data.write(little_endian(_stored(part.without_padding(), narrow=narrow)))
                lengths.write(part.lengths.astype("<i4").tobytes())
                rows += part.count
        _write_index(out, lengths, rows, narrow=narrow)


def _stored(ids: Ids, *, narrow: bool) -> npt.NDArray[np.integer]:
    return ids if narrow else ids.view(np.int32)


def _write_index(out: OutFolder, lengths: BinaryIO, rows: int, *, narrow: bool) -> None:
    with out.file(f"{PREFIX}.idx") as index:
        index.write(_MAGIC + struct.pack("<QBQQ", _VERSION, _UINT16 if narrow else _INT32, rows, rows + 1))
        for chunk in _chunks(lengths):
            index.write(little_endian(chunk))
        begin = 0
        for chunk in _chunks(lengths):
            ends = begin + np.cumsum(chunk, dtype=np.int64) * (2 if narrow else 4)
            index.write(little_endian(np.concatenate([[begin], ends[:-1]])))
            begin = int(ends[-1])
        for first in range(0, rows + 1, _AT_A_TIME):
            index.write(little_endian(np.arange(first, min(first + _AT_A_TIME, rows + 1), dtype=np.int64)))


def _chunks(lengths: BinaryIO) -> Iterator[npt.NDArray[np.int32]]:
    """Read the lengths that were put aside, from the first."""
    lengths.seek(0)
    while data := lengths.read(_AT_A_TIME * 4):
        yield np.frombuffer(data, "<i4")
