"""What is small on disk and huge in memory, or huge and empty: `headrace read` ends, in bounds, and says so."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.read_command import Measured, measured, places

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),  # the first test compiles kernels where nobody has yet
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc"),
]

MEGABYTE = 1_000_000
PEAK = 1000 * MEGABYTE  # of any of them; the bytes of the text printed are part of it


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have kernels and models made once, so that the first test does not pay for them."""
    folder = tmp_path_factory.mktemp("first")
    for text in ("清洗数据。" * 20, "e\u0301\u0301" * 20):
        (folder / "a.jsonl").write_text(f'{{"text": "{text}"}}\n')
        assert measured(folder / "a.jsonl", folder).exit_code == 0


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder beside the one that is read."""
    return tmp_path_factory.mktemp("scratch")


def within_bounds(path: Path, scratch: Path) -> Measured:
    """Read a file and check what that cost."""
    found = measured(path, scratch)
    assert found.peak_bytes < PEAK
    assert found.exit_code == (1 if any("error" in row for row in found.rows) else 0)
    return found


def test_two_gigabytes_that_a_dictionary_repeats(tmp_path: Path, scratch: Path) -> None:
    """A Parquet file of some hundred bytes gives 100 MB of its 2 GB; the rows that are left out are named."""
    path = tmp_path / "t.parquet"
    values = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), 2000), pa.array(["x" * MEGABYTE]))
    pq.write_table(pa.table({"text": values}), path, compression="zstd")
    assert path.stat().st_size < 24_000
    found = within_bounds(path, scratch)
    ((reason, offset),) = places(found.rows, "error")
    assert (reason, offset) == ("expansion", len(found.rows) - 1)
    assert {len(row["text"]) for row in found.rows[:-1]} == {MEGABYTE}
    assert len(found.rows) - 1 in (99, 100)
    assert f"{2000 - offset} rows are not read" in found.rows[-1]["error"]["detail"]


def test_two_gigabytes_in_packed_pages(tmp_path: Path, scratch: Path) -> None:
    """The same without a dictionary: pages that are packed ten thousand times, in twenty row groups."""
    path = tmp_path / "t.parquet"
    table = pa.table({"text": pa.array(["x" * MEGABYTE] * 100, pa.large_string())})
    with pq.ParquetWriter(path, table.schema, compression="zstd", use_dictionary=False, write_statistics=False) as out:
        for _ in range(20):
            out.write_table(table)
    assert path.stat().st_size < 200_000
    found = within_bounds(path, scratch)
    documents = [row["offset"] for row in found.rows if "text" in row]
    assert {reason for reason, _ in places(found.rows, "error")} == {"expansion"}
    lost = [int(row["error"]["detail"].split()[-5]) for row in found.rows if "error" in row]
    assert len(documents) + sum(lost) == 2000
    assert 50 <= len(documents) <= 200


def test_a_zip_bomb(tmp_path: Path, scratch: Path) -> None:
    """500 MB in one member of 0.5 MB: named by what its directory says, before a byte of it is unpacked."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small.txt", "this one is read")
        with archive.open("big.jsonl", "w", force_zip64=True) as member:
            for _ in range(5):
                member.write(b'{"text": "' + b"0" * (100 * MEGABYTE) + b'"}\n')
    found = within_bounds(path, scratch)
    assert [row.get("text") for row in found.rows] == ["this one is read", None]
    assert (found.rows[1]["member"], places(found.rows, "error")) == ("big.jsonl", [("expansion", 0)])


def test_a_gzip_bomb_of_lines(tmp_path: Path, scratch: Path) -> None:
    """What was read up to the bound is kept, and the place where reading ends is told."""
    path = tmp_path / "bomb.jsonl.gz"
    line = b'{"text": "' + b"0" * MEGABYTE + b'"}\n'
    path.write_bytes(gzip.compress(line * 100) * 5)
    found = within_bounds(path, scratch)
    ((reason, offset),) = places(found.rows, "error")
    documents = found.rows[:-1]
    assert reason == "expansion"
    assert offset == len(documents) * len(line)
    assert 100 <= len(documents) < 500


@pytest.mark.parametrize("name", ["a.json", "a.jsonl.gz"])
def test_fifty_megabytes_in_one_line(tmp_path: Path, scratch: Path, name: str) -> None:
    """One document, whole, in less than the memory that any of these may take."""
    text = "清洗数据。" * 3_330_000
    line = f'{{"text": "{text}"}}'.encode()
    (tmp_path / name).write_bytes(gzip.compress(line, 1) if name.endswith("gz") else b"[" + line + b"]")
    (row,) = within_bounds(tmp_path / name, scratch).rows
    assert row["text"] == text


def sparse(path: Path, size: int) -> int:
    """Write a file of a line and zeros that take no place on the disk."""
    with path.open("wb") as file:
        file.write(b'{"text": "a line in front of nothing"}\n')
        begin = file.tell()
        file.truncate(size)
    return begin


def test_a_sparse_text_of_ten_gigabytes(tmp_path: Path, scratch: Path) -> None:
    """A document of ten gigabytes is over the limit by its size alone."""
    sparse(tmp_path / "s.txt", 10 << 30)
    (row,) = within_bounds(tmp_path / "s.txt", scratch).rows
    assert (row["error"]["reason"], row["error"]["value"]) == ("record_too_large", 10 << 30)


@pytest.mark.parametrize("size", [1 << 30, pytest.param(10 << 30, marks=pytest.mark.soak)])
def test_sparse_lines(tmp_path: Path, scratch: Path, size: int) -> None:
    """The line before the zeros is read; the endless one is named with its size, after one look through."""
    begin = sparse(tmp_path / "s.jsonl", size)
    first, last = within_bounds(tmp_path / "s.jsonl", scratch).rows
    assert first["text"] == "a line in front of nothing"
    assert (last["offset"], last["error"]["reason"]) == (begin, "record_too_large")
    assert last["error"]["value"] == size - begin


def letters(marks: int) -> Iterator[str]:
    """Give letters with many marks: all on one, and some on each."""
    yield "e" + "\u0301" * marks
    yield ("e" + "\u0301\u0323" * 50) * (marks // 100)


@pytest.mark.parametrize("text", list(letters(1_000_000)), ids=["one", "many"])
def test_a_million_marks(tmp_path: Path, scratch: Path, text: str) -> None:
    """Capped and counted; in the square of their number that would take ten minutes, beyond the limit of a test."""
    (tmp_path / "m.txt").write_text(f"{text} and a sentence that follows.")
    found = within_bounds(tmp_path / "m.txt", scratch)
    (row,) = found.rows
    assert row["repairs"]["marks"] == 1_000_000 - 8 * text.count("e")
    assert row["text"].endswith(" and a sentence that follows.")
