"""Records do not depend on where a file is cut: twins in plain Python beside any unit size and any range."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of
from tests.stages.small_files import PROPERTY, texts


def lines(data: bytes) -> list[tuple[int, bytes]]:
    """Cut lines the slow way: every line with something visible, with its line end."""
    found, at = [], 0
    for line in data.split(b"\n"):
        whole = data[at : at + len(line) + 1]
        if line.strip():
            found.append((at, whole))
        at += len(whole)
    return found


def paragraphs(data: bytes) -> list[tuple[int, bytes]]:
    """Cut paragraphs the slow way: runs of lines up to and with a blank one."""
    found: list[tuple[int, bytes]] = []
    at, begin = 0, 0
    for line in data.splitlines(keepends=True) if b"\r" not in data else _keeping(data):
        at += len(line)
        if not line.strip() and line.endswith(b"\n"):
            found.append((begin, data[begin:at]))
            begin = at
    found.append((begin, data[begin:]))
    return [(place, text) for place, text in found if text.strip()]


def _keeping(data: bytes) -> list[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


CUTS: dict[str, Callable[[bytes], list[tuple[int, bytes]]]] = {"lines": lines, "paragraphs": paragraphs}


@pytest.mark.parametrize("records", CUTS)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@PROPERTY
@given(data=st.data(), unit_bytes=st.integers(1, 60))
def test_units_of_any_size_give_the_same_records(
    tmp_path: Path, records: str, encoding: str, data: st.DataObject, unit_bytes: int
) -> None:
    """Parts put together are the whole, cut by the readable twin, whatever the size of a unit."""
    content = data.draw(texts(encoding))
    (tmp_path / "f.txt").write_bytes(content)
    parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records=records), unit_bytes)
    assert records_of(parts) == CUTS[records](content)
    assert not faults_of(parts)


@pytest.mark.parametrize("records", CUTS)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@PROPERTY
@given(data=st.data(), unit_bytes=st.integers(1, 40))
def test_ranges_cut_at_any_byte_give_the_same_records(
    tmp_path: Path, records: str, encoding: str, data: st.DataObject, unit_bytes: int
) -> None:
    """A record belongs to the range its first byte lies in: none is lost, none comes twice."""
    content = data.draw(texts(encoding))
    (tmp_path / "f.txt").write_bytes(content)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(content) - 1)), max_size=4)))
    source, found = a_source(records=records), []
    for begin, end in zip([0, *cuts], [*cuts, None], strict=True):
        inside = records_of(parts_of(a_split(tmp_path, "f.txt", begin=begin, end=end), source, unit_bytes))
        assert all(begin <= place and (end is None or place < end) for place, _ in inside)
        found += inside
    assert found == CUTS[records](content)


def test_what_follows_a_paragraph_that_is_too_long(tmp_path: Path) -> None:
    """The next paragraph is found although the long one was not kept."""
    long = b"line\n" * 40_000
    (tmp_path / "f.txt").write_bytes(b"first\n\n" + long + b" \t\nlast\n")
    parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="paragraphs", max_record_bytes=1000), 100)
    assert [data for _, data in records_of(parts)] == [b"first\n\n", b"last\n"]
    assert [(f["offset"], f["value"]) for f in faults_of(parts)] == [(7, len(long) + 3)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_lines_of_wide_encodings(tmp_path: Path, encoding: str) -> None:
    """UTF-16 and UTF-32 are cut at their own line ends, never at a byte 0A inside a character."""
    wanted = ["清洗、去重", "\u0a0a\u0a0d x", "ab"]
    (tmp_path / "f.txt").write_bytes("\n".join(wanted).encode(encoding))
    for unit_bytes in (1, 8, UNIT):
        parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="lines"), unit_bytes)
        codec = parts[0].documents["declared"][0].as_py()
        found = [data.decode(codec).strip("\ufeff\n") for _, data in records_of(parts)]
        assert found == wanted


def test_rows_of_csv_keep_their_line_breaks(tmp_path: Path) -> None:
    """A line end inside quotes does not end a row, and every row comes with the header in front."""
    (tmp_path / "f.csv").write_bytes(b'id,text\n1,"a\nb"\n\n2,"say ""x""\n"\n3,c')
    for unit_bytes in (1, UNIT):
        parts = parts_of(a_split(tmp_path, "f.csv"), a_source(), unit_bytes)
        assert records_of(parts) == [
            (8, b'id,text\n1,"a\nb"\n'),
            (17, b'id,text\n2,"say ""x""\n"\n'),
            (32, b"id,text\n3,c"),
        ]
