"""Files of lists are read as people keep them, and refused with a cause and a remedy."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest

from headrace.schemas.errors import ConfigError
from headrace.stages.list_files import list_lines


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("list", data)
    return out.getvalue()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_of_any_system(end: str, mark: str, tmp_path: Path) -> None:
    """Line ends and a byte order mark are no matter; comments and blank lines count in the numbers alone."""
    lines = ("# ours", " a b ", "", "c#d # e", "\t# f", "\u3000g\u3000", "x" * 100_000)
    (tmp_path / "list").write_bytes(f"{mark}{end.join(lines)}".encode())
    assert list(list_lines(tmp_path / "list")) == [(2, "a b"), (4, "c#d"), (6, "g"), (7, "x" * 100_000)]


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    """A symbolic link to a list is that list."""
    (tmp_path / "list").write_text("a\n")
    (tmp_path / "link").symlink_to("list")
    assert list(list_lines(tmp_path / "link")) == [(1, "a")]


@pytest.mark.parametrize(
    ("content", "says", "remedy"),
    [
        (gzip.compress(b"a\n"), "is packed: it begins as gzip does", "unpack"),
        (bz2.compress(b"a\n"), "is packed: it begins as bzip2 does", "unpack"),
        (lzma.compress(b"a\n"), "is packed: it begins as xz does", "unpack"),
        (zipped(b"a\n"), "is packed: it begins as zip does", "unpack"),
        ("骰子\n".encode("gb18030"), "is in another encoding: byte 0 is not UTF-8", "iconv -f gb18030"),
        ("骰子\n".encode("utf-16"), "is in another encoding: byte 0 is not UTF-8", "iconv -f utf-16"),
        (None, "cannot be read: Is a directory", "check the option"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes | None, says: str, remedy: str, tmp_path: Path) -> None:
    """Packed, in another encoding, a folder: one message with file, cause and remedy."""
    if content is None:
        (tmp_path / "list").mkdir()
    else:
        (tmp_path / "list").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        list(list_lines(tmp_path / "list", "word list"))
    assert f"list: the word list {says}" in str(caught.value)
    assert remedy in str(caught.value.remedy)
