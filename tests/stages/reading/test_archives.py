"""Members of tar and zip archives: each is content of its own, by name, and a damaged one costs only itself."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.stages.parts import UNIT, Outcome, a_source, a_split, faults_of, parts_of
from tests.stages.reading.made_archives import PACKERS, add, raw_zip, streamed_zip, tar, zipped
from tests.stages.reading.made_warcs import members, read, record, record_id, responses
from tests.stages.reading.same_parts import read_whole

from headrace.stages.read import Part

FILES = {
    "a.txt": "清洗\n".encode(),
    "folder/b.JSONL": b'{"text": "x"}\n\n{"text": "y", "url": "u"}\n',
    "empty.txt": b"",
    "c.tsv": b'text\tid\nsay "x\t1\n',
    "d.html.gz": gzip.compress(b"<html><p>page</p></html>"),
}
ARCHIVES = {
    "ustar.tar": tar(FILES, tarfile.USTAR_FORMAT),
    "gnu.tar": tar(FILES, tarfile.GNU_FORMAT),
    "pax.tar": tar(FILES),
    **{f"f.tar.{ending}": pack(tar(FILES)) for ending, pack in PACKERS.items()},
    "stored.zip": zipped(FILES, zipfile.ZIP_STORED),
    "deflated.zip": zipped(FILES),
    "bzip2.zip": zipped(FILES, zipfile.ZIP_BZIP2),
    "lzma.zip": zipped(FILES, zipfile.ZIP_LZMA),
    "streamed.zip": streamed_zip(FILES),
    "packed.zip.gz": gzip.compress(streamed_zip(FILES)),
    "no-ending": zipped(FILES),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_are_read_in_their_own_formats(tmp_path: Path, name: str) -> None:
    """doc_id names archive, member, and the byte in the member; its ending and its magic give the format."""
    (tmp_path / name).write_bytes(ARCHIVES[name])
    result = Outcome(tmp_path, a_source(name))
    rows = [(row["doc_id"], row["member"], row["text"], row["url"]) for row in result.documents]
    assert rows == [
        (f"s:{name}!a.txt#0", "a.txt", "清洗", None),
        (f"s:{name}!folder/b.JSONL#0", "folder/b.JSONL", "x", None),
        (f"s:{name}!folder/b.JSONL#15", "folder/b.JSONL", "y", "u"),
        (f"s:{name}!c.tsv#8", "c.tsv", 'say "x', None),
        (f"s:{name}!d.html.gz#0", "d.html.gz", "page", None),
    ]
    assert not result.settled


def the_part(folder: Path, name: str, data: bytes, **options: object) -> Part:
    """Write a file and read it as one part."""
    (folder / name).write_bytes(data)
    (part,) = parts_of(a_split(folder, name), a_source(**options), 64 * UNIT)
    return part


def verdicts(part: Part) -> list[tuple[str, str, str]]:
    """Give where, how and why of each fault."""
    return [(f["doc_id"], f["verdict"], f["reason"]) for f in faults_of([part])]


def test_what_is_no_file_is_counted(tmp_path: Path) -> None:
    """Directories, links, devices and empty members are no documents, and the file's counts say how many there were."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in (
            ("d", tarfile.DIRTYPE),
            ("s", tarfile.SYMTYPE),
            ("h", tarfile.LNKTYPE),
            ("f", tarfile.FIFOTYPE),
        ):
            add(archive, name, kind=kind)
        add(archive, "empty.txt")
        add(archive, "a.txt", b"text")
    part = the_part(tmp_path, "t.tar", out.getvalue())
    assert part.documents["doc_id"].to_pylist() == ["s:t.tar!a.txt#0"]
    assert [(f.records, f.note, dict(f.counts)) for f in part.files] == [
        (1, "", {"device": 1, "directory": 1, "empty": 1, "link": 2})
    ]
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive_zip:
        archive_zip.mkdir("folder")
        archive_zip.writestr(link, "a.txt")
    part = the_part(tmp_path, "z.zip", out.getvalue())
    assert (part.documents.num_rows, dict(part.files[0].counts)) == (0, {"directory": 1, "link": 1})


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    """Archives inside archives and unknown bytes are quarantined; an image is no text and no loss."""
    files = {
        "in.zip": zipped({"x": b"y"}),
        "in.tar.gz": gzip.compress(tar({"x": b"y"})),
        "p.pdf": b"%PDF-1.7 ...",
        "i.png": b"\x89PNG\r\n\x1a\n...",
        "x.bin": bytes(range(256)),
    }
    for name, data in (("t.tar", tar(files)), ("z.zip", zipped(files))):
        assert verdicts(the_part(tmp_path, name, data)) == [
            (f"s:{name}!in.zip#0", "quarantined", "unsupported_format"),
            (f"s:{name}!in.tar.gz#0", "quarantined", "unsupported_format"),
            (f"s:{name}!p.pdf#0", "quarantined", "unsupported_format"),
            (f"s:{name}!i.png#0", "dropped", "not_text"),
            (f"s:{name}!x.bin#0", "quarantined", "unsupported_format"),
        ]


def test_web_crawls_inside_archives(tmp_path: Path) -> None:
    """Pages are named by file, member and byte, other records are counted, and a fault costs no other member."""
    crawl = members([record(b"software: x", kind="warcinfo"), *responses(3)])
    files = {
        "a.warc.gz": crawl,
        "cut.warc.gz": crawl[:-40],
        "b.warc": responses(1)[0],
        "i.warc": record(b"", kind="warcinfo"),
    }
    alone = read(tmp_path, crawl, "a.warc.gz")
    for name, data in (("t.tar", tar(files)), ("z.zip", zipped(files))):
        part = the_part(tmp_path, name, data)
        rows = part.documents.to_pylist()
        assert [row["doc_id"] for row in rows] == [
            *(f"s:{name}!a.warc.gz#{offset}" for offset in alone.offsets),
            *(f"s:{name}!cut.warc.gz#{offset}" for offset in alone.offsets[:2]),
            f"s:{name}!b.warc#0",
        ]
        assert [row["data"] for row in rows[:3]] == alone.bodies
        assert (rows[0]["member"], rows[0]["url"]) == (f"a.warc.gz!{record_id(0)}", "http://example.org/0")
        assert verdicts(part) == [(f"s:{name}!cut.warc.gz#{alone.offsets[2]}", "quarantined", "truncated")]
        assert dict(part.files[0].counts) == {"warcinfo": 3}


def test_tables_inside_archives(tmp_path: Path) -> None:
    """They are read from memory, row by row like any table, and also when they are packed alone."""
    table, out = pa.table({"text": ["a", "b", "c"], "n": [1, 2, 3]}), io.BytesIO()
    pq.write_table(table, out)
    (tmp_path / "t.tar").write_bytes(tar({"x.parquet": out.getvalue(), "y.txt": b"y"}))
    documents, faults, _ = read_whole(tmp_path, "t.tar", a_source(), 100)
    assert [(row[0], row[1]) for row in documents] == [
        *((f"s:t.tar!x.parquet#{n}", letter) for n, letter in enumerate((b"a", b"b", b"c"))),
        ("s:t.tar!y.txt#0", b"y"),
    ]
    assert not faults
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress(out.getvalue()))
    documents, faults, _ = read_whole(tmp_path, "x.parquet.gz", a_source(), 100)
    assert [row[0] for row in documents] == [f"s:x.parquet.gz#{n}" for n in range(3)]


NAMES = {
    "数据/预处理.txt": "gb18030",
    "繁體中文檔案.txt": "big5",
    "日本語テスト.txt": "cp932",
    "café.txt": "cp437",
    "naïve 清洗.txt": "utf-8",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_members_in_their_charsets(tmp_path: Path, name: str) -> None:
    """Zip archives hardly ever say the charset of their names: it is found."""
    part = the_part(tmp_path, "z.zip", raw_zip([(name.encode(NAMES[name]), b"text")]))
    assert part.documents["member"].to_pylist() == [name]
    if NAMES[name] != "cp437":
        with tarfile.open(tmp_path / "t.tar", "w", format=tarfile.USTAR_FORMAT, encoding=NAMES[name]) as archive:
            add(archive, name, b"text")
        (part,) = parts_of(a_split(tmp_path, "t.tar"), a_source())
        assert part.documents["member"].to_pylist() == [name]


def test_a_name_is_only_a_name(tmp_path: Path) -> None:
    """Nothing is written anywhere, and members of one name stay apart, each in its format."""
    members = [(b"../../etc/passwd", b"root"), (b"/abs.txt", b"x"), (b"a.jsonl", b"{}\n"), (b"a.jsonl", b"[]\n")]
    part = the_part(tmp_path, "z.zip", raw_zip(members))
    wanted = ["../../etc/passwd", "/abs.txt", "a.jsonl", "a (2).jsonl"]
    assert part.documents["member"].to_pylist() == wanted
    assert part.documents["format"].to_pylist() == ["text", "text", "jsonl", "jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["z.zip"]


def test_long_names_and_pax_records(tmp_path: Path) -> None:
    """Names that do not fit into a header come from the one in front of it, in both formats."""
    name = "文件夹/" * 60 + "a.txt"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        part = the_part(tmp_path, "t.tar", tar({name: b"x", "b.txt": b"y"}, form))
        assert part.documents["member"].to_pylist() == [name, "b.txt"]


def test_a_damaged_tar_header_costs_its_member(tmp_path: Path) -> None:
    """The next header is found by its checksum, also where bytes are missing; the gap is named."""
    data = tar({f"f{n}.txt": b"text %d" % n for n in range(4)}, tarfile.USTAR_FORMAT)
    blotted = data[:1024] + bytes(b ^ 0xFF for b in data[1024:1100]) + data[1100:]
    for damaged, following in ((blotted, 2048), (data[:1100] + data[1107:], 2041)):
        part = the_part(tmp_path, "t.tar", damaged)
        assert part.documents["member"].to_pylist() == ["f0.txt", "f2.txt", "f3.txt"]
        (fault,) = faults_of([part])
        assert (fault["doc_id"], fault["reason"]) == ("s:t.tar#1024", "corrupt")
        assert f"the next one is at byte {following}" in fault["detail"]


def test_cut_archives(tmp_path: Path) -> None:
    """Members before the cut are kept; the member that is torn and the archive are both named."""
    data = tar({"a.txt": b"first", "b.txt": b"second" * 500})
    part = the_part(tmp_path, "t.tar", data[:2500])
    assert part.documents["member"].to_pylist() == ["a.txt"]
    assert verdicts(part) == [
        ("s:t.tar!b.txt#0", "quarantined", "truncated"),
        ("s:t.tar#2500", "quarantined", "truncated"),
    ]
    part = the_part(tmp_path, "t.tar", data[:1024])
    assert verdicts(part) == [("s:t.tar#1024", "quarantined", "truncated")]  # even at a border: no end mark
    for whole in (zipped(FILES), streamed_zip(FILES)):
        at = whole.index(b"PK\x03\x04", whole.index(b"folder"))
        part = the_part(tmp_path, "z.zip", whole[:at])
        assert set(part.documents["member"].to_pylist()) == {"a.txt", "folder/b.JSONL"}
        assert verdicts(part) == [(f"s:z.zip#{at}", "quarantined", "truncated")]


@pytest.mark.parametrize("ending", ["tar", "tar.gz"])
@pytest.mark.parametrize("size", [1, 511, 512, 700])
def test_every_cut_keeps_or_names_the_last_member(tmp_path: Path, ending: str, size: int) -> None:
    """Where only its padding is lost it is kept; where some of it is, it is named; the archive is named anyhow."""
    data = tar({"a.txt": b"first", "b.txt": b"x" * size})
    end = 3 * 512 + size
    for cut in (3 * 512, end - 1, end, end + 1, -(-end // 512) * 512 - 1, -(-end // 512) * 512):
        packer = zlib.compressobj(wbits=31)
        flushed = packer.compress(data[:cut]) + packer.flush(zlib.Z_SYNC_FLUSH)
        part = the_part(tmp_path, f"t.{ending}", flushed if ending == "tar.gz" else data[:cut])
        named = [(f"s:t.{ending}!b.txt#0", "quarantined", "truncated")] if cut < end else []
        assert part.documents["member"].to_pylist() == (["a.txt"] if named else ["a.txt", "b.txt"])
        assert verdicts(part) == [*named, (f"s:t.{ending}#{cut}", "quarantined", "truncated")]


def test_a_damaged_zip_member_costs_itself(tmp_path: Path) -> None:
    """A wrong checksum, a wrong place and an encrypted member are named; the others are read."""
    data = bytearray(zipped({f"f{n}.txt": b"text %d" % n for n in range(4)}, zipfile.ZIP_STORED))
    data[data.index(b"text 1")] ^= 1
    data[data.index(b"f2.txt") - 30] = 0  # the first byte of its header
    data[data.rindex(b"f3.txt") - 46 + 8] |= 1  # the flags in its entry of the directory
    part = the_part(tmp_path, "z.zip", bytes(data))
    assert part.documents["member"].to_pylist() == ["f0.txt"]
    assert verdicts(part) == [
        ("s:z.zip!f1.txt#0", "quarantined", "corrupt"),
        ("s:z.zip!f2.txt#0", "quarantined", "corrupt"),
        ("s:z.zip!f3.txt#0", "quarantined", "encrypted"),
    ]


def test_archives_that_follow_each_other(tmp_path: Path) -> None:
    """Tars put together with cat are read to the end; a program in front of a zip is passed over."""
    part = the_part(tmp_path, "t.tar", tar({"a.txt": b"1"}) + tar({"b.txt": b"2"}))
    assert part.documents["member"].to_pylist() == ["a.txt", "b.txt"]
    part = the_part(tmp_path, "z.zip", b"PK\x07\x08" + zipped({"a.txt": b"1"}))
    assert part.documents["member"].to_pylist() == ["a.txt"]


def test_archives_without_members(tmp_path: Path) -> None:
    """They are empty files, and no error."""
    for name, data in (("t.tar", tar({})), ("z.zip", zipped({})), ("t.tar.gz", gzip.compress(tar({})))):
        part = the_part(tmp_path, name, data)
        assert (part.documents.num_rows, part.faults.num_rows, part.files[0].note) == (0, 0, "empty")
