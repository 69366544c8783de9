"""The seam to inputs: objects of a real S3-speaking server are examined, opened and refused like local files."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from pyarrow import fs
from tests.s3_server import BUCKET, Request, S3Server
from tests.stages.parts import Outcome, a_source

from headrace.pipeline.listing import cut_splits, resolve_source
from headrace.schemas.errors import HeadraceError
from headrace.schemas.source import Cursor, InputFile, Source, Split
from headrace.stages.read import Reader, read_part
from headrace.stages.reading import store
from headrace.stages.reading.storage import check_unchanged, open_listed, open_table
from headrace.stages.reading.stream import StreamFaultError

UNIT = 100_000
HERE = Path()


def listed(s3: S3Server, path: str) -> tuple[str, InputFile]:
    """List one object; give its root and entry."""
    root, (file,) = resolve_source(a_source(s3.uri(path)), HERE)
    return root, file


def lines(count: int) -> bytes:
    """Give JSON lines, each with its number."""
    return b"".join(json.dumps({"text": f"line {n} 清洗 " + "x" * 40}).encode() + b"\n" for n in range(count))


def table(rows: int) -> pa.Table:
    """Give a table of text that does not compress, and a number."""
    return pa.table({"text": [os.urandom(500).hex() for _ in range(rows)], "n": list(range(rows))})


def packed(rows: pa.Table, name: str) -> bytes:
    """Write a table as Parquet (four row groups) or Arrow (batches of 100 rows)."""
    sink = io.BytesIO()
    if name.endswith(".parquet"):
        pq.write_table(rows, sink, row_group_size=rows.num_rows // 4, compression=None)
    else:
        with pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=100)
    return sink.getvalue()


def archived(kind: str, members: int) -> bytes:
    """Pack JSON lines into an archive."""
    sink = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as packer:
            for number in range(members):
                packer.writestr(f"in/{number}.jsonl", lines(100))
        return sink.getvalue()
    with tarfile.open(fileobj=sink, mode="w") as tar:
        for number in range(members):
            entry = tarfile.TarInfo(f"in/{number}.jsonl")
            entry.size = len(lines(100))
            tar.addfile(entry, io.BytesIO(lines(100)))
    return sink.getvalue()


def wet_record(number: int) -> bytes:
    """Give a record of extracted text."""
    text = f"Page {number} 水车转动 over the mill race.\n".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
        f"WARC-Target-URI: http://example.org/{number}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text + b"\r\n\r\n"


FILES = {
    "a.jsonl": lines(500),
    "b.jsonl.gz": gzip.compress(lines(300)) + gzip.compress(lines(20)),
    "c.jsonl.zst": zstandard.compress(lines(300)) + zstandard.compress(lines(20)),
    "d.parquet": packed(table(200), "d.parquet"),
    "e.arrow": packed(table(200), "e.arrow"),
    "f.csv": b"text,n\n" + b'"a, b",1\n' * 100,
    "g/清洗 +%41.txt": "正文\n".encode("gb18030") * 50,
    "h.txt": b"",
    "i.jsonl.gz": gzip.compress(lines(300))[:-400],
    "j.parquet": packed(table(200), "d.parquet")[:-9],
    "k.zip": archived("zip", 3),
    "l.tar": archived("tar", 3),
    "m.tar.gz": gzip.compress(archived("tar", 3)),
    "n.wet.gz": b"".join(gzip.compress(wet_record(n)) for n in range(30)),
    "o.wet.gz": b"".join(gzip.compress(wet_record(n)) for n in range(30))[:-50],
}


@pytest.mark.parametrize("unit_bytes", [7_000, 1 << 20])
def test_every_format_reads_like_a_local_file(s3: S3Server, tmp_path: Path, unit_bytes: int) -> None:
    """Same records, offsets, faults and counts, cut at the same places: only where the files lie differs."""
    for name, content in FILES.items():
        (tmp_path / "d" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "d" / name).write_bytes(content)
    s3.put_folder("d", tmp_path / "d")
    local = Outcome(tmp_path, a_source("d"), unit_bytes)
    stored = Outcome(tmp_path, a_source(s3.uri("d")), unit_bytes)
    assert [(f.path, f.bytes) for f in stored.files] == [(f.path, f.bytes) for f in local.files]
    assert stored.documents == local.documents and len(local.documents) > 1500
    assert FILES.keys() - {"h.txt", "j.parquet"} <= {row["path"] for row in local.documents}
    assert stored.settled == local.settled and {row["reason"] for row in local.settled} >= {"truncated"}
    assert (stored.counts, stored.notes) == (local.counts, local.notes)


def test_a_big_file_is_cut_into_ranges(s3: S3Server) -> None:
    """30 MB of lines are read as ranges from different places: nothing lost, nothing doubled, little fetched twice."""
    count = 450_000
    content = lines(count)
    s3.put("big.jsonl", content)
    source = a_source(s3.uri("big.jsonl"))
    root, files = resolve_source(source, HERE)
    splits = cut_splits(source, root, files, unit_bytes=500_000, first_index=0)
    assert len(splits) == -(-len(content) // 8_000_000) == 5
    s3.requests.clear()
    offsets = [offset for split in reversed(splits) for offset in _offsets(split, source)]
    assert len(set(offsets)) == len(offsets) == count
    assert sum(s3.fetched("big.jsonl")) < len(content) + len(splits) * (13 << 20)
    assert len(s3.fetched("big.jsonl")) <= len(splits) * 10


def _offsets(split: Split, source: Source) -> Iterator[int]:
    cursor: Cursor | None = Cursor(split.index)
    reader = Reader()
    while cursor:
        part = reader.read_part(split, source, cursor, 500_000)
        yield from part.documents["offset"].to_pylist()
        cursor = part.next
    reader.close()


def test_a_parquet_file_is_fetched_by_column_and_row_group(s3: S3Server) -> None:
    """Two numbers of a file of 4 MB cost its footer and their own column; a cursor enters at its row group."""
    rows = table(4000)
    s3.put("t.parquet", packed(rows, "t.parquet"))
    root, file = listed(s3, "t.parquet")
    s3.requests.clear()
    with open_table(root, file) as opened, pq.ParquetFile(opened) as parquet:
        assert parquet.read_row_group(2, columns=["n"])["n"].to_pylist() == list(range(2000, 3000))
    assert file.bytes > 4_000_000 and sum(s3.fetched("t.parquet")) < 300_000
    s3.requests.clear()
    last = read_part(Split(0, "s", root, (file,)), a_source(), Cursor(0, 1, 0, 3000), 10_000)
    assert last.documents["data"][0].as_py() == rows["text"][3000].as_py().encode()
    assert sum(s3.fetched("t.parquet")) < file.bytes // 2


def test_a_changed_object_is_refused(s3: S3Server) -> None:
    """Another size, another time, or gone: the message of local files, and the object's URI."""
    s3.put("a.txt", b"first")
    root, file = listed(s3, "a.txt")
    check_unchanged(root, file)
    s3.put("a.txt", b"longer")
    for call in (open_listed, check_unchanged):
        with pytest.raises(HeadraceError, match=r"s3://corpus/a.txt: an input file changed after.*5 bytes and has 6"):
            call(root, file)
    root, file = listed(s3, "a.txt")
    with pytest.raises(HeadraceError, match="its time differs"):
        open_listed(root, InputFile(file.path, file.bytes, file.mtime_ns - 10**9))
    s3.reset()
    with pytest.raises(HeadraceError, match="it is gone") as caught:
        open_listed(root, file)
    assert caught.value.exit_code == 1 and s3.options not in str(caught.value)


def test_an_open_object_that_changes_is_refused_at_the_next_part(s3: S3Server) -> None:
    """Two versions are never mixed without a word."""
    s3.put("a.jsonl", lines(5000))
    root, file = listed(s3, "a.jsonl")
    split, reader = Split(0, "s", root, (file,)), Reader()
    cursor = reader.read_part(split, a_source(), Cursor(0), UNIT).next
    assert cursor
    s3.put("a.jsonl", lines(4000))
    with pytest.raises(HeadraceError, match="changed after the run was planned"):
        reader.read_part(split, a_source(), cursor, UNIT)
    reader.close()


@pytest.mark.parametrize("code", [(403, "AccessDenied"), (403, "InvalidObjectState"), (400, "KMS.DisabledException")])
@pytest.mark.parametrize("size", [10, 200_000])
def test_one_object_that_cannot_be_read_is_a_fault(s3: S3Server, code: tuple[int, str], size: int) -> None:
    """The store answers for others (archived, another key, no right): counted, and the run goes on."""
    s3.put("a.txt", b"x" * size)
    root, file = listed(s3, "a.txt")
    s3.refuse = lambda r: code if r.path == f"/{BUCKET}/a.txt" and r.method == "GET" else None
    opened = open_listed(root, file)
    with pytest.raises(StreamFaultError) as caught:
        opened.read(4096)
    assert caught.value.reason == "unreadable_file" and "GetObject" in caught.value.detail
    s3.refuse = lambda r: code if r.path == f"/{BUCKET}/a.txt" else None
    with pytest.raises(StreamFaultError, match="HeadObject"):
        open_listed(root, file)
    part = read_part(Split(0, "s", root, (file,)), a_source(), Cursor(0), UNIT)
    assert part.faults["reason"].to_pylist() == ["unreadable_file"] and part.next is None


@pytest.mark.parametrize(
    ("code", "size", "message"),
    [
        ((503, "SlowDown"), 10, "the store does not answer.*Check the network"),
        ((500, "InternalError"), 200_000, "the store does not answer"),
        ((403, "InvalidAccessKeyId"), 10, "the store denies access.*AWS_PROFILE"),
        ((403, "InvalidAccessKeyId"), 200_000, "the store denies access.*AWS_PROFILE"),
        ((400, "ExpiredToken"), 10, "the store cannot be read.*AWS_PROFILE"),
        ((400, "ExpiredToken"), 200_000, "the store cannot be read.*AWS_PROFILE"),
        ((404, "NoSuchKey"), 10, "a.txt: an input file changed after the run was planned: it is gone"),
    ],
)
def test_a_store_that_answers_nobody_ends_the_run(s3: S3Server, code: tuple[int, str], size: int, message: str) -> None:
    """It is no fault of the data: a million files would be quarantined. The message says that the run can go on."""
    s3.put("a.txt", b"x" * size)
    root, file = listed(s3, "a.txt")
    opened = open_listed(root, file)
    s3.refuse = lambda request: code
    for call in (lambda: opened.read(100), lambda: open_listed(root, file)):
        with pytest.raises(HeadraceError, match=r"s3://corpus/a.txt: ") as caught:
            call()
        assert caught.value.exit_code == 1
        assert "run the same command again" in str(caught.value) or "--fresh" in str(caught.value)
        assert "secret-of-the-test" not in str(caught.value)
    with pytest.raises(HeadraceError, match=message):
        open_listed(root, file)


@pytest.mark.parametrize("size", [10, 200_000])
def test_a_passing_fault_is_survived(s3: S3Server, size: int) -> None:
    """One answer 503 in between costs a second, whether the SDK sees it or (short ranges) Headrace does."""
    s3.put("a.txt", b"x" * size)
    root, file = listed(s3, "a.txt")
    left = [(503, "SlowDown")]

    def refuse(request: Request) -> tuple[int, str] | None:
        return left.pop() if left and request.method == "GET" else None

    opened = open_listed(root, file)
    s3.refuse = refuse
    assert opened.read(size) == b"x" * size and not left


def test_no_server_at_all(s3_environment: None) -> None:
    """A refused connection: an error instead of tries without end, which names the object and what to do."""
    server = S3Server()
    server.reset()
    server.put("a.txt", b"text")
    root, file = listed(server, "a.txt")
    opened = open_listed(root, file)
    server.stop()
    for call in (lambda: opened.read(100), lambda: open_listed(root, file), lambda: check_unchanged(root, file)):
        with pytest.raises(HeadraceError, match=r"s3://corpus/a.txt: the store does not answer.*goes on behind"):
            call()


def test_other_stores_go_through_the_same_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pyarrow's file system is not S3, keys begin behind its own base, and times are asked for."""
    (tmp_path / "c" / "d").mkdir(parents=True)
    (tmp_path / "c" / "d" / "a.txt").write_bytes(b"text\n")
    asked: list[str] = []

    class Stub:
        @staticmethod
        def from_uri(uri: str) -> tuple[fs.FileSystem, str]:
            asked.append(uri)
            return fs.LocalFileSystem(), f"{tmp_path}/c/"

    monkeypatch.setattr(store.fs, "FileSystem", Stub)
    for scheme, sent in (
        ("gs://c/d/*.txt?project_id=p", "gs://c/?project_id=p&retry_limit_seconds=60"),
        ("abfss://c@account.dfs.core.windows.net/d/*.txt", "abfss://c@account.dfs.core.windows.net/"),
        ("hdfs://name:8020/d/a.txt?user=ann", "hdfs://name:8020/?user=ann"),
    ):
        root, (file,) = resolve_source(a_source(scheme), HERE)
        assert asked[-1] == sent and file.path == "a.txt"
        assert open_listed(root, file).read(100) == b"text\n"
        check_unchanged(root, file)
    store.store_of.cache_clear()  # other tests must not meet the stub's stores
