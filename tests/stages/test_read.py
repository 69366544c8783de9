"""Reading: parts are a pure function of files and cursor, and records do not depend on where a file is cut."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of

from headrace.schemas.document import RAW_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.schemas.source import Cursor
from headrace.stages.read import read_part

PROPERTY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
_WORDS = ("a", "bb", "清洗", "去重、分级", "  x", "\\", '{"text": "z"}', "", " ", "\t")


def texts(encoding: str) -> st.SearchStrategy[bytes]:
    """Give small files of short, blank and indented lines with either line end."""
    line = st.tuples(st.sampled_from(_WORDS), st.sampled_from(_WORDS), st.sampled_from(("\n", "\r\n")))
    body = st.lists(line.map("".join), max_size=14).map("".join)
    return st.tuples(body, st.sampled_from(("", "end", "\r"))).map(lambda pair: "".join(pair).encode(encoding))


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
@PROPERTY
@given(data=st.data(), unit_bytes=st.integers(1, 40))
def test_ranges_cut_at_any_byte_give_the_same_records(
    tmp_path: Path, records: str, data: st.DataObject, unit_bytes: int
) -> None:
    """A record belongs to the range its first byte lies in: none is lost, none comes twice."""
    content = data.draw(texts("utf-8"))
    (tmp_path / "f.txt").write_bytes(content)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(content) - 1)), max_size=4)))
    source, found = a_source(records=records), []
    for begin, end in zip([0, *cuts], [*cuts, None], strict=True):
        inside = records_of(parts_of(a_split(tmp_path, "f.txt", begin=begin, end=end), source, unit_bytes))
        assert all(begin <= place and (end is None or place < end) for place, _ in inside)
        found += inside
    assert found == CUTS[records](content)


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


@PROPERTY
@given(content=texts("utf-8"), unit_bytes=st.integers(1, 60))
def test_packed_files_read_like_plain_ones(tmp_path: Path, content: bytes, unit_bytes: int) -> None:
    """Compression changes neither records nor offsets nor where parts end."""
    names = ("f.txt", "f.txt.gz", "f.txt.zst")
    source = a_source(records="lines")
    found = []
    for name in names:
        write(tmp_path / name, content)
        found.append([records_of([p]) for p in parts_of(a_split(tmp_path, name), source, unit_bytes)])
    assert found[0] == found[1] == found[2]


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


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_record_over_the_limit_is_named_not_cut(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """It is quarantined with its size; its neighbours are read, in the same unit or behind it."""
    long = b"x" * 200_000
    (tmp_path / "f.txt").write_bytes(pack(b"before\n" + long + b"\nafter\n"))
    source = a_source(records="lines", max_record_bytes=1000)
    for unit_bytes in (50, 150_000, UNIT):
        parts = parts_of(a_split(tmp_path, "f.txt"), source, unit_bytes)
        assert [data for _, data in records_of(parts)] == [b"before\n", b"after\n"]
        (fault,) = faults_of(parts)
        assert (fault["reason"], fault["value"], fault["threshold"]) == ("record_too_large", 200_001, 1000)
        assert (fault["doc_id"], fault["verdict"], fault["stage"]) == ("s:f.txt#7", "quarantined", "read")


@pytest.mark.parametrize("records", ["file", "lines", "paragraphs"])
def test_a_bomb_stays_outside_memory(tmp_path: Path, records: str) -> None:
    """64 MiB without a line end, packed into 64 kB, is measured and named, and never held."""
    bomb = gzip.compress(b"\0" * 16 + b"a" * (64 << 20))
    (tmp_path / "bomb.txt.gz").write_bytes(bomb)
    tracemalloc.start()
    parts = parts_of(a_split(tmp_path, "bomb.txt.gz"), a_source(records=records, max_record_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (fault,) = faults_of(parts)
    assert fault["reason"] == "record_too_large"
    assert fault["value"] >= 16 << 20
    assert peak < 12 << 20


def test_what_follows_a_paragraph_that_is_too_long(tmp_path: Path) -> None:
    """The next paragraph is found although the long one was not kept."""
    long = b"line\n" * 40_000
    (tmp_path / "f.txt").write_bytes(b"first\n\n" + long + b" \t\nlast\n")
    parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="paragraphs", max_record_bytes=1000), 100)
    assert [data for _, data in records_of(parts)] == [b"first\n\n", b"last\n"]
    assert [(f["offset"], f["value"]) for f in faults_of(parts)] == [(7, len(long) + 3)]


def packed_lines(count: int) -> bytes:
    """Give lines of numbers that do not compress to nothing."""
    noise = np.random.default_rng(5).bytes(40 * count).hex()
    return b"".join(noise[80 * n : 80 * n + 80].encode() + b"\n" for n in range(count))


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("zst", zstandard.compress)])
def test_a_cut_file_gives_what_comes_before_the_cut(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    """Whole lines before the cut are kept, the torn one is not, and the file is reported as truncated."""
    content = packed_lines(20_000)
    data = pack(content)
    (tmp_path / f"f.jsonl.{ending}").write_bytes(data[: len(data) * 3 // 4])
    for unit_bytes in (100_000, UNIT, 8 * UNIT):
        parts = parts_of(a_split(tmp_path, f"f.jsonl.{ending}"), a_source(), unit_bytes)
        found = b"".join(record for _, record in records_of(parts))
        assert content.startswith(found)
        assert found.endswith(b"\n")
        assert len(found) > len(content) // 2
        assert [f["reason"] for f in faults_of(parts)] == ["truncated"]
        assert parts[-1].files[-1].note == "truncated"


def test_a_flipped_bit_ends_a_gzip_file(tmp_path: Path) -> None:
    """Damage in the middle is reported with the offset up to which lines are good, in parts of any size alike."""
    content = packed_lines(5000)
    data = bytearray(gzip.compress(content))
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "f.txt.gz").write_bytes(data)
    outcomes = set()
    for unit_bytes in (10_000, UNIT):
        parts = parts_of(a_split(tmp_path, "f.txt.gz"), a_source(records="lines"), unit_bytes)
        (fault,) = faults_of(parts)
        assert fault["reason"] == "corrupt"
        outcomes.add((fault["offset"], b"".join(record for _, record in records_of(parts))))
    assert len(outcomes) == 1


def test_garbage_behind_a_gzip_member_is_reported(tmp_path: Path) -> None:
    """What was unpacked is kept; the rest is no gzip and is said to be none."""
    (tmp_path / "f.txt.gz").write_bytes(gzip.compress(b"good\n") + b"garbage")
    parts = parts_of(a_split(tmp_path, "f.txt.gz"), a_source(records="lines"))
    assert [data for _, data in records_of(parts)] == [b"good\n"]
    assert [f["reason"] for f in faults_of(parts)] == ["corrupt"]


def test_gzip_inside_gzip_is_unpacked_twice(tmp_path: Path) -> None:
    """It happens when servers pack what is packed already."""
    (tmp_path / "f.txt.gz").write_bytes(gzip.compress(gzip.compress(b"inside")))
    assert records_of(parts_of(a_split(tmp_path, "f.txt.gz"), a_source())) == [(0, b"inside")]


FOREIGN = {
    "png.txt": (b"\x89PNG\r\n\x1a\n" + bytes(20), "PNG image"),
    "w.warc": (b"WARC/1.0\r\n", "WARC"),
    "a.zip": (b"PK\x03\x04" + bytes(20), "zip"),
    "t.dat": (bytes(257) + b"ustar" + bytes(100), "tar"),
    "x.unknown": (bytes(range(32)) * 4, "binary"),
    "page.png": (b"<html><body>text</body></html>", "not what its ending .png says"),
    "p.parquet.gz": (gzip.compress(b"PAR1" + bytes(20)), "parquet inside a compressed file"),
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


TABLE = {
    "text": ["a" * 100, None, "", "b" * 100, "c"],
    "n": [1, 2, 3, 4, 5],
    "nested": [{"x": [1.5, float("nan")]}, None, None, None, {"x": []}],
    "raw": [b"\xff", b"ok", None, b"", b"x"],
}


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_rows_of_tables(tmp_path: Path, name: str) -> None:
    """The text column is the record; other columns are strict JSON; rows are counted from 0."""
    table = pa.table(TABLE)
    if name == "t.parquet":
        pq.write_table(table, tmp_path / name, row_group_size=2)
    else:
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write_table(table, 2)
    for unit_bytes, many in ((1, 5), (150, 3), (UNIT, 1)):
        parts = parts_of(a_split(tmp_path, name), a_source(), unit_bytes)
        assert len(parts) == many
        texts = TABLE["text"]
        assert [data for _, data in records_of(parts)] == [t if t is None else str(t).encode() for t in texts]
        assert [place for place, _ in records_of(parts)] == [0, 1, 2, 3, 4]
    assert parts[0].documents["metadata"][0].as_py() == '{"n":1,"nested":{"x":[1.5,null]},"raw":"/w=="}'


def test_text_columns_of_every_kind(tmp_path: Path) -> None:
    """Dictionaries, views, large strings and bytes are text; numbers are not, and a missing column is named."""
    plain = pa.array(["x", None, "y"])
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.binary()):
        with pa.ipc.new_file(tmp_path / "t.arrow", pa.schema([("text", kind)])) as writer:
            writer.write_table(pa.table({"text": plain.cast(kind)}))
        parts = parts_of(a_split(tmp_path, "t.arrow"), a_source())
        assert [data for _, data in records_of(parts)] == [b"x", None, b"y"], kind
    pq.write_table(pa.table({"text": [1, 2], "body": ["a", "b"]}), tmp_path / "t.parquet")
    for field, said in (("text", "holds int64"), ("nothing", "the columns are: text, body")):
        (fault,) = faults_of(parts_of(a_split(tmp_path, "t.parquet"), a_source(text_field=field)))
        assert fault["reason"] == "no_text_column"
        assert said in fault["detail"]


def test_a_damaged_table_gives_the_rows_before(tmp_path: Path) -> None:
    """Rows of whole row groups are kept; the fault names the row where reading ended."""
    noise = packed_lines(3000).decode().splitlines()
    pq.write_table(pa.table({"text": noise}), tmp_path / "t.parquet", row_group_size=1000, compression="zstd")
    group = pq.read_metadata(tmp_path / "t.parquet").row_group(1).column(0)
    data = bytearray((tmp_path / "t.parquet").read_bytes())
    middle = (group.dictionary_page_offset or group.data_page_offset) + group.total_compressed_size // 2
    data[middle : middle + 64] = bytes(64)
    (tmp_path / "t.parquet").write_bytes(data)
    parts = parts_of(a_split(tmp_path, "t.parquet"), a_source(), 20_000)
    (fault,) = faults_of(parts)
    assert (fault["reason"], fault["offset"]) == ("unreadable_parquet", 1000)
    assert [data.decode() for _, data in records_of(parts)] == noise[:1000]


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
