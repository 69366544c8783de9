"""Rows of a Parquet file, row group by row group: one that is damaged or too large costs only itself.

A few kilobytes of Parquet can stand for terabytes: dictionaries and run lengths repeat a value, row groups may share
their pages, pages are compressed. So strings stay dictionary-encoded until they are measured, what the footer declares
is checked before a group is read, and what a group gives is bounded by what it takes in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from headrace.schemas.source import Source
from headrace.stages.reading.content import EXPANSION_FLOOR
from headrace.stages.reading.parquet_footer import Group, check_ends, check_pages, read_groups
from headrace.stages.reading.row_costs import row_costs
from headrace.stages.reading.rows import BROKEN, Lost, Rows, check_text, on_one_line, validate
from headrace.stages.reading.stream import StreamFaultError

_BATCH_ROWS, _BATCH_BYTES = 1024, 1 << 24
_DELTA_LENGTHS, _SHARED_PREFIXES = 6, 7  # encodings DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY
_DELTAS = frozenset((_DELTA_LENGTHS, _SHARED_PREFIXES))
_FEW_ROWS = 64  # a value that takes over the one before it costs nothing in the file: so few are unpacked at once
_BUFFER = 1 << 20
_LEAST_FLOOR = 1 << 20
_LEVELS = 8  # bytes that a nested value takes in memory at least
_LOOKED_THROUGH = 1 << 23  # bytes of a group in a store whose pages are looked at: one request


def parquet_rows(
    opener: Callable[[], pa.NativeFile], size: int, source: Source, row: int
) -> Generator[Rows | Lost, None, None]:
    """Give the rows from a number onwards of a file of so many bytes."""
    with opener() as file:
        check_ends(file, size)
        plain = pq.ParquetFile(file, pre_buffer=False)
        check_text(plain.schema_arrow, source.text_field)
        groups = read_groups(file, size)
        parquet = _with_dictionaries(file, plain, groups)
        floor, taken = max(_LEAST_FLOOR, EXPANSION_FLOOR // max(1, len(groups))), 0
        for group in groups:
            taken += group.packed
            end = group.begin + group.rows
            if row >= end and group.rows:
                continue
            fault = _refusal(file, group, source, size, taken)
            if fault:
                yield Lost(max(row, group.begin), end - max(row, group.begin), fault)
            else:
                yield from _group_rows(parquet, group, row, max(floor, source.max_expansion * group.packed), source)


def _with_dictionaries(file: pa.NativeFile, plain: pq.ParquetFile, groups: list[Group]) -> pq.ParquetFile:
    """Open a file so that strings stay dictionary-encoded, where the library can do that for their encoding."""
    deltas = {at for group in groups for at, chunk in enumerate(group.chunks) if _DELTAS & {*chunk.encodings}}
    columns = (plain.schema.column(at) for at in range(plain.metadata.num_columns) if at not in deltas)
    strings = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(
        file,
        metadata=plain.metadata,
        read_dictionary=strings,
        pre_buffer=False,
        buffer_size=_BUFFER,
        page_checksum_verification=True,
    )


def _refusal(file: pa.NativeFile, group: Group, source: Source, size: int, taken: int) -> StreamFaultError | None:
    """Say why a group is not read."""
    most, values = source.max_group_bytes, max((chunk.values for chunk in group.chunks), default=0)
    if group.packed > size:
        return StreamFaultError("unreadable_parquet", f"{group.name} is said to take more bytes than the file has")
    if taken > size:
        detail = f"{group.name} and those before it take more bytes than the file has: they share pages"
        return StreamFaultError("overlapping_groups", detail, taken, size)
    whole = max(group.size, values * _LEVELS)
    if whole > most:
        detail = f"{group.name} unpacks to {whole} bytes, over the source's max_group_bytes"
        return StreamFaultError("row_group_too_large", detail, whole, most)
    if isinstance(file, pa.PythonFile) and group.packed > _LOOKED_THROUGH:
        return None
    return check_pages(file, group, source.max_page_bytes)


def _group_rows(
    parquet: pq.ParquetFile, group: Group, row: int, most: int, source: Source
) -> Generator[Rows | Lost, None, None]:
    """Give the rows of one group from a number onwards, until they weigh more than `most`."""
    at, end, weight = group.begin, group.begin + group.rows, 0
    shared = any(_SHARED_PREFIXES in chunk.encodings for chunk in group.chunks)
    many = _FEW_ROWS if shared else max(1, min(_BATCH_ROWS, _BATCH_BYTES * group.rows // max(1, group.size)))
    batches = parquet.iter_batches(many, row_groups=[group.number], use_threads=False)
    try:
        for batch in batches:
            validate(batch)
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


def _too_much(group: Group, row: int, most: int, weight: int, source: Source) -> Lost:
    left = group.begin + group.rows - row
    detail = f"{group.name} takes {group.packed} bytes in the file and gives more than {most}: {left} rows are not read"
    ratio = weight / max(1, group.packed)
    return Lost(row, left, StreamFaultError("expansion", detail, ratio, source.max_expansion))
