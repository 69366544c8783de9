"""The first row of a CSV file goes in front of every other row, so that each record can be understood alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.source import Source
from headrace.stages.reading.content import Content
from headrace.stages.reading.part import Fault, Stretch
from headrace.stages.reading.records import read_stretch

_MAX_HEADER = 1 << 16  # it is repeated in front of every row


def read_header(content: Content, source: Source) -> bytes | Fault | None:
    """Read the first row that holds something; None where there is none, a fault where it is no usable header."""
    while True:
        begin = content.offset
        stretch = read_stretch(content, source, 1, None)
        if stretch.faults:
            return stretch.faults[0]
        if len(stretch.records.data):
            header: bytes = stretch.records.data[0].as_py()
            if len(header) > _MAX_HEADER:
                return Fault(content.file.path, begin, "header_too_large", "the first row", len(header), _MAX_HEADER)
            return header
        if stretch.next is None:
            return None


def with_header(stretch: Stretch, header: bytes) -> Stretch:
    """Put the header in front of every row."""
    first = pa.scalar(header, pa.large_binary())
    data: pa.Array[Any] = pc.binary_join_element_wise(first, stretch.records.data, pa.scalar(b"", pa.large_binary()))  # type: ignore[call-overload]
    return replace(stretch, records=replace(stretch.records, data=data))
