"""The same records and the same payloads as warcio and FastWARC, byte for byte, on files without faults."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from tests.stages.reading.made_warcs import blocks, chunked, deflated, http, members, noise, page, record
from warcio.archiveiterator import ArchiveIterator

from headrace.stages.reading.formats import packing
from headrace.stages.reading.stream import PlainStream
from headrace.stages.reading.warc_bodies import body_of
from headrace.stages.reading.warc_frames import Frame, Frames
from headrace.stages.reading.warc_http import response_of
from headrace.stages.reading.warc_members import Members
from headrace.stages.reading.warc_unpack import opener

GOOD = (
    "archivesunleashed_aut/example.docs.warc.gz",
    "archivesunleashed_aut/issue-514.warc",
    "chatnoir-eu_chatnoir-resiliparse/block-sized-records.warc",
    "chatnoir-eu_chatnoir-resiliparse/warcfile.warc",
    "chatnoir-eu_chatnoir-resiliparse/warcfile.warc.gz",
    "commoncrawl_whirlwind-python/whirlwind.warc",
    "commoncrawl_whirlwind-python/whirlwind.warc.gz",
    "commoncrawl_whirlwind-python/whirlwind.warc.wat",
    "commoncrawl_whirlwind-python/whirlwind.warc.wat.gz",
    "commoncrawl_whirlwind-python/whirlwind.warc.wet",
    "commoncrawl_whirlwind-python/whirlwind.warc.wet.gz",
    "iipc_jwarc/cc.warc.gz",
    "internetarchive_warc/crlf_at_1k_boundary.warc.gz",
    "webrecorder_pywb/example-wpull.warc.gz",
    "webrecorder_pywb/example.arc",
    "webrecorder_pywb/example.warc.gz",
    "webrecorder_pywb/example2.warc.gz",
    "webrecorder_pywb/httpbin-resource.warc.gz",
    "webrecorder_warcio/example-digest.warc",
    "webrecorder_warcio/example-wget-bad-target-uri.warc.gz",
    "webrecorder_warcio/example.warc.gz",
    "webrecorder_warcio/post-test.warc.gz",
)
Records = list[tuple[str, bytes]]


def frames_of(data: bytes) -> Iterator[Frame]:
    """Give the records of a file; a fault fails the test."""
    stream = PlainStream(io.BytesIO(data))
    kind = packing(data[:4])
    frames = Frames(Members(stream, kind, opener(stream, kind)), 10**8, arc=data.startswith(b"filedesc"))
    while (frame := frames.next()) is not None:
        assert isinstance(frame, Frame), frame
        assert frame.faults == ()
        yield frame


def ours(data: bytes, *, bodies: bool) -> Records:
    """Give each record's type with its block, or with its payload."""
    return [(f.head.kind, payload(f) if bodies else f.block) for f in frames_of(data)]


def payload(frame: Frame) -> bytes:
    """Give a record's payload."""
    response = response_of(frame.block) if frame.head.kind == "response" else None
    return body_of(response, 10**8).data if response else frame.block


def by_warcio(data: bytes, *, bodies: bool) -> Records:
    """Give the same of warcio; a request's block is compared alone, since its payload is none of ours."""
    found = ArchiveIterator(io.BytesIO(data), no_record_parse=not bodies, ensure_http_headers=False)
    return [(r.rec_type, r.content_stream().read()) for r in found]


def by_fastwarc(data: bytes, *, bodies: bool) -> Records:
    """Give the same of FastWARC."""
    stream = io.BytesIO(data)
    found = FastIterator(stream, parse_http=bodies, **({"auto_decode": "all"} if bodies else {}))
    return [(str(r.headers["WARC-Type"]), r.reader.read()) for r in found]


def pages_of(records: Records) -> Records:
    """Leave out what has an HTTP header and no page, and the description of an ARC, which warcio takes apart."""
    return [pair for pair in records if pair[0] not in ("request", "revisit", "warcinfo", "arc_header")]


@pytest.mark.parametrize("name", GOOD)
def test_corpus_files_as_warcio_reads_them(corpus: Path, name: str) -> None:
    """All records, all blocks, all payloads."""
    data = (corpus / "warc" / name).read_bytes()
    kinds, wanted = [k for k, _ in ours(data, bodies=False)], by_warcio(data, bodies=True)
    assert kinds == ["warcinfo" if k == "arc_header" else k for k, _ in wanted]
    assert [b for _, b in pages_of(ours(data, bodies=True))] == [b for _, b in pages_of(wanted)]
    if not name.endswith(".arc"):
        assert ours(data, bodies=False) == by_warcio(data, bodies=False)


@pytest.mark.parametrize("name", [name for name in GOOD if not name.endswith(".arc")])
def test_corpus_files_as_fastwarc_reads_them(corpus: Path, name: str) -> None:
    """All records, all blocks, all payloads."""
    data = (corpus / "warc" / name).read_bytes()
    assert ours(data, bodies=False) == by_fastwarc(data, bodies=False)
    assert pages_of(ours(data, bodies=True)) == pages_of(by_fastwarc(data, bodies=True))


def made() -> list[bytes]:
    """Give records of all shapes that the peers can read."""
    text = page(noise(3000))
    return [
        record(b"software: test", 0, "warcinfo"),
        record(http(text), 1),
        record(http(chunked(text, 500), Transfer_Encoding="chunked"), 2),
        record(http(gzip.compress(text), Content_Encoding="gzip"), 3),
        record(http(chunked(gzip.compress(text), 99), Transfer_Encoding="chunked", Content_Encoding="gzip"), 4),
        record(http(deflated(text, 15), Content_Encoding="deflate"), 5),
        record(http(brotli.compress(text), Content_Encoding="br"), 6),
        record(http(b"", status="204 No Content"), 7),
        record(b"GET / HTTP/1.1\r\n\r\n", 8, "request"),
        record(text, 9, "resource"),
        record("渠水".encode() * 999, 10, "conversion"),
        record(b"", 11, "metadata"),
        record(bytes(range(256)) * 300, 12, "resource"),
    ]


@pytest.mark.parametrize("packed", ["plain", "members", "one", "blocks"])
def test_made_files_as_both_read_them(packed: str) -> None:
    """Chunks and content codings, empty and large records, in each packing."""
    pack = {
        "plain": b"".join,
        "members": members,
        "one": lambda records: gzip.compress(b"".join(records)),
        "blocks": lambda records: blocks(records, 4096),
    }[packed]
    data = pack(made())
    found = ours(data, bodies=False)
    assert len(found) == 13
    assert found == by_fastwarc(data, bodies=False)
    if packed in ("plain", "members"):  # warcio refuses several records in a member
        assert found == by_warcio(data, bodies=False)


def test_made_bodies_as_warcio_reads_them() -> None:
    """The payloads, but for br, which warcio 1.8 cannot read with the brotli of today."""
    data = members(r for n, r in enumerate(made()) if n != 6)
    assert pages_of(ours(data, bodies=True)) == pages_of(by_warcio(data, bodies=True))


def test_made_bodies_as_fastwarc_reads_them() -> None:
    """The payloads, but for chunks of a packed body: FastWARC 2.0 loses the record behind such a one."""
    data = members(r for n, r in enumerate(made()) if n != 4)
    assert pages_of(ours(data, bodies=True)) == pages_of(by_fastwarc(data, bodies=True))
