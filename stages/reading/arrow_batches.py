"""Rows of an Arrow file or stream, batch after batch; what a batch declares is looked at before it is unpacked.

A file is a stream between a magic and a footer, so both are read alike, and one that was cut off gives what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import pyarrow as pa

from headrace.schemas.source import Source
from headrace.stages.reading.arrow_messages import Message, messages
from headrace.stages.reading.rows import Lost, Rows, check_text, validate
from headrace.stages.reading.stream import StreamFaultError

_MAGIC, _BEHIND_MAGIC = b"ARROW1", 8
_NO_VALUE = 64  # rows of nothing but null take no bytes: so many count as one


def arrow_rows(
    opener: Callable[[], pa.NativeFile], size: int, source: Source, row: int
) -> Generator[Rows | Lost, None, None]:
    """Give the rows from a number onwards of a file of so many bytes; damage ends it."""
    with opener() as file, opener() as beside:
        begin = _BEHIND_MAGIC if file.read(len(_MAGIC)) == _MAGIC else 0
        file.seek(begin)
        declared = messages(beside, begin, size)
        with pa.ipc.open_stream(file) as reader:
            check_text(reader.schema, source.text_field)
            yield from _rows(reader, declared, source, row)


def _rows(
    reader: pa.ipc.RecordBatchStreamReader, declared: Generator[Message, None, None], source: Source, row: int
) -> Generator[Rows | Lost, None, None]:
    at = 0
    for message in declared:
        fault = _refusal(message, source, at)
        if fault:
            yield Lost(max(row, at), 0, fault)
            return
        if not message.batch:
            continue
        batch = reader.read_next_batch()
        validate(batch)
        if at + batch.num_rows > row:
            skipped = max(0, row - at)
            yield Rows(at + skipped, pa.Table.from_batches([batch]).slice(skipped))
        at += batch.num_rows


def _refusal(message: Message, source: Source, row: int) -> StreamFaultError | None:
    if message.cut:
        return StreamFaultError("truncated", f"the file ends inside or before what follows row {row}")
    most = source.max_page_bytes
    size = max(message.size, message.rows // _NO_VALUE)
    if size > most:
        detail = f"what follows row {row} unpacks to {size} bytes, over the source's max_page_bytes"
        return StreamFaultError("page_too_large", detail, size, most)
    return None
