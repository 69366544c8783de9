"""Reading: parts are a pure function of files and cursor, and records do not depend on where a file is cut."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of
from tests.stages.small_files import write

from headrace.schemas.document import RAW_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.schemas.source import Cursor
from headrace.stages.read import read_part


@pytest.mark.parametrize("name", ["f.txt", "f.txt.gz", "f.txt.zst", "f.csv", "f.jsonl", "f.parquet"])
def test_a_cursor_alone_gives_its_part(tmp_path: Path, name: str) -> None:
    """A part read by a fresh process equals the one read in sequence, and an earlier cursor may come again."""
    write(tmp_path / name, b"".join(b'"line %d","with more"\n' % n for n in range(200)))
    split, source = a_split(tmp_path, name), a_source(records="lines")
    parts = parts_of(split, source, 300)
    assert len(parts) > 5
    cursor: Cursor | None = Cursor(0)
    for part in parts:
        assert cursor is not None
        again = read_part(split, source, cursor, 300)
        assert again.documents.equals(part.documents)
        assert (again.files, again.next) == (part.files, part.next)
        cursor = part.next


def test_small_files_share_a_part(tmp_path: Path) -> None:
    """A group of files is read in order; empty ones are counted by name and give no row."""
    for name, content in (("a.txt", b"one"), ("b.txt", b""), ("c.txt.gz", gzip.compress(b"three"))):
        (tmp_path / name).write_bytes(content)
    (part,) = parts_of(a_split(tmp_path, "a.txt", "b.txt", "c.txt.gz"), a_source(licence="CC0-1.0", authority=0.7))
    assert part.documents.schema.names[: len(RAW_SCHEMA)] == RAW_SCHEMA.names
    assert part.documents["doc_id"].to_pylist() == ["s:a.txt#0", "s:c.txt.gz#0"]
    assert part.documents["data"].to_pylist() == [b"one", b"three"]
    assert part.documents["licence"].to_pylist() == ["CC0-1.0"] * 2
    assert [(f.path, f.records, f.note) for f in part.files] == [
        ("s:a.txt", 1, ""),
        ("s:b.txt", 0, "empty"),
        ("s:c.txt.gz", 1, ""),
    ]
    assert part.next is None


def test_an_empty_split_gives_one_empty_part(tmp_path: Path) -> None:
    """Even nothing has an end marker."""
    (tmp_path / "a.txt").write_bytes(b"")
    (part,) = parts_of(a_split(tmp_path, "a.txt"), a_source())
    assert (part.documents.num_rows, part.faults.num_rows, part.next) == (0, 0, None)


FOREIGN = {
    "png.txt": (b"\x89PNG\r\n\x1a\n" + bytes(20), "PNG image"),
    "s.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(20), "7z"),
    "d.docx": (b"PK\x03\x04" + bytes(20), "a .docx file, which is a zip of another kind"),
    "b.jsonl.gz": (b"\x1e\x8b\x08\0" + bytes(range(32)), "binary"),
    "x.unknown": (bytes(range(32)) * 4, "binary"),
    "page.png": (b"<html><body>text</body></html>", "not what its ending .png says"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    """One quarantined row says what the file seems to be; the content counts more than the ending."""
    content, kind = FOREIGN[name]
    (tmp_path / name).write_bytes(content)
    parts = parts_of(a_split(tmp_path, name), a_source())
    (fault,) = faults_of(parts)
    assert (fault["reason"], fault["detail"]) == ("unsupported_format", kind)
    assert not records_of(parts)
    assert parts[0].files[0].note == "unsupported_format"


def test_comments_in_front_of_a_page_cost_no_time(tmp_path: Path) -> None:
    """Telling the format of hostile bytes is linear: hundreds of comments are not tried in all combinations."""
    (tmp_path / "f.txt").write_bytes(b"<!---->" * 500)
    (part,) = parts_of(a_split(tmp_path, "f.txt"), a_source())
    assert part.documents["format"].to_pylist() == ["text"]


def test_formats_are_known_by_content_and_ending(tmp_path: Path) -> None:
    """Endings count without case and without .gz; a page is a page whatever it is called."""
    files = {
        "a.JSONL": (b'{"text": "x"}', "jsonl"),
        "b.json": (b'[{"text": "x"}]', "json"),
        "c.json": (b'{"text": "x"}\n{"text": "y"}\n', "jsonl"),
        "d.csv": (b"text\nx\n", "csv"),
        "e.txt": (b"<!DOCTYPE html><html></html>", "html"),
        "f.md": (b"# head", "text"),
        "g": (b"no ending", "text"),
        "h.json.gz": (gzip.compress(b'{"text": "x"}'), "json"),
        "i.parquet": (b"", None),
    }
    for name, (content, _) in files.items():
        (tmp_path / name).write_bytes(content)
    for name, (_, wanted) in files.items():
        (part,) = parts_of(a_split(tmp_path, name), a_source())
        assert set(part.documents["format"].to_pylist()) == ({wanted} if wanted else set()), name
    (part,) = parts_of(a_split(tmp_path, "a.JSONL"), a_source(format="text"))
    assert part.documents["format"].to_pylist() == ["text"]


@pytest.mark.parametrize("change", ["grown", "touched", "gone"])
def test_a_file_that_changed_stops_the_run(tmp_path: Path, change: str) -> None:
    """The plan vouches for size and time; another file under the same name is refused by name."""
    path = tmp_path / "f.txt"
    path.write_bytes(b"one\ntwo\n")
    split = a_split(tmp_path, "f.txt")
    if change == "grown":
        path.write_bytes(b"one\ntwo\nthree\n")
    elif change == "touched":
        os.utime(path, ns=(1, 1))
    else:
        path.unlink()
    with pytest.raises(HeadraceError, match=r"f\.txt: an input file changed.*--fresh"):
        read_part(split, a_source(), Cursor(0), UNIT)


def test_a_file_that_changes_between_parts_stops_the_run(tmp_path: Path) -> None:
    """A reader that has the file open looks again before each part."""
    from headrace.stages.read import Reader

    path = tmp_path / "f.txt"
    path.write_bytes(b"line\n" * 100)
    split, source, reader = a_split(tmp_path, "f.txt"), a_source(records="lines"), Reader()
    following = reader.read_part(split, source, Cursor(0), 10).next
    os.utime(path, ns=(1, 1))
    assert following is not None
    with pytest.raises(HeadraceError, match="changed"):
        reader.read_part(split, source, following, 10)
    reader.close()


def test_a_file_nobody_may_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system's reason is in the report; other files of the group are read."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"text")
    split = a_split(tmp_path, "a.txt", "b.txt")
    opened = Path.open

    def refusing(self: Path, *args: Any, **kwargs: Any) -> Any:
        if self.name == "a.txt":
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refusing)
    parts = parts_of(split, a_source())
    assert [(f["path"], f["reason"], f["detail"]) for f in faults_of(parts)] == [
        ("a.txt", "unreadable_file", "Permission denied")
    ]
    assert records_of(parts) == [(0, b"text")]
