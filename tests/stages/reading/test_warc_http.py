"""Bodies of HTTP responses, chunked and packed in truth or in the header alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.stages.reading.made_warcs import chunked, deflated, http, noise, page, read, record

from headrace.stages.reading.warc_bodies import body_of
from headrace.stages.reading.warc_chunks import unchunked
from headrace.stages.reading.warc_http import charset_of, media_type, response_of, rights_headers

PAGE = page("渠水 " * 200)
CODINGS = {
    "gzip": gzip.compress(PAGE, mtime=0),
    "x-gzip": gzip.compress(PAGE, mtime=0),
    "deflate": deflated(PAGE, 15),
    "br": brotli.compress(PAGE),
    "zstd": zstandard.compress(PAGE),
}


def body(block: bytes, most: int = 10**7) -> tuple[bytes, tuple[str, ...]]:
    """Give a response's body and what was wrong with it."""
    response = response_of(block)
    assert response is not None
    found = body_of(response, most)
    return found.data, found.faults


def test_chunked_both_ways(tmp_path: Path) -> None:
    """Chunks are undone where there are some, whatever the header says; a body without them is left alone."""
    blocks = [
        http(chunked(page()), Transfer_Encoding="chunked"),
        http(page(), Transfer_Encoding="chunked"),
        http(chunked(page())),
        http(page()),
    ]
    found = read(tmp_path, b"".join(record(block, n) for n, block in enumerate(blocks)))
    assert (found.bodies, found.counts) == ([page()] * 4, {})


@given(st.binary(min_size=1, max_size=300), st.integers(1, 50))
def test_unchunked_undoes_chunked(data: bytes, size: int) -> None:
    """Whatever the body and the size of the chunks."""
    assert unchunked(chunked(data, size), announced=True).body == data
    assert unchunked(chunked(data, size), announced=False).body == data


@given(st.binary(max_size=200))
def test_any_bytes_may_be_called_chunked(data: bytes) -> None:
    """No body raises, and none grows."""
    assert len(unchunked(data, announced=True).body) <= len(data)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (b"5\r\nwater\r\n3;x=y\r\nway\r\n0\r\nTrailer: x\r\n\r\n", b"waterway"),
        (b"5 \r\nwater\r\n00\r\n\r\n", b"water"),
        (b"5\nwater\n3\nway\n0\n\n", b"waterway"),
        (b"0\r\n\r\n", b""),
    ],
)
def test_chunks_as_servers_write_them(text: bytes, wanted: bytes) -> None:
    """Extensions, trailers, spaces, line feeds alone."""
    found = unchunked(text, announced=True)
    assert (found.body, found.cut, found.wrong) == (wanted, False, False)


@pytest.mark.parametrize(
    ("text", "wanted", "cut"),
    [
        (b"2a\r\nwater\r\n3\r\nway\r\n0\r\n\r\n", b"waterway", False),  # too large
        (b"2\r\nwater\r\n3\r\nway\r\n0\r\n\r\n", b"waterway", False),  # too small
        (b"5\r\nwater\r\nffff\r\nway\r\n0\r\n\r\n", b"waterway", False),
        (b"5\r\nwater\r\nzz\r\nway", b"waterzz\r\nway", False),  # no size at all: nothing is thrown away
    ],
)
def test_wrong_chunk_sizes(text: bytes, wanted: bytes, cut: bool) -> None:  # noqa: FBT001
    """A chunk ends before the next size that is right."""
    found = unchunked(text, announced=True)
    assert (found.body, found.cut, found.wrong) == (wanted, cut, True)


@pytest.mark.parametrize("text", [b"5\r\nwater\r\n8\r\nway", b"5\r\nwater\r\n3\r\nway\r\n", b"5\r\nwater\r\n3\r\nway"])
def test_cut_chunks(text: bytes) -> None:
    """A body that ends before its last chunk is kept as far as it goes."""
    found = unchunked(text, announced=True)
    assert (found.body, found.cut, found.wrong) == (b"waterway", True, False)


def test_a_text_that_begins_with_a_hexadecimal_line_is_no_chunk() -> None:
    """A word of the letters a to f on the first line is a word."""
    text = b"feed\r\n" + b"the cattle\r\n" * 9_000
    assert unchunked(text, announced=True).body == text


@pytest.mark.parametrize("coding", CODINGS)
def test_codings(coding: str) -> None:
    """Every content coding of the web is undone, and one that was undone already is left alone."""
    assert body(http(CODINGS[coding], Content_Encoding=coding)) == (PAGE, ())
    assert body(http(PAGE, Content_Encoding=coding)) == (PAGE, ())
    assert body(http(chunked(CODINGS[coding]), Content_Encoding=coding, Transfer_Encoding="chunked")) == (PAGE, ())


def test_bare_deflate_and_several_members() -> None:
    """What many servers call deflate; gzip members that follow each other."""
    assert body(http(deflated(PAGE, -15), Content_Encoding="deflate")) == (PAGE, ())
    assert body(http(gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:]), Content_Encoding="gzip")) == (PAGE, ())


def test_codings_inside_each_other() -> None:
    """The header lists them in the order they were applied."""
    twice = gzip.compress(CODINGS["br"])
    assert body(http(twice, Content_Encoding="br, gzip")) == (PAGE, ())


def test_a_coding_that_no_header_names() -> None:
    """A packed page served without a word is unpacked by its magic number."""
    assert body(http(CODINGS["gzip"])) == (PAGE, ())
    assert body(http(CODINGS["gzip"], Content_Encoding="utf-8")) == (PAGE, ())


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "br"])
def test_cut_bodies_are_kept_as_far_as_they_go(coding: str) -> None:
    """Crawlers cut large bodies; what was packed of them is not lost."""
    text = noise(400_000).encode()
    packed = {
        "gzip": gzip.compress(text),
        "deflate": deflated(text, 15),
        "zstd": zstandard.compress(text),
        "br": brotli.compress(text, quality=4),
    }[coding]
    data, faults = body(http(packed[: len(packed) * 3 // 4], Content_Encoding=coding))
    assert faults == (f"{coding}_cut",)
    assert len(data) > len(text) // 3
    assert text.startswith(data)


def test_a_damaged_body_is_kept_up_to_the_damage() -> None:
    """A gzip body with wrong bytes in the middle."""
    text = noise(400_000).encode()
    packed = gzip.compress(text)
    data, faults = body(http(packed[:90_000] + b"\xff" * 64 + packed[90_064:], Content_Encoding="gzip"))
    assert faults == ("gzip_cut",)
    assert len(data) > len(text) // 4


def test_a_body_in_no_coding_is_left_as_it_is() -> None:
    """What is called br and is not, and is no text either, is given as it came."""
    junk = bytes(range(255, -1, -1))
    assert body(http(junk, Content_Encoding="br")) == (junk, ("br_unreadable",))


def test_a_bomb_ends_at_the_limit() -> None:
    """No coding unpacks much more than the limit."""
    zeros = bytes(10_000_000)
    packers = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}
    for coding, packed in ((coding, pack(zeros)) for coding, pack in packers.items()):
        data, _ = body(http(packed, Content_Encoding=coding), most=1_000_000)
        assert 1_000_000 < len(data) <= 10_000_000


def test_header_fields() -> None:
    """Names without case, folded lines, repeated names, a missing body."""
    response = response_of(
        b"HTTP/1.0 200\r\nCONTENT-type: text/html;\r\n charset=GBK\r\nA: 1\r\na: 2\r\nodd\r\n\r\nbody"
    )
    assert response is not None
    assert (response.status, response.body) == (200, b"body")
    assert (response.content_type, response.fields["a"]) == ("text/html; charset=GBK", "1, 2")
    several = response_of(b"HTTP/1.1 200 OK\r\nX-Robots-Tag: a: nofollow\r\nx-robots-tag: noindex\r\n\r\n")
    assert several is not None
    assert rights_headers(several.fields) == {"x-robots-tag": "a: nofollow\nnoindex"}
    cut = response_of(b"HTTP/1.1 404 Not Found\r\nServer: x")
    assert cut is not None
    assert (cut.status, cut.body) == (404, b"")
    assert response_of(b"GET / HTTP/1.1\r\n\r\n") is None


@pytest.mark.parametrize(
    ("content_type", "media", "charset"),
    [
        ("text/html; charset=utf-8", "text/html", "utf-8"),
        ('Text/HTML;Charset="GB2312"', "text/html", "GB2312"),
        ("text/html; charset='big5'; x=y", "text/html", "big5"),
        ("text/html; charset=", "text/html", None),
        ("text/html, text/plain", "text/html", None),
        ("", "", None),
    ],
)
def test_content_types(content_type: str, media: str, charset: str | None) -> None:
    """Media types and charsets as servers spell them."""
    assert (media_type(content_type), charset_of(content_type)) == (media, charset)
