"""The first row of a CSV file goes in front of every other row, so that each record can be understood alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array
from headrace.schemas.source import Source
from headrace.stages.reading.content import Content
from headrace.stages.reading.part import BEGINNING, Fault, Position, Stretch
from headrace.stages.reading.records import read_stretch

_MAX_HEADER = 1 << 16  # it is repeated in front of every row


@dataclass(frozen=True, slots=True)
class Header:
    """The first row of a CSV file, and how many line feeds there are up to its end."""

    row: bytes
    lines: int


def read_header(content: Content, source: Source) -> Header | Fault | None:
    """Read the first row that holds something; None where there is none, a fault where it is no usable header."""
    place: Position | None = BEGINNING
    while place is not None:
        begin = content.offset
        stretch = read_stretch(content, source, 1, None, place.line)
        if stretch.faults:
            return stretch.faults[0]
        if stretch.gave:
            (records,) = stretch.records
            row: bytes = records.data[0].as_py()
            if len(row) > _MAX_HEADER:
                return Fault(content.path, begin, "header_too_large", "the first row", len(row), _MAX_HEADER)
            return Header(row, (stretch.next and stretch.next.line) or 0)
        place = stretch.next
    return None


def with_header(stretch: Stretch, header: bytes) -> Stretch:
    """Put the header in front of every row."""
    first = pa.scalar(header, pa.large_binary())
    nothing = pa.scalar(b"", pa.large_binary())
    joined: list[Array] = [
        pc.call_function("binary_join_element_wise", [first, r.data, nothing]) for r in stretch.records
    ]
    records = tuple(replace(r, data=data) for r, data in zip(stretch.records, joined, strict=True))
    return replace(stretch, records=records)
