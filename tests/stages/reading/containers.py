"""A valid file of every container, and ways to damage it."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.stages.reading.made_archives import PACKERS, SEVERAL, streamed_zip, tar, zipped
from tests.stages.reading.made_warcs import members, record, responses


def _lines(count: int) -> bytes:
    noise = np.random.default_rng(3).bytes(12 * count).hex()
    return b"".join(
        b'{"text": "%s \xe6\xb8\x85\xe6\xb4\x97"}\n' % noise[24 * n : 24 * n + 24].encode() for n in range(count)
    )


LINES = _lines(60)
MEMBERS = {
    "a.txt": "hello\n\n清洗数据\nworld\n".encode() * 5,
    "d/b.jsonl": LINES,
    "e": b"",
    "c.csv": b'text,id\nv1,1\n"v2\nz",2\n' * 4,
    "p.jsonl.gz": gzip.compress(LINES[:2000]),
    "u.txt": "宽字符\n\n文本\n".encode("utf-16") * 3,
}
WARCS = {
    "a.warc.gz": members([record(b"software: x", kind="warcinfo"), *responses(9)]),
    "b.txt": MEMBERS["a.txt"],
    "d/b.warc": b"".join(responses(5)),
    "i.warc": record(b"software: x", kind="warcinfo"),
}
TABLE = pa.table(
    {
        "text": [f"row {n} 清洗" * (n % 7) for n in range(300)],
        "n": list(range(300)),
        "s": [{"a": [1, 2], "b": "x" * (n % 5)} for n in range(300)],
        "d": pa.array(["k", "v"] * 150).dictionary_encode(),
    }
)


def _parquet(**options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(TABLE, out, row_group_size=100, **options)
    return out.getvalue()


def _arrow(*, stream: bool, compression: str | None = None) -> bytes:
    out, new = io.BytesIO(), pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(out, TABLE.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(TABLE, 100)
    return out.getvalue()


CONTAINERS: Mapping[str, bytes] = {
    "l.jsonl": LINES,
    "w.txt": MEMBERS["u.txt"] * 3,
    "c.csv": MEMBERS["c.csv"] * 9,
    **{f"f.jsonl.{e}": p(LINES[:1500]) + (p(LINES[1500:]) if e in SEVERAL else b"") for e, p in PACKERS.items()},
    "t.tar": tar(MEMBERS),
    "g.tar": tar(MEMBERS, tarfile.GNU_FORMAT),
    **{f"t.tar.{ending}": PACKERS[ending](tar(MEMBERS)) for ending in ("gz", "bz2", "xz", "zst")},
    "z.zip": zipped(MEMBERS),
    "s.zip": zipped(MEMBERS, zipfile.ZIP_STORED),
    "b.zip": zipped(MEMBERS, zipfile.ZIP_BZIP2),
    "x.zip": zipped(MEMBERS, zipfile.ZIP_LZMA),
    "p.zip": streamed_zip(MEMBERS),
    "q.zip.gz": gzip.compress(streamed_zip(MEMBERS)),
    "w.tar": tar(WARCS),
    "w.zip": zipped(WARCS),
    "d.parquet": _parquet(),
    "z.parquet": _parquet(compression="zstd", use_dictionary=False),
    "c.parquet": _parquet(compression="gzip", write_page_checksum=True, data_page_version="2.0"),
    "f.arrow": _arrow(stream=False),
    "l.arrow": _arrow(stream=False, compression="lz4"),
    "s.arrow": _arrow(stream=True, compression="zstd"),
    "r.zip": zipped({"t.parquet": _parquet(), "f.arrow": _arrow(stream=False)}),
}
_NUMBERS = (0, 1, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Damage a file in one to four places."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(max(1, len(changed)))
        match rng.randrange(6):
            case 0:
                changed[at : at + 1] = bytes(b ^ 1 << rng.randrange(8) for b in changed[at : at + 1])
            case 1:
                del changed[at:]
            case 2:
                del changed[at : at + rng.randrange(1, 60)]
            case 3:
                changed[at:at] = rng.randbytes(rng.randrange(1, 60))
            case 4:
                other = rng.choice(list(CONTAINERS.values()))
                begin = rng.randrange(len(other))
                changed[at : at + 200] = other[begin : begin + 200]
            case _:
                width = rng.choice((1, 2, 4, 8))
                number = rng.choice(_NUMBERS) & ((1 << 8 * width) - 1)
                changed[at : at + width] = number.to_bytes(width, rng.choice(("little", "big")))
    return bytes(changed)
