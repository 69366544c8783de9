"""Small files that reading is tested with."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

PROPERTY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
_WORDS = ("a", "bb", "清洗", "去重、分级", "  x", "\\", '{"text": "z"}', "", " ", "\t")


def texts(encoding: str) -> st.SearchStrategy[bytes]:
    """Give small files of short, blank and indented lines with either line end."""
    line = st.tuples(st.sampled_from(_WORDS), st.sampled_from(_WORDS), st.sampled_from(("\n", "\r\n")))
    body = st.lists(line.map("".join), max_size=14).map("".join)
    return st.tuples(body, st.sampled_from(("", "end", "\r"))).map(lambda pair: "".join(pair).encode(encoding))


def packed_lines(count: int) -> bytes:
    """Give lines of numbers that do not compress to nothing."""
    noise = np.random.default_rng(5).bytes(40 * count).hex()
    return b"".join(noise[80 * n : 80 * n + 80].encode() + b"\n" for n in range(count))


def write(path: Path, content: bytes) -> None:
    """Write lines the way the ending says."""
    match path.suffix:
        case ".gz":
            half = len(content) // 2
            path.write_bytes(gzip.compress(content[:half]) + gzip.compress(content[half:]) + b"\0" * 64)
        case ".zst":
            path.write_bytes(b"".join(zstandard.compress(content[at : at + 999]) for at in range(0, len(content), 999)))
        case ".parquet":
            pq.write_table(pa.table({"text": content.splitlines()}), path, row_group_size=70)
        case _:
            path.write_bytes(content)
