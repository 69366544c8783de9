"""Rows of a Parquet file, row group by row group: one that is damaged or too large costs only itself.

A few kilobytes of Parquet can stand for terabytes: dictionaries and run lengths repeat a value, row groups may share
their pages, pages are compressed. So strings stay dictionary-encoded until they are measured, what the footer declares
is checked before a group is read, and what a group gives is bounded by what it takes in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from headrace.schemas.source import Source
from headrace.stages.reading.content import EXPANSION_FLOOR
from headrace.stages.reading.row_costs import row_costs
from headrace.stages.reading.rows import BROKEN, Lost, Rows, check_text, on_one_line
from headrace.stages.reading.stream import StreamFaultError

_BATCH_ROWS, _BATCH_BYTES = 1024, 1 << 24
_BUFFER = 1 << 20
_LEAST_FLOOR = 1 << 20
_LEVELS = 8  # bytes that a nested value takes in memory at least


def parquet_rows(
    opener: Callable[[], pa.NativeFile], size: int, source: Source, row: int
) -> Generator[Rows | Lost, None, None]:
    """Give the rows from a number onwards of a file of so many bytes."""
    with opener() as file, _opened(file) as parquet:
        check_text(parquet.schema_arrow, source.text_field)
        metadata = parquet.metadata
        floor = max(_LEAST_FLOOR, EXPANSION_FLOOR // max(1, metadata.num_row_groups))
        begin = taken = 0
        for number in range(metadata.num_row_groups):
            group = _Group.of(metadata.row_group(number), number, begin)
            begin += group.rows
            taken += group.packed
            if row >= begin and group.rows:
                continue
            fault = group.refusal(source, size - taken)
            if fault:
                yield Lost(max(row, group.begin), begin - max(row, group.begin), fault)
            else:
                yield from _group_rows(parquet, group, row, max(floor, source.max_expansion * group.packed), source)


def _opened(file: pa.NativeFile) -> pq.ParquetFile:
    plain = pq.ParquetFile(file, pre_buffer=False)
    columns = range(plain.metadata.num_columns)
    strings = [plain.schema.column(at).path for at in columns if plain.schema.column(at).physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(
        file,
        metadata=plain.metadata,
        read_dictionary=strings,
        pre_buffer=False,
        buffer_size=_BUFFER,
        page_checksum_verification=True,
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """A row group as the footer declares it."""

    number: int
    begin: int  # its first row
    rows: int
    packed: int  # bytes in the file
    size: int  # bytes unpacked, dictionaries not written out
    values: int  # of the column that has most

    @classmethod
    def of(cls, metadata: pq.RowGroupMetaData, number: int, begin: int) -> _Group:
        columns = [metadata.column(at) for at in range(metadata.num_columns)]
        return cls(
            number,
            begin,
            max(0, metadata.num_rows),
            sum(max(0, column.total_compressed_size) for column in columns),
            sum(max(0, column.total_uncompressed_size) for column in columns),
            max((column.num_values for column in columns), default=0),
        )

    @property
    def name(self) -> str:
        return f"row group {self.number} (rows {self.begin} to {self.begin + self.rows - 1})"

    def refusal(self, source: Source, room: int) -> StreamFaultError | None:
        """Say why the group is not read."""
        most = source.max_group_bytes
        if room < 0:
            detail = f"{self.name} and those before it take {-room} bytes more than the file has: they share pages"
            return StreamFaultError("overlapping_groups", detail, -room, 0)
        if self.size > most or self.values * _LEVELS > most:
            size = max(self.size, self.values * _LEVELS)
            detail = f"{self.name} unpacks to {size} bytes, over the source's max_group_bytes"
            return StreamFaultError("row_group_too_large", detail, size, most)
        return None


def _group_rows(
    parquet: pq.ParquetFile, group: _Group, row: int, most: int, source: Source
) -> Generator[Rows | Lost, None, None]:
    """Give the rows of one group from a number onwards, until they weigh more than `most`."""
    at, end, weight = group.begin, group.begin + group.rows, 0
    many = max(1, min(_BATCH_ROWS, _BATCH_BYTES * group.rows // max(1, group.size)))
    batches = parquet.iter_batches(many, row_groups=[group.number], use_threads=False)
    try:
        for batch in batches:
            table = pa.Table.from_batches([batch]).slice(0, end - at)
            costs = np.cumsum(row_costs(table)) + weight
            fits = int(np.searchsorted(costs, most, side="right"))
            skipped = min(fits, max(0, row - at))
            if fits > skipped:
                yield Rows(at + skipped, table.slice(skipped, fits - skipped))
            if fits < table.num_rows:
                yield _too_much(group, max(row, at + fits), most, int(costs[-1]), source)
                return
            at, weight = at + table.num_rows, int(costs[-1]) if len(costs) else weight
    except BROKEN as error:
        detail = f"{group.name}: {on_one_line(error)}"
        yield Lost(max(row, at), end - max(row, at), StreamFaultError("unreadable_parquet", detail))
        return
    if at < end:
        detail = f"{group.name} holds no more rows"
        yield Lost(max(row, at), end - max(row, at), StreamFaultError("unreadable_parquet", detail))


def _too_much(group: _Group, row: int, most: int, weight: int, source: Source) -> Lost:
    left = group.begin + group.rows - row
    detail = f"{group.name} takes {group.packed} bytes in the file and gives more than {most}: {left} rows are not read"
    ratio = weight / max(1, group.packed)
    return Lost(row, left, StreamFaultError("expansion", detail, ratio, source.max_expansion))
