"""Line numbers: those an editor shows, for every kind of record, in units of any size; unknown where nobody counted."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stages.parts import a_source, a_split, faults_of, parts_of
from tests.stages.reading.made_archives import tar
from tests.stages.small_files import PROPERTY, texts

from headrace.schemas.manifest import ManifestLine
from headrace.schemas.source import Cursor, LanePosition
from headrace.stages.read import Part


def numbered(parts: list[Part]) -> list[tuple[int, int | None]]:
    """Give offset and line of every record."""
    columns = [[part.documents[name].to_pylist() for name in ("offset", "_line")] for part in parts]
    return [pair for offsets, lines in columns for pair in zip(offsets, lines, strict=True)]


@pytest.mark.parametrize("name", ["f.jsonl", "f.txt", "f.csv", "f.tsv", "f.txt.gz", "t.tar"])
@pytest.mark.parametrize("records", ["lines", "paragraphs", "file"])
@PROPERTY
@given(content=texts("utf-8"), unit_bytes=st.integers(1, 60))
def test_lines_are_those_of_an_editor(tmp_path: Path, name: str, records: str, content: bytes, unit_bytes: int) -> None:
    """The number is one more than the line feeds in front of the record's first byte."""
    packed = {"f.txt.gz": gzip.compress, "t.tar": lambda data: tar({"x.txt": b"other\n" * 9, "f.txt": data})}
    (tmp_path / name).write_bytes(packed.get(name, bytes)(content))
    parts = parts_of(a_split(tmp_path, name), a_source(records=records), unit_bytes)
    members = [member for part in parts for member in part.documents["member"].to_pylist()]
    found = [pair for pair, member in zip(numbered(parts), members, strict=True) if member != "x.txt"]
    assert found == [(offset, content.count(b"\n", 0, offset) + 1) for offset, _ in found]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32-le"])
def test_lines_of_wide_text(tmp_path: Path, encoding: str) -> None:
    """Line feeds are code units, not bytes 0A inside of others."""
    (tmp_path / "f.txt").write_bytes("\u0a0a清洗\n\n\u0a0aab\n\u0a0dc".encode(encoding))
    for unit_bytes in (1, 1000):
        parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="lines"), unit_bytes)
        assert [line for _, line in numbered(parts)] == [1, 3, 4]


def test_lines_of_faults(tmp_path: Path) -> None:
    """Records that are too large, kept or skipped, are named by line and byte, and lines behind stay right."""
    content = b"a\n" + b"x" * 200_000 + b"\nb\n\n" + b"y" * 300 + b"\nc\n"
    (tmp_path / "f.txt").write_bytes(content)
    for unit_bytes in (1, 100, 1 << 20):
        parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="lines", max_record_bytes=100), unit_bytes)
        assert [line for _, line in numbered(parts)] == [1, 3, 6]
        details = [fault["detail"].partition(": ")[0] for fault in faults_of(parts)]
        assert details == ["line 2 (byte 2)", f"line 5 (byte {content.index(b'yyy')})"]


def test_lines_nobody_counted(tmp_path: Path) -> None:
    """A range that begins inside a file knows no lines, and says the byte alone; nor do the rows of tables have any."""
    (tmp_path / "f.jsonl").write_bytes(b'{"text": "a"}\n' * 20)
    parts = parts_of(a_split(tmp_path, "f.jsonl", begin=100), a_source(), 50)
    assert {line for _, line in numbered(parts)} == {None}
    (tmp_path / "g.jsonl").write_bytes(b'{"text": "a"}\n' * 20 + b"y" * 200 + b"\n")
    parts = parts_of(a_split(tmp_path, "g.jsonl", begin=100), a_source(max_record_bytes=100), 50)
    assert [fault["detail"] for fault in faults_of(parts)] == ["longer than the source's max_record_bytes"]


def test_cursors_travel_through_the_manifest() -> None:
    """A cursor comes back with member and line; one of an older release loads, and knows neither."""
    lanes = (LanePosition(0, Cursor(1, 2, 3, 4, 5, 6)), LanePosition(1, None))
    line = ManifestLine(0, 0, 0, None, (), (), (), (), lanes, 0, None, end=False)
    assert ManifestLine.decode(line.encode().rstrip(b"\n"), 0).lanes == lanes
    assert Cursor(split=1, part=2, file=0, offset=4) == Cursor(1, 2, 0, 4, 0, None)


def test_a_cursor_of_an_older_release_reads_on(tmp_path: Path) -> None:
    """It gives the same records; their lines are unknown."""
    from headrace.stages.read import read_part

    (tmp_path / "f.txt").write_bytes(b"one\ntwo\nthree\n")
    split, source = a_split(tmp_path, "f.txt"), a_source(records="lines")
    part = read_part(split, source, Cursor(0, 1, 0, 4), 100)
    assert numbered([part]) == [(4, None), (8, None)]
