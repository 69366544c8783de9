"""The open shard of a run that ends in clean text, as JSON lines: for everything that does not read Parquet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson
import pyarrow as pa
import zstandard

from headrace.schemas.shard import JSONL
from headrace.stages.writing.text_shard import TextShard

_ZSTD_LEVEL = 3
_ROWS = 1000  # that are Python objects at a time


class JsonShard(TextShard):
    """Collects the kept documents of units; each becomes an object, `text` first, `metadata` as the object it is."""

    format, suffix = JSONL, ".jsonl.zst"

    def write(self, path: Path) -> tuple[int, int]:
        """Write the documents; give their number, and 0 for tokens."""
        rows = 0
        with path.open("wb") as file, zstandard.ZstdCompressor(level=_ZSTD_LEVEL).stream_writer(file) as out:
            for table in self.tables:
                rows += table.num_rows
                for line in json_lines(table):
                    out.write(line)
        return rows, 0


def json_lines(table: pa.Table) -> Iterator[bytes]:
    """Give a line for each document; what is null, and what is no number, is left out."""
    for batch in table.to_batches(max_chunksize=_ROWS):
        for row in batch.to_pylist():
            yield orjson.dumps(_object(row), option=orjson.OPT_APPEND_NEWLINE)


def _object(row: Mapping[str, object]) -> dict[str, object]:
    known = {name: value for name, value in row.items() if value is not None and not _is_no_number(value)}
    metadata = known.pop("metadata", None)
    own = {"metadata": orjson.Fragment(str(metadata))} if metadata is not None else {}  # JSON already
    return {"text": known.pop("text", ""), **known, **own}


def _is_no_number(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
