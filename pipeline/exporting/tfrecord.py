"""TFRecord files of `tf.train.Example`, numbered from 00000: each row a record with its CRC-32C.

A record: length of the data (u64), masked CRC-32C of these 8 bytes (u32), the data, masked CRC-32C of the data (u32).
The data is the Protocol Buffers message Example, a map from names to features. Sequences have `input_ids` (padding
included), `length` and `document_ends`; documents have `input_ids` and `doc_id`. Read with `tf.data.TFRecordDataset`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from headrace.loader.order import IntArray
from headrace.pipeline.exporting.crc32c import crc32c_of
from headrace.pipeline.exporting.out_folder import OutFolder
from headrace.pipeline.exporting.ragged import (
    Ragged,
    constant,
    numbers,
    side_by_side,
    texts,
    varint_sizes,
    varints,
)
from headrace.pipeline.exporting.rows import DOC_ID, Rows, files
from headrace.pipeline.exporting.shape import Shape
from headrace.schemas.arrays import Offsets

_BYTES, _INT64 = b"\x0a", b"\x1a"  # in Feature: field 1 is a list of byte strings, field 3 one of int64
_FIRST = b"\x0a"  # field 1, which is a string, a message or packed numbers
_SECOND = b"\x12"
_PORTION_BYTES = 1 << 21  # of ids that become records at a time: their varints are made from 64-bit numbers
_MASK = np.uint32(0xA282EAD8)  # TFRecord's: checksums of data that holds checksums would be weak


def write_tfrecord(parts: Iterator[Rows], out: OutFolder, shape: Shape) -> None:
    """Write a file for each portion of rows."""
    for number, rows in enumerate(parts):
        with out.file(f"tokens-{number:05}.tfrecord") as file:
            for portion in files(iter([rows]), _PORTION_BYTES):
                file.write(records(examples(_features(portion, shape))).data)


def _features(rows: Rows, shape: Shape) -> dict[str, tuple[bytes, Ragged]]:
    ids = _packed(rows.ids, rows.offsets)
    if not shape.packed:
        return {"doc_id": (_BYTES, texts(rows.origins[DOC_ID])), "input_ids": (_INT64, ids)}
    ends = _packed(rows.ends, rows.end_offsets)
    return {"document_ends": (_INT64, ends), "input_ids": (_INT64, ids), "length": (_INT64, varints(rows.lengths))}


def _packed(values: npt.NDArray[np.integer], offsets: Offsets) -> Ragged:
    """Give each array as the varints of its numbers."""
    one_each = varints(values.astype(np.int64))
    return Ragged(one_each.data, one_each.offsets[offsets])


def examples(features: Mapping[str, tuple[bytes, Ragged]]) -> Ragged:
    """Give the messages Example with these features: the field of each and its content, item by item."""
    columns: list[Ragged] = []
    total: IntArray = np.zeros(1, np.int64)
    for name, (field, content) in features.items():
        entry, size = _entry(name.encode(), field, content)
        columns += [constant(_FIRST, len(size)), varints(size), *entry]
        total = total + 1 + varint_sizes(size) + size
    return side_by_side([constant(_FIRST, len(total)), varints(total), *columns])


def _entry(name: bytes, field: bytes, content: Ragged) -> tuple[list[Ragged], IntArray]:
    """Give an entry of the map as columns, and its size: the name, then Feature > list > content."""
    count = len(content.sizes)
    in_list = 1 + varint_sizes(content.sizes) + content.sizes
    in_feature = 1 + varint_sizes(in_list) + in_list
    key = _FIRST + bytes([len(name)]) + name + _SECOND
    columns = [
        constant(key, count),
        varints(in_feature),
        constant(field, count),
        varints(in_list),
        constant(_FIRST, count),
        varints(content.sizes),
        content,
    ]
    return columns, len(key) + varint_sizes(in_feature) + in_feature


def records(data: Ragged) -> Ragged:
    """Frame each item as a record."""
    lengths = numbers(data.sizes)
    return side_by_side([lengths, numbers(_masked(lengths)), data, numbers(_masked(data))])


def _masked(data: Ragged) -> npt.NDArray[np.uint32]:
    """Rotate the checksum right by 15 bits and add a constant, modulo 2**32."""
    sums = crc32c_of(data)
    masked: npt.NDArray[np.uint32] = (sums >> np.uint32(15) | sums << np.uint32(17)) + _MASK
    return masked
