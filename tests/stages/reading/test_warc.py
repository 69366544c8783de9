"""What a WARC or ARC file gives: documents with where they came from, and counts of the rest."""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path

import pytest
import zstandard
from tests.stages.reading.made_warcs import (
    ARC1,
    ARC2,
    SENTENCE,
    about,
    blocks,
    frames,
    http,
    members,
    page,
    read,
    record,
    record_id,
    responses,
)

PACKED = {
    "plain.warc": b"".join,
    "members.warc.gz": members,
    "one.warc.gz": lambda records: gzip.compress(b"".join(records), mtime=0),
    "blocks.warc.gz": lambda records: blocks(records, 333),
    "frames.warc.zst": frames,
    "twice.warc.gz.gz": lambda records: gzip.compress(members(records), mtime=0),
    "padded.warc.gz": lambda records: members(records) + bytes(1024),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_warc_gives_its_pages_however_it_is_packed(tmp_path: Path, name: str) -> None:
    """Plain, a member or frame per record, one member for all, or members that records straddle: the same documents."""
    records = responses(5)
    found = read(tmp_path, PACKED[name](records), name)
    plain = read(tmp_path, b"".join(records), "plain.warc")
    assert found.faults == []
    assert found.bodies == plain.bodies == [page(f"{SENTENCE * (1 + n % 3)}{n}") for n in range(5)]
    assert found.offsets == [sum(map(len, records[:n])) for n in range(5)]


def test_a_document_says_where_it_comes_from(tmp_path: Path) -> None:
    """URL, record id, charset, date, status, media type and the offset that an index of the crawl has."""
    first, second = responses(2)
    row = read(tmp_path, members([first, second]), "a.warc.gz").rows[1]
    assert row["doc_id"] == f"s:a.warc.gz#{len(first)}"
    assert (row["url"], row["member"]) == ("http://example.org/1", record_id(1))
    assert (row["format"], row["declared"]) == ("html", "utf-8")
    assert about(row) == {
        "date": "2024-03-01T00:00:00Z",
        "record_id": record_id(1),
        "type": "response",
        "offset": len(gzip.compress(first, mtime=0)),
        "mime": "text/html",
        "status": 200,
    }


def test_records_that_hold_no_page_are_counted(tmp_path: Path) -> None:
    """Requests, revisits, warcinfo and metadata are no documents, and no faults."""
    kinds = ("warcinfo", "request", "request", "revisit", "metadata")
    wget = record(b"log", 9, "resource", WARC_Target_URI="metadata://gnu.org/software/wget/warc/wget.log")
    found = read(tmp_path, b"".join([*(record(b"x", n, kind) for n, kind in enumerate(kinds)), wget, *responses(1)]))
    assert (len(found.rows), found.faults) == (1, [])
    assert found.counts == {"warcinfo": 1, "request": 2, "revisit": 1, "metadata": 2}


def test_converted_text_is_utf8(tmp_path: Path) -> None:
    """A WET record is plain text whose charset the standard gives; its language is kept."""
    text = record(SENTENCE.encode(), 0, "conversion", WARC_Identified_Content_Language="zho,eng")
    (row,) = read(tmp_path, text, "a.warc.wet").rows
    assert (row["format"], row["declared"], row["data"]) == ("text", "utf-8", SENTENCE.encode())
    assert about(row)["language"] == "zho,eng"


def test_metadata_are_read_on_request(tmp_path: Path) -> None:
    """WAT files hold JSON in metadata records."""
    data = record(b'{"text": "a"}', 0, "metadata", Content_Type="application/json")
    assert read(tmp_path, data, "a.warc.wat").rows == []
    (row,) = read(tmp_path, data, "a.warc.wat", warc_records=("metadata",)).rows
    assert (row["format"], row["data"]) == ("json", b'{"text": "a"}')


def test_statuses_are_chosen(tmp_path: Path) -> None:
    """Pages of errors are dropped with their status, unless the source asks for them."""
    statuses = ("200 OK", "404 Not Found", "301 Moved", "503")
    data = b"".join(record(http(page(), status=status), n) for n, status in enumerate(statuses))
    found = read(tmp_path, data)
    assert [(r["verdict"], r["reason"], r["value"]) for r in found.faults] == [
        ("dropped", "http_status", 404),
        ("dropped", "http_status", 301),
        ("dropped", "http_status", 503),
    ]
    assert len(read(tmp_path, data, http_status="200-299,404").rows) == 2


PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("image/png", PNG),
        ("font/woff2", b"wOF2" + bytes(90)),
        ("application/pdf", b"%PDF-1.7 " + bytes(90)),
        ("text/css", b"p { color: red }"),
        ("application/javascript; charset=utf-8", b"alert(1)"),
        ("text/html", PNG),
        ("text/plain", bytes(range(256)) * 4),
        ("application/octet-stream", b"PK\x03\x04" + bytes(range(256))),
        ("", b"\x7fELF" + bytes(90)),
    ],
)
def test_what_is_no_text_is_dropped(tmp_path: Path, kind: str, body: bytes) -> None:
    """Images, fonts, programs, style sheets, by media type or by their first bytes, whatever the type says."""
    (row,) = read(tmp_path, record(http(body, kind))).faults
    assert (row["verdict"], row["reason"]) == ("dropped", "not_text")
    assert kind.partition(";")[0] in row["detail"]
    assert row["url"] == "http://example.org/0"


@pytest.mark.parametrize(
    ("kind", "body", "form"),
    [
        ("text/plain", b"words", "text"),
        ("text/plain", b"<!DOCTYPE html><p>words", "html"),
        ("application/xhtml+xml", b"<html/>", "html"),
        ("application/rss+xml; charset=gbk", b"<?xml version='1.0'?><rss/>", "html"),
        ("application/ld+json", b'{"text": "a"}', "json"),
        ("", b"<html><p>words", "html"),
        ("application/octet-stream", "渠水".encode("utf-16"), "text"),
        ("text/markdown; charset=big5", "渠水".encode("big5"), "text"),
    ],
)
def test_the_format_is_known_by_type_and_content(tmp_path: Path, kind: str, body: bytes, form: str) -> None:
    """Servers call anything text/plain or nothing at all."""
    (row,) = read(tmp_path, record(http(body, kind))).rows
    assert (row["format"], row["data"]) == (form, body)
    assert row["declared"] == (kind.partition("charset=")[2] or None)


def test_resources_and_responses_without_http_are_read_as_they_are(tmp_path: Path) -> None:
    """A resource record has no HTTP header; nor has a response of another protocol."""
    resource = record(b'{"text": "a"}', 0, "resource", Content_Type="application/json")
    gemini = record(b"# words\n", 1, Content_Type="text/gemini")
    found = read(tmp_path, resource + gemini)
    assert [(row["format"], row["data"]) for row in found.rows] == [("json", b'{"text": "a"}'), ("text", b"# words\n")]


def test_name_lookups_are_no_documents(tmp_path: Path) -> None:
    """Heritrix stores the answers of name servers."""
    found = read(tmp_path, record(b"20240301 example.org. A 1.2.3.4", 0, "resource", Content_Type="text/dns"))
    assert (found.rows, found.faults, found.counts) == ([], [], {"dns": 1})


def test_segments_and_unknown_types_are_named(tmp_path: Path) -> None:
    """A record that continues another is no document of its own, and is not lost in silence."""
    found = read(tmp_path, record(b"rest", 0, "continuation") + record(b"?", 1, "whatever"))
    assert [reason for _, reason, _ in found.reasons] == ["segmented_record", "unknown_record"]


@pytest.mark.parametrize("version", ["0.17", "0.18", "1.0", "1.1"])
def test_versions_of_the_standard(tmp_path: Path, version: str) -> None:
    """All versions from 0.17 on have the same frame; folded lines and line feeds alone are read."""
    text = responses(1)[0].replace(b"WARC/1.0", b"WARC/" + version.encode())
    folded = text.replace(b"WARC-Date: ", b"WARC-Date:\r\n ").replace(b"WARC-Type", b"warc-type")
    found = read(tmp_path, text + folded)
    assert (len(found.rows), found.faults) == (2, [])
    assert about(found.rows[0]) | {"offset": 0} == about(found.rows[1]) | {"offset": 0}


def test_line_feeds_alone_are_read(tmp_path: Path) -> None:
    """Records whose header lines end with LF, as some tools and editors leave them."""
    block = http(page()).replace(b"\r\n", b"\n")
    text = record(block).replace(b"\r\n", b"\n")
    found = read(tmp_path, text * 3)
    assert (found.bodies, found.faults) == ([page()] * 3, [])


def test_targets_in_angle_brackets(tmp_path: Path) -> None:
    """Old wget wrote them so; the URL is the same."""
    (row,) = read(tmp_path, record(http(page()), WARC_Target_URI="<http://example.org/x>")).rows
    assert row["url"] == "http://example.org/x"


ARC_BLOCK = http(page())


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("first", "between"), [(ARC1, b"text/html"), (ARC2, b"text/html 200 fac069150613fe55 - 209 a.arc")]
)
def test_arc_files(tmp_path: Path, first: bytes, between: bytes, packed: bool) -> None:  # noqa: FBT001
    """ARC of both versions: the pages, and the description of the file counted."""
    line = b"http://example.org/%d 1.2.3.4 20240301000000 " + between + b" %d\n"
    records = [first, *(line % (n, len(ARC_BLOCK)) + ARC_BLOCK + b"\n" for n in range(3))]
    data = members(records) if packed else b"".join(records)
    found = read(tmp_path, data, "a.arc.gz" if packed else "a.arc")
    assert (found.bodies, found.faults, found.counts) == ([page()] * 3, [], {"warcinfo": 1})
    assert [row["url"] for row in found.rows] == [f"http://example.org/{n}" for n in range(3)]
    assert about(found.rows[0])["date"] == "20240301000000"


@pytest.mark.parametrize("packed", [False, True])
def test_zstd_with_a_dictionary(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001
    """The dictionary comes in a frame of its own at the beginning, packed or not."""
    records = responses(40)
    trained = zstandard.train_dictionary(2000, records)
    stored = zstandard.compress(trained.as_bytes()) if packed else trained.as_bytes()
    packer = zstandard.ZstdCompressor(dict_data=trained)
    first = b"\x5d\x2a\x4d\x18" + len(stored).to_bytes(4, "little") + stored
    data = first + b"".join(packer.compress(r) for r in records)
    found = read(tmp_path, data, "a.warc.zst", unit=5_000)
    assert found.faults == []
    assert found.bodies == read(tmp_path, b"".join(records)).bodies


@pytest.mark.parametrize("name", ["sha1", "sha256", "md5"])
@pytest.mark.parametrize("spelled", ["hex", "base32"])
def test_digests_are_checked(tmp_path: Path, name: str, spelled: str) -> None:
    """A document whose bytes are not those of its digest is kept, marked and counted."""

    def digest(data: bytes) -> str:
        value = hashlib.new(name, data)
        text = value.hexdigest() if spelled == "hex" else base64.b32encode(value.digest()).decode()
        return f"{name}:{text}"

    block = http(page())
    right = record(block, 0, WARC_Block_Digest=digest(block)) + record(block, 1, WARC_Payload_Digest=digest(page()))
    wrong = record(block, 2, WARC_Block_Digest=digest(b"x")) + record(block, 3, WARC_Payload_Digest=digest(b"x"))
    found = read(tmp_path, right + wrong)
    assert found.mended == [[], [], ["digest_wrong"], ["digest_wrong"]]
    assert found.counts == {"digest_wrong": 2}
    assert read(tmp_path, right + wrong, check_digests=False).counts == {}


def test_a_payload_digest_may_be_that_of_the_unpacked_body(tmp_path: Path) -> None:
    """Writers disagree on what the payload is: as it was sent, or without its content coding."""
    block = http(gzip.compress(page()), Content_Encoding="gzip")
    data = record(block, WARC_Payload_Digest=f"sha1:{hashlib.sha1(page()).hexdigest()}")
    assert read(tmp_path, data).mended == [[]]


def test_an_unknown_digest_is_no_fault(tmp_path: Path) -> None:
    """What cannot be checked is not called wrong."""
    assert read(tmp_path, record(http(page()), WARC_Block_Digest="xxh3:00")).mended == [[]]


def test_a_page_that_the_crawler_cut_says_so(tmp_path: Path) -> None:
    """Common Crawl cuts pages at a size; they are kept, and their metadata say so."""
    (row,) = read(tmp_path, record(http(page()), WARC_Truncated="length")).rows
    assert about(row)["truncated"] == "length"
