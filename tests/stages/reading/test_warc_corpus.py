"""Real and broken WARC files of the corpus: the right outcome of each."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.stages.reading.made_warcs import Outcome, about, read_afresh, read_file

SENTENCE = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"


def texts(found: Outcome) -> list[str]:
    """Give the documents' bytes as UTF-8."""
    return [data.decode() for data in found.bodies]


def faults(found: Outcome) -> list[tuple[str, int]]:
    """Give reason and offset of what was quarantined."""
    return [(reason, offset) for verdict, reason, offset in found.reasons if verdict == "quarantined"]


def test_bug_055_a_cut_last_member(corpus: Path) -> None:
    """webrecorder/warcio#138: the first record is read and the cut is reported."""
    found = read_file(corpus / "bugs" / "055-cut-last-member.warc.gz")
    assert [row["url"] for row in found.rows] == ["http://example.net/1"]
    assert "第1页的正文在这里。" in texts(found)[0]
    assert faults(found) == [("truncated", 505)]
    assert "byte 294 of the file" in found.faults[0]["detail"]


def test_bug_057_no_blank_lines_between_records(corpus: Path) -> None:
    """webrecorder/warcio#131: two records."""
    found = read_file(corpus / "bugs" / "057-no-blank-between.warc")
    assert [re.sub(r"<[^>]*>", "", text).strip() for text in texts(found)] == ["甲" * 6, "乙" * 6]
    assert found.faults == []


def test_bug_059_a_corrupt_last_record(corpus: Path) -> None:
    """ukwa/webarchive-discovery#165: the first record, one error, and the end."""
    found = read_file(corpus / "bugs" / "059-corrupt-last.warc.gz")
    assert [row["url"] for row in found.rows] == ["http://example.net/1"]
    assert faults(found) == [("corrupt", 505)]


def test_bug_061_chunked_both_ways(corpus: Path) -> None:
    """netarchivesuite/solrwayback#58: both bodies are right, and no chunk size is in the text."""
    found = read_file(corpus / "bugs" / "061-chunked-both-ways.warc")
    first, second = texts(found)
    assert re.fullmatch(r"<html><body><p>(没有分块。)+</p></body></html>", first)
    assert re.fullmatch(r"<p>(真的分块。)+</p>", second)
    assert found.faults == []


@pytest.mark.parametrize("name", ["good.warc", "good.warc.gz", "single-gzip.warc.gz"])
def test_made_good_files(corpus: Path, name: str) -> None:
    """Three responses, in one gzip member too."""
    found = read_file(corpus / "bad" / "made" / name)
    assert [row["url"] for row in found.rows] == [f"http://example.org/{n}" for n in range(3)]
    assert all(SENTENCE in text for text in texts(found))
    assert found.faults == []


def test_made_cut_in_last(corpus: Path) -> None:
    """Two records, and the cut with its offset."""
    found = read_file(corpus / "bad" / "made" / "cut-in-last.warc.gz")
    assert (len(found.rows), faults(found)) == (2, [("truncated", 2182)])


def test_made_middle_member_corrupt(corpus: Path) -> None:
    """Records 1 and 3 are read, record 2 is reported."""
    found = read_file(corpus / "bad" / "made" / "middle-member-corrupt.warc.gz")
    assert [row["url"] for row in found.rows] == ["http://example.org/0", "http://example.org/2"]
    assert all(SENTENCE in text for text in texts(found))
    assert [(f["reason"], f["url"]) for f in found.faults] == [("corrupt", "http://example.org/1")]
    assert found.faults[0]["detail"].endswith("reading goes on at byte 793")


def test_made_length_too_short(corpus: Path) -> None:
    """Records 1 and 3 are whole; so is record 2, whose wrong length is noted."""
    found = read_file(corpus / "bad" / "made" / "length-too-short.warc")
    assert [text.count(SENTENCE) for text in texts(found)] == [8, 8, 8]
    assert all(text.endswith("</html>") for text in texts(found))
    assert found.mended == [[], ["content_length_too_short"], []]


def test_made_gbk_header(corpus: Path) -> None:
    """The charset of the HTTP header reaches the decoder."""
    (row,) = read_file(corpus / "bad" / "made" / "gbk-header.warc").rows
    assert row["declared"] == "GBK"
    assert SENTENCE in row["data"].decode("gbk")


def test_made_gzip_content_and_wet(corpus: Path) -> None:
    """A packed body is unpacked; a converted record is one text."""
    (packed,) = read_file(corpus / "bad" / "made" / "gzip-content.warc").rows
    assert SENTENCE in packed["data"].decode()
    (text,) = read_file(corpus / "bad" / "made" / "wet.warc").rows
    assert (text["format"], text["data"].decode()[: len(SENTENCE)]) == ("text", SENTENCE)


def test_made_empty(corpus: Path) -> None:
    """Nothing, and no error."""
    found = read_file(corpus / "bad" / "made" / "empty.warc.gz")
    assert (found.rows, found.faults) == ([], [])
    assert [f.note for part in found.parts for f in part.files] == ["empty"]


# File: documents, rows without one by reason, records that are no documents and mended faults by name.
FILES: dict[str, tuple[int, dict[str, int], dict[str, int]]] = {
    "archivesunleashed_aut/example.docs.warc.gz": (2, {"not_text": 7}, {"request": 9, "warcinfo": 3}),
    "archivesunleashed_aut/issue-514.warc": (1, {"http_status": 1}, {"metadata": 3, "request": 2, "warcinfo": 1}),
    "chatnoir-eu_chatnoir-resiliparse/block-sized-records.warc": (0, {"unknown_record": 3}, {}),
    "chatnoir-eu_chatnoir-resiliparse/warcfile.warc": (16, {}, {"metadata": 16, "request": 17, "warcinfo": 1}),
    "chatnoir-eu_chatnoir-resiliparse/warcfile.warc.gz": (16, {}, {"metadata": 16, "request": 17, "warcinfo": 1}),
    "commoncrawl_whirlwind-python/whirlwind.warc": (1, {}, {"metadata": 1, "request": 1, "warcinfo": 1}),
    "commoncrawl_whirlwind-python/whirlwind.warc.gz": (1, {}, {"metadata": 1, "request": 1, "warcinfo": 1}),
    "commoncrawl_whirlwind-python/whirlwind.warc.wat": (0, {}, {"metadata": 1, "warcinfo": 1}),
    "commoncrawl_whirlwind-python/whirlwind.warc.wat.gz": (0, {}, {"metadata": 1, "warcinfo": 1}),
    "commoncrawl_whirlwind-python/whirlwind.warc.wet": (1, {}, {"warcinfo": 1}),
    "commoncrawl_whirlwind-python/whirlwind.warc.wet.gz": (1, {}, {"warcinfo": 1}),
    "iipc_jwarc/cc.warc.gz": (1, {}, {}),
    "internetarchive_warc/crlf_at_1k_boundary.warc.gz": (1, {}, {}),
    "webrecorder_pywb/example-bad.warc.gz.bad": (1, {"http_status": 1}, {"request": 2, "revisit": 1, "warcinfo": 1}),
    "webrecorder_pywb/example-wpull.warc.gz": (1, {}, {"metadata": 1, "request": 1, "warcinfo": 1}),
    "webrecorder_pywb/example.arc": (1, {}, {"warcinfo": 1}),
    "webrecorder_pywb/example.warc.gz": (1, {"http_status": 1}, {"request": 2, "revisit": 1, "warcinfo": 1}),
    "webrecorder_pywb/example2.warc.gz": (1, {}, {"request": 1, "warcinfo": 1}),
    "webrecorder_pywb/httpbin-resource.warc.gz": (1, {}, {}),
    "webrecorder_warcio/bad.arc": (3, {}, {"content_length_missing": 3, "warcinfo": 1}),
    "webrecorder_warcio/example-bad-non-chunked.warc.gz": (1, {}, {"request": 2, "revisit": 1, "warcinfo": 2}),
    "webrecorder_warcio/example-digest.warc": (0, {}, {"request": 4}),
    "webrecorder_warcio/example-wget-bad-target-uri.warc.gz": (1, {}, {"metadata": 3, "request": 1, "warcinfo": 1}),
    "webrecorder_warcio/example.warc.gz": (1, {}, {"request": 2, "revisit": 1, "warcinfo": 2}),
    "webrecorder_warcio/post-test.warc.gz": (3, {}, {"request": 3}),
}


@pytest.mark.parametrize("name", FILES)
def test_real_files(corpus: Path, name: str) -> None:
    """The documents, and a name for everything that is none; cut into small units, the same."""
    documents, reasons, counts = FILES[name]
    path = corpus / "warc" / name
    found = read_file(path)
    assert len(found.rows) == documents
    assert Counter(reason for _, reason, _ in found.reasons) == reasons
    assert found.counts == counts
    again = read_afresh(path, 10_000)
    assert (again.rows, again.faults, again.counts) == (found.rows, found.faults, found.counts)


def test_the_two_forms_of_a_real_file_agree(corpus: Path) -> None:
    """A file and the same file packed give the same documents at the same offsets."""
    folder = corpus / "warc" / "chatnoir-eu_chatnoir-resiliparse"
    plain, packed = read_file(folder / "warcfile.warc"), read_file(folder / "warcfile.warc.gz")
    assert (plain.bodies, plain.offsets) == (packed.bodies, packed.offsets)


@pytest.mark.parametrize(
    ("index", "name"), [("example-arc-test.cdx", "example.arc"), ("post-test.cdx", "post-test.warc.gz")]
)
def test_offsets_are_those_of_the_index(corpus: Path, index: str, name: str) -> None:
    """The offset in the metadata is what a CDX file of the same archive says."""
    path = next((corpus / "warc").rglob(name))
    lines = next((corpus / "warc").rglob(index)).read_text().splitlines()[1:]
    indexed = {int(line.split()[-2]) for line in lines if line.split()[-1] == name}
    found = read_file(path, http_status="100-999")
    assert {about(row)["offset"] for row in found.rows} == indexed
