"""Rows of Parquet and Arrow files: the text column as it is, all other columns as JSON."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from headrace.schemas.source import Source
from headrace.stages.reading.arrow_batches import arrow_rows
from headrace.stages.reading.content import Content
from headrace.stages.reading.fields import columns_as_json
from headrace.stages.reading.parquet_groups import parquet_rows
from headrace.stages.reading.part import FILE_COST, Fault, Position, Records, Stretch
from headrace.stages.reading.row_costs import lengths_of, row_costs
from headrace.stages.reading.rows import BROKEN, Lost, Rows, on_one_line, text_first
from headrace.stages.reading.stream import StreamFaultError

_SLICE_ROWS = 1024  # rows that are measured and decoded together


class TableFile:
    """A Parquet or Arrow file that is read from a row onwards; rows that cannot be read are named, others follow."""

    def __init__(
        self, content: Content, opener: Callable[[], pa.NativeFile], size: int, source: Source, row: int
    ) -> None:
        self._content, self._source, self._row = content, source, row
        rows = parquet_rows if content.format == "parquet" else arrow_rows
        self._pieces = rows(opener, size, source, row)
        self._ready: Rows | Lost | None = None
        self._ended = False

    def read(self, budget: int) -> Stretch:
        """Give the next rows, about `budget` bytes of them."""
        size, faults = 0, list[Fault]()
        records: list[Records] = []
        while size < budget and (piece := self._load()) is not None:
            if isinstance(piece, Lost):
                faults.append(self._fault(piece.row, piece.fault))
                self._row, self._ready = piece.row + piece.rows, None
                size += FILE_COST
                continue
            found, large, cost = self._taken(piece, budget - size)
            records.extend(found)
            faults.extend(large)
            size += cost
        following = Position(self._row, line=None) if self._load() is not None else None
        return Stretch(self._content.path, tuple(records), tuple(faults), following, size)

    def close(self) -> None:
        """Release the file."""
        self._pieces.close()

    def _taken(self, piece: Rows, room: int) -> tuple[list[Records], list[Fault], int]:
        """Take the first rows of a piece, at least one; give what is made of them, and what they weigh."""
        head = piece.table.slice(0, _SLICE_ROWS)
        try:
            table = text_first(head, self._source.text_field)
            costs = np.cumsum(row_costs(table))
            rows = min(int(np.searchsorted(costs, room)) + 1, table.num_rows)
            records, large = self._records(table.slice(0, rows), piece.row)
            found, cost = [records], int(costs[rows - 1])
        except BROKEN as error:
            rows, cost, found = head.num_rows, FILE_COST, []
            detail = f"rows {piece.row} to {piece.row + rows - 1}: {on_one_line(error)}"
            large = [self._fault(piece.row, StreamFaultError(f"unreadable_{self._content.format}", detail))]
        self._row = piece.row + rows
        self._ready = Rows(self._row, piece.table.slice(rows))
        return found, large, cost

    def _load(self) -> Rows | Lost | None:
        """Give what comes next; None at the end."""
        while not self._ended and (self._ready is None or (isinstance(self._ready, Rows) and not self._ready.table)):
            try:
                self._ready = next(self._pieces)
            except StopIteration:
                self._ready, self._ended = None, True
            except StreamFaultError as fault:
                self._ready, self._ended = Lost(self._row, 0, fault), True
            except BROKEN as error:
                broken = StreamFaultError(f"unreadable_{self._content.format}", on_one_line(error))
                self._ready, self._ended = Lost(self._row, 0, broken), True
        return self._ready

    def _records(self, table: pa.Table, begin: int) -> tuple[Records, list[Fault]]:
        lengths, most = lengths_of(table[0]), self._source.max_record_bytes
        rows = begin + np.arange(table.num_rows)
        detail = "longer than the source's max_record_bytes"
        large = [
            self._fault(int(row), StreamFaultError("record_too_large", detail, int(size), most))
            for row, size in zip(rows[lengths > most], lengths[lengths > most], strict=True)
        ]
        table, rows = table.filter(pa.array(lengths <= most)), rows[lengths <= most]
        text = table[0].cast(pa.large_binary()).combine_chunks()
        kind = "text" if pa.types.is_large_binary(table.schema.field(0).type) else "row"
        metadata = columns_as_json(table.select(range(1, table.num_columns)))
        return Records(self._content.path, kind, None, text, rows, metadata, self._content.member), large

    def _fault(self, row: int, fault: StreamFaultError) -> Fault:
        path, member = self._content.path, self._content.member
        return Fault(path, row, fault.reason, fault.detail, fault.value, fault.threshold, member)
