"""Bounds of archives and long records: what is over one is a counted verdict, in bounded time and memory."""

from __future__ import annotations

import gzip
import lzma
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.stages.parts import UNIT, Outcome, a_source, a_split, faults_of, parts_of
from tests.stages.reading.made_archives import raw_zip, tar, zipped

from headrace.pipeline.listing import cut_splits, resolve_source
from headrace.schemas.source import Cursor, Source
from headrace.stages.read import Part, Reader


@contextmanager
def memory_below(limit: int) -> Iterator[None]:
    """Fail where Python and numpy hold more than so many bytes at once."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def each_part(folder: Path, source: Source, unit_bytes: int = 4 * UNIT) -> Iterator[Part]:
    """Read a source the way a run does, holding one part at a time."""
    root, files = resolve_source(source, folder)
    for split in cut_splits(source, root, files, unit_bytes=unit_bytes, first_index=0):
        reader, cursor = Reader(), Cursor(split.index)
        following: Cursor | None = cursor
        while following is not None:
            part = reader.read_part(split, source, following, unit_bytes)
            following = part.next
            yield part
        reader.close()


def faults(folder: Path, name: str, data: bytes, **options: object) -> list[tuple[str, str, float, float]]:
    """Give place, reason, value and threshold of all faults of a file."""
    (folder / name).write_bytes(data)
    parts = each_part(folder, a_source(name, **options))
    return [(f["doc_id"], f["reason"], f["value"], f["threshold"]) for part in parts for f in faults_of([part])]


def test_members_that_lie_over_each_other(tmp_path: Path) -> None:
    """A zip whose directory lists one member a thousand times is a bomb: it is read once."""
    data = raw_zip([(b"a.txt", b"x" * 100_000), (b"b.txt", b"y")], overlapping=999)
    (tmp_path / "z.zip").write_bytes(data)
    result = Outcome(tmp_path, a_source("z.zip"))
    assert [len(text) for text in result.texts("z.zip")] == [100_000, 1]
    assert Counter(result.reasons("z.zip")) == {"overlapping_member": 1998}


def test_a_zip_that_unpacks_to_too_much(tmp_path: Path) -> None:
    """Members are read while what they are said to hold, added up, is in bounds; then one row ends the archive."""
    data = zipped({f"{n}.txt": b"0" * 40_000_000 for n in range(4)})
    found = faults(tmp_path, "bomb.zip", data)
    assert [(place, reason, bound) for place, reason, _, bound in found] == [("s:bomb.zip!2.txt#0", "expansion", 250)]
    assert found[0][2] > 250


def test_a_zip_that_lies_about_sizes(tmp_path: Path) -> None:
    """A member gives no byte more than its directory says; what is behind is a fault, not a document."""
    data = bytearray(raw_zip([(b"a.txt", b"x" * 50_000_000)]))
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = (10).to_bytes(4, "little")
    with memory_below(20_000_000):
        assert [(place, reason) for place, reason, *_ in faults(tmp_path, "z.zip", bytes(data))] == [
            ("s:z.zip!a.txt#0", "corrupt")
        ]


def test_compressed_members_are_bounded_each(tmp_path: Path) -> None:
    """A tar full of small bombs costs 4 MiB a member, not what they would like."""
    bomb = lzma.compress((b"0" * 1023 + b"\n") * 40_000)
    data = tar({f"{n}.txt.xz": bomb for n in range(3)})
    with memory_below(80_000_000):
        found = faults(tmp_path, "t.tar", data, records="lines")
    assert [(place, reason) for place, reason, *_ in found] == [
        (f"s:t.tar!{n}.txt.xz#{4 << 20}", "expansion") for n in range(3)
    ]


def test_members_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    """One row says how many are read, and of a zip how many there are."""
    files = {f"{n}.txt": b"text" for n in range(10)}
    for name, data, many in (
        ("t.tar", tar(files), 5),
        ("t.tar.gz", gzip.compress(tar(files)), 5),
        ("z.zip", zipped(files), 10),
    ):
        (tmp_path / name).write_bytes(data)
        result = Outcome(tmp_path, a_source(name, max_members=4))
        assert len(result.documents) == 4
        ((row),) = result.settled
        assert (row["reason"], row["value"], row["threshold"]) == ("too_many_members", many, 4)


def test_a_member_over_its_limit(tmp_path: Path) -> None:
    """Records up to the limit are kept, the torn one is named with size and limit, and the next member follows."""
    files = {"a.txt": b"line\n" * 1000, "b.txt": b"next\n"}
    for name, data in (("t.tar", tar(files)), ("z.zip", zipped(files))):
        (tmp_path / name).write_bytes(data)
        result = Outcome(tmp_path, a_source(name, records="lines", max_member_bytes=102))
        assert result.texts(name) == ["line"] * 20 + ["next"]
        (row,) = result.settled
        assert (row["doc_id"], row["reason"]) == (f"s:{name}!a.txt#100", "member_too_large")
        assert (row["value"], row["threshold"]) == (103, 102)
        assert row["detail"].startswith("line 21 (byte 100): ")


@pytest.mark.parametrize("count", [8_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_many_members(tmp_path: Path, count: int) -> None:
    """All are read, in units of their own and in little memory, though the directory is not small."""
    (tmp_path / "z.zip").write_bytes(raw_zip([(b"%05d.txt" % n, b"%d" % n) for n in range(count)]))
    with memory_below(60_000_000):
        sizes = [(part.documents.num_rows, part.faults.num_rows) for part in each_part(tmp_path, a_source("z.zip"))]
    assert sum(rows for rows, _ in sizes) == count
    assert not any(bad for _, bad in sizes)
    assert max(rows for rows, _ in sizes) < 5000


@pytest.mark.parametrize(
    ("name", "options", "place"),
    [
        ("s.jsonl", {}, "#14"),
        ("s.txt", {}, "#0"),
        ("s.txt", {"records": "lines"}, "#14"),
        ("s.txt", {"records": "paragraphs"}, "#0"),
        ("s.json", {}, "#0"),
        ("s.csv", {}, "#14"),
    ],
)
def test_ten_gigabytes_of_nothing(tmp_path: Path, name: str, options: dict[str, str], place: str) -> None:
    """A sparse file is looked through once, whatever it is called; its one endless record is named with its size."""
    size = 10 << 30 if not options and name == "s.txt" else 400_000_000
    with (tmp_path / name).open("wb") as file:
        file.write(b'{"text": "a"}\n')
        file.truncate(size)
    with memory_below(30_000_000):
        parts = list(each_part(tmp_path, a_source(name, max_record_bytes=1_000_000, **options)))
    ((row,),) = [faults_of([part]) for part in parts if part.faults.num_rows]
    assert (row["doc_id"], row["reason"], row["threshold"]) == (f"s:{name}{place}", "record_too_large", 1_000_000)
    assert row["value"] == size - int(place[1:])


def test_an_empty_tar_of_any_size(tmp_path: Path) -> None:
    """Zeros are the end mark of a tar: 400 MB of them are looked through for what may follow."""
    with (tmp_path / "s.tar").open("wb") as file:
        file.truncate(400_000_000)
    with memory_below(20_000_000):
        (part,) = parts_of(a_split(tmp_path, "s.tar"), a_source())
    assert (part.documents.num_rows, part.faults.num_rows, part.files[0].note) == (0, 0, "empty")


def test_a_line_of_fifty_megabytes(tmp_path: Path) -> None:
    """It is one document where the limit allows it, and one verdict where it does not."""
    line = b'{"text": "' + "清洗".encode() * 8_300_000 + b'"}\n'
    (tmp_path / "f.jsonl").write_bytes(b'{"text": "a"}\n' + line + b'{"text": "b"}\n')
    with memory_below(250_000_000):
        rows = [row for part in each_part(tmp_path, a_source("f.jsonl")) for row in part.documents["data"].to_pylist()]
    assert [len(row) for row in rows] == [14, len(line), 14]
    del rows
    with memory_below(60_000_000):
        parts = list(each_part(tmp_path, a_source("f.jsonl", max_record_bytes=10_000_000)))
    assert sum(part.documents.num_rows for part in parts) == 2
    found = [(row["doc_id"], row["reason"], row["value"]) for row in faults_of(parts)]
    assert found == [("s:f.jsonl#14", "record_too_large", len(line))]
