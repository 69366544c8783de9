"""Wherever a WARC is cut into units, and whatever byte of it is wrong, the records are the same or are named."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.stages.parts import a_source, a_split
from tests.stages.reading.made_warcs import (
    ARC1,
    Outcome,
    blocks,
    chunked,
    frames,
    http,
    members,
    page,
    read_afresh,
    read_file,
    record,
    responses,
)

from headrace.schemas.source import Cursor
from headrace.stages.read import Reader

PNG = b"\x89PNG\r\n\x1a\n" + bytes(300)
UNSURE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def mixed() -> list[bytes]:
    """Give records of all kinds, some of them wrong."""
    made = [
        record(b"software: test", 0, "warcinfo"),
        record(http(page("one")), 1),
        record(b"GET / HTTP/1.1\r\n\r\n", 2, "request"),
        record(http(chunked(page("two")), Transfer_Encoding="chunked"), 3),
        record(http(PNG, "image/png"), 4),
        record(http(page("gone"), status="404 Not Found"), 5),
        record(http(page("short")), 6, Content_Length="90"),
        record(http(gzip.compress(page("three"), mtime=0), Content_Encoding="gzip"), 7),
        record(http(page("long")), 8, Content_Length="400"),
        record("四".encode() * 40, 9, "conversion"),
        record(http(page("x" * 2000)), 10),
        record(http(page("last")), 11),
    ]
    made[2] = made[2][:-2]
    return made


def arc() -> bytes:
    """Give an ARC file."""
    lines = (b"http://example.org/%d 1.2.3.4 20240301000000 text/html %d\n" % (n, len(http(page()))) for n in range(9))
    return ARC1 + b"".join(line + http(page()) + b"\n" for line in lines)


def broken(data: bytes) -> bytes:
    """Change some bytes in the middle."""
    return data[: len(data) // 2] + b"\xff\x00\xff\x00" + data[len(data) // 2 + 4 :]


FILES: dict[str, Callable[[], bytes]] = {
    "plain.warc": lambda: b"".join(mixed()),
    "junk.warc": lambda: b"junk\n" * 99 + b"more junk".join(mixed()) + b"tail",
    "members.warc.gz": lambda: members(mixed()),
    "broken.warc.gz": lambda: broken(members(mixed())),
    "one.warc.gz": lambda: gzip.compress(b"".join(mixed()), mtime=0),
    "cut.warc.gz": lambda: gzip.compress(b"".join(mixed()), mtime=0)[:-30],
    "brokenone.warc.gz": lambda: broken(gzip.compress(b"".join(mixed()), mtime=0)),
    "blocks.warc.gz": lambda: blocks(mixed(), 700),
    "brokenblocks.warc.gz": lambda: broken(blocks(mixed(), 700)),
    "frames.warc.zst": lambda: frames(mixed()),
    "brokenframes.warc.zst": lambda: broken(frames(mixed())),
    "twice.warc.gz.gz": lambda: gzip.compress(members(mixed()), mtime=0),
    "plain.arc": arc,
    "members.arc.gz": lambda: members([arc()[: len(ARC1)], arc()[len(ARC1) :]]),
}


def all_of(found: Outcome) -> object:
    """Give everything but how it was cut into parts."""
    return found.rows, found.faults, found.counts


@pytest.mark.parametrize("name", FILES)
def test_units_of_every_size_give_the_same(tmp_path: Path, name: str) -> None:
    """One reader, or a new one for each part, at any unit size: the same documents, faults and counts."""
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    whole = all_of(read_file(path, 1 << 20, max_record_bytes=1500))
    for unit in (1, 2, 300, 777, 1500, 3000, 5000):
        assert all_of(read_file(path, unit, max_record_bytes=1500)) == whole
        assert all_of(read_afresh(path, unit, max_record_bytes=1500)) == whole


def test_a_part_is_entered_by_seeking(tmp_path: Path) -> None:
    """A cursor says where its gzip member begins: what comes before is not read again, so it may be gone."""
    path = tmp_path / "a.warc.gz"
    data = members(responses(20))
    path.write_bytes(data)
    parts = read_afresh(path, 2000).parts
    cursors = [part.next for part in parts if part.next is not None]
    assert len(cursors) > 3
    for cursor in cursors:
        assert data[cursor.member : cursor.member + 3] == b"\x1f\x8b\x08"
        assert gzip.decompress(data[: cursor.member]) == b"".join(responses(20))[: cursor.offset]


def _containers() -> dict[str, Callable[[list[bytes]], bytes]]:
    return {"a.warc": b"".join, "a.warc.gz": members, "a.warc.zst": frames}


@UNSURE
@given(data=st.data(), name=st.sampled_from(sorted(_containers())))
def test_one_wrong_byte_costs_one_record(tmp_path: Path, data: st.DataObject, name: str) -> None:
    """Change, insert or remove a byte of one record: all others are read as they are."""
    records = responses(4)
    hit = data.draw(st.integers(0, 3))
    pack = _containers()[name]
    pieces = [pack([r]) for r in records]
    at = data.draw(st.integers(0, len(pieces[hit]) - 1))
    end = at + data.draw(st.integers(0, 1))
    pieces[hit] = pieces[hit][:at] + data.draw(st.binary(max_size=1)) + pieces[hit][end:]
    path = tmp_path / name
    path.write_bytes(b"".join(pieces))
    found = read_file(path)
    bodies = {row["url"]: row["data"] for row in found.rows}
    for number in {0, 1, 2, 3} - {hit}:
        assert bodies.get(f"http://example.org/{number}") == page_of(records[number])
    assert all_of(read_afresh(path, 300)) == all_of(found)


def page_of(text: bytes) -> bytes:
    """Give the page inside of a record."""
    return text.split(b"\r\n\r\n", 2)[2].removesuffix(b"\r\n\r\n")


@UNSURE
@given(
    name=st.sampled_from(sorted(FILES)),
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=40)), min_size=1, max_size=8),
)
@example(name="members.warc.gz", edits=[(0.0, 2, b"")])
def test_no_bytes_raise_or_hang(tmp_path: Path, name: str, edits: list[tuple[float, int, bytes]]) -> None:
    """Any damage gives records and faults whose offsets grow, the same at any unit size."""
    data = FILES[name]()
    for share, removed, added in edits:
        at = int(share * len(data))
        data = data[:at] + added + data[at + removed :]
    path = tmp_path / name
    path.write_bytes(data)
    found = read_file(path)
    assert found.offsets == sorted(set(found.offsets))
    assert all_of(read_afresh(path, 500)) == all_of(found)


@pytest.mark.parametrize("name", ["many.warc.gz", "bomb.warc.gz", "zeros.warc", "endless.warc"])
def test_memory_is_bounded(tmp_path: Path, name: str) -> None:
    """Many records, a bomb, a file of zeros, a length that leaves the file: never more than a few records at once."""
    path = tmp_path / name
    big = record(http(page("x" * 100_000)))
    path.write_bytes(
        {
            "many.warc.gz": lambda: members([big]) * 300,
            "bomb.warc.gz": lambda: gzip.compress(record(http(bytes(60_000_000))), mtime=0) + members([big]),
            "zeros.warc": lambda: responses(1)[0] + bytes(60_000_000) + responses(1)[0],
            "endless.warc": lambda: record(b"", Content_Length=str(10**15)) + big * 300,
        }[name]()
    )
    tracemalloc.start()
    try:
        reader, split, source = Reader(), a_split(tmp_path, name), a_source(max_record_bytes=1_000_000)
        cursor: Cursor | None = Cursor(0)
        rows = 0
        while cursor is not None:
            part = reader.read_part(split, source, cursor, 1 << 20)
            rows, cursor = rows + part.documents.num_rows, part.next
        assert tracemalloc.get_traced_memory()[1] < 25_000_000
    finally:
        tracemalloc.stop()
        reader.close()
    assert rows == {"many.warc.gz": 300, "bomb.warc.gz": 1, "zeros.warc": 2, "endless.warc": 300}[name]
