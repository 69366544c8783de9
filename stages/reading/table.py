"""Rows of Parquet and Arrow files: the text column as it is, all other columns as JSON."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.fields import columns_as_json
from headrace.stages.reading.part import Fault, Position, Records, Stretch
from headrace.stages.reading.storage import open_table
from headrace.stages.reading.stream import StreamFaultError

_BATCH_ROWS = 1024
_ROW_COST = 64  # bytes a row counts at least, so that a part of empty rows ends too
_BROKEN = (pa.ArrowException, OSError, ValueError, NotImplementedError)


class TableFile:
    """A Parquet or Arrow file that is read from a row onwards; a damaged place ends it with a fault."""

    def __init__(self, root: str, file: InputFile, source: Source, kind: str, row: int) -> None:
        self._file, self._source, self._kind, self._row = file, source, kind, row
        self._batches = _batches(root, file, kind, source.text_field, row)
        self._ready: pa.Table | None = None
        self._fault: Fault | None = None

    def read(self, budget: int) -> Stretch:
        """Give the next rows, about `budget` bytes of text."""
        begin, size = self._row, 0
        taken: list[pa.Table] = []
        while size < budget and (table := self._load()) is not None:
            costs = np.cumsum(_lengths(table[0]).clip(min=_ROW_COST))
            rows = min(int(np.searchsorted(costs, budget - size)) + 1, table.num_rows)
            taken.append(table.slice(0, rows))
            self._ready = table.slice(rows)
            size += int(costs[rows - 1])
            self._row += rows
        following = Position(self._row, line=None) if self._load() is not None else None
        records, large = self._records(taken, begin)
        return Stretch(self._file.path, (records,), (*large, *([self._fault] if self._fault else [])), following, size)

    def close(self) -> None:
        """Release the file."""
        self._batches.close()

    def _load(self) -> pa.Table | None:
        """Give the rows that come next; None at the end or at a fault."""
        while self._fault is None and (self._ready is None or not self._ready.num_rows):
            try:
                self._ready = next(self._batches)
            except StopIteration:
                return None
            except StreamFaultError as fault:
                self._fault = Fault(self._file.path, self._row, fault.reason, fault.detail)
            except _BROKEN as error:
                self._fault = Fault(self._file.path, self._row, f"unreadable_{self._kind}", _on_one_line(error))
        return None if self._fault else self._ready

    def _records(self, taken: list[pa.Table], begin: int) -> tuple[Records, list[Fault]]:
        path, most = self._file.path, self._source.max_record_bytes
        if not taken:
            return Records(path, "row", None, pa.array([], pa.large_binary()), np.zeros(0, np.int64)), []
        table = pa.concat_tables(taken).combine_chunks()
        lengths = _lengths(table[0])
        rows = begin + np.arange(table.num_rows)
        large = [
            Fault(path, int(row), "record_too_large", "longer than the source's max_record_bytes", int(size), most)
            for row, size in zip(rows[lengths > most], lengths[lengths > most], strict=True)
        ]
        keep = pa.array(lengths <= most)
        table, rows = table.filter(keep), rows[lengths <= most]
        native = not pa.types.is_large_binary(table.schema.field(0).type)
        data = table[0].combine_chunks().cast(pa.large_binary())
        metadata = columns_as_json(table.select(range(1, table.num_columns)))
        return Records(path, "row" if native else "text", None, data, rows, metadata), large


def _batches(root: str, file: InputFile, kind: str, text_field: str, row: int) -> Generator[pa.Table]:
    """Give tables of some rows from a row onwards: the text column first, as strings (or bytes), then the others."""
    with open_table(root, file) as opened:
        for table in _parquet(opened, text_field, row) if kind == "parquet" else _arrow(opened, text_field, row):
            yield _text_first(table, text_field)


def _parquet(file: pa.NativeFile, text_field: str, row: int) -> Iterator[pa.Table]:
    with pq.ParquetFile(file, pre_buffer=False) as parquet:
        _check(parquet.schema_arrow, text_field)
        for group in range(parquet.num_row_groups):
            rows = parquet.metadata.row_group(group).num_rows
            if row >= rows:
                row -= rows
                continue
            for batch in parquet.iter_batches(_BATCH_ROWS, row_groups=[group], use_threads=False):
                yield pa.Table.from_batches([batch]).slice(row)
                row = max(0, row - batch.num_rows)


def _arrow(file: pa.NativeFile, text_field: str, row: int) -> Iterator[pa.Table]:
    with pa.ipc.open_file(file) as reader:
        _check(reader.schema, text_field)
        for index in range(reader.num_record_batches):
            batch = reader.get_batch(index)
            batch.validate(full=True)
            yield pa.Table.from_batches([batch]).slice(row)
            row = max(0, row - batch.num_rows)


def _check(schema: pa.Schema, text_field: str) -> None:
    if text_field not in schema.names:
        columns = ", ".join(schema.names[:20])
        raise StreamFaultError("no_text_column", f"no column {text_field!r}; the columns are: {columns}")
    if schema.names.count(text_field) > 1:
        raise StreamFaultError("no_text_column", f"several columns are called {text_field!r}")
    kind = schema.field(text_field).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (_is_text(kind) or _is_bytes(kind) or pa.types.is_null(kind)):
        raise StreamFaultError("no_text_column", f"column {text_field!r} holds {kind}, not text")


def _text_first(table: pa.Table, text_field: str) -> pa.Table:
    text = table[text_field]
    kind = text.type.value_type if pa.types.is_dictionary(text.type) else text.type
    target = pa.large_binary() if _is_bytes(kind) else pa.large_string()
    if pa.types.is_dictionary(text.type):
        text = text.cast(kind)
    text = text if text.type == target else _as_large(text, target)
    others = table.drop_columns([text_field])
    return others.add_column(0, pa.field(text_field, target), text)


def _as_large(text: pa.ChunkedArray[Any], target: pa.DataType) -> pa.ChunkedArray[Any]:
    unchecked = pc.CastOptions(target_type=target, allow_invalid_utf8=True)  # decode checks, and says so by document
    cast: pa.ChunkedArray[Any] = pc.cast(text, options=unchecked)  # type: ignore[call-overload]
    return cast


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _is_bytes(kind: pa.DataType) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)


def _lengths(text: pa.ChunkedArray[Any]) -> npt.NDArray[np.int64]:
    lengths: npt.NDArray[np.int64] = pc.fill_null(pc.binary_length(text), 0).to_numpy()
    return lengths


def _on_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
