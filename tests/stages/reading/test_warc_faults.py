"""Faults of WARC files: each costs what it hits, is named with its place, and nothing else is lost."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.stages.reading.made_warcs import (
    ARC1,
    Outcome,
    blocks,
    frames,
    http,
    members,
    noise,
    page,
    read,
    record,
    responses,
)

from headrace.stages.reading import warc_heads


def damaged(data: bytes, at: int) -> bytes:
    """Change some bytes."""
    return data[:at] + bytes(255 - b for b in data[at : at + 4]) + data[at + 4 :]


def numbers(found: Outcome) -> list[str]:
    """Give the end of each document's URL."""
    return [row["url"].rpartition("/")[2] for row in found.rows]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.95])
def test_a_broken_member_costs_its_record(tmp_path: Path, share: float) -> None:
    """A gzip member that does not unpack is one fault; the records around it are read."""
    packed = [gzip.compress(r, mtime=0) for r in responses(5)]
    begin = len(packed[0]) + len(packed[1])
    data = damaged(b"".join(packed), begin + int(share * len(packed[2])))
    found = read(tmp_path, data, "a.warc.gz")
    assert numbers(found) == ["0", "1", "3", "4"]
    (fault,) = found.faults
    assert (fault["verdict"], fault["reason"]) == ("quarantined", "corrupt")
    assert f"byte {begin} of the file" in fault["detail"]
    assert fault["detail"].endswith(f"reading goes on at byte {begin + len(packed[2])}")


@pytest.mark.parametrize("flags", [0x02, 0x04, 0x08, 0x10])
def test_a_broken_member_header_costs_its_record(tmp_path: Path, flags: int) -> None:
    """Flags that announce fields which are not there: the record before is whole, and the one behind is found."""
    first, second, third = (gzip.compress(r, mtime=0) for r in responses(3))
    found = read(tmp_path, first + second[:3] + bytes([flags]) + second[4:] + third, "a.warc.gz")
    assert (numbers(found), len(found.faults)) == (["0", "2"], 1)


def test_a_wrong_checksum_is_no_document(tmp_path: Path) -> None:
    """All of the member unpacks, and is not what was packed."""
    first, second, third = (gzip.compress(r, mtime=0) for r in responses(3))
    found = read(tmp_path, first + second[:-8] + b"\0\0\0\0" + second[-4:] + third, "a.warc.gz")
    assert numbers(found) == ["0", "2"]
    assert [(f["reason"], "checksum" in f["detail"], f["url"]) for f in found.faults] == [
        ("corrupt", True, "http://example.org/1")
    ]


def test_a_broken_frame_costs_its_record(tmp_path: Path) -> None:
    """The same of zstd."""
    first, second, third = (frames([r]) for r in responses(3))
    found = read(tmp_path, first + damaged(second, 9) + third, "a.warc.zst")
    assert (numbers(found), len(found.faults)) == (["0", "2"], 1)


def test_records_in_one_member_are_kept_up_to_the_fault(tmp_path: Path) -> None:
    """Where one member holds all records, those before the fault are read."""
    packed = gzip.compress(b"".join(record(http(page(noise(3000, n))), n) for n in range(40)), mtime=0)
    found = read(tmp_path, damaged(packed, len(packed) // 2), "a.warc.gz")
    right = read(tmp_path, packed, "right.warc.gz")
    assert found.bodies[:19] == right.bodies[:19]
    assert found.faults[-1]["reason"] == "corrupt"


def test_records_that_straddle_members(tmp_path: Path) -> None:
    """A broken member of a file of fixed blocks costs the records that lie in it."""
    data = blocks(responses(40), 1000)
    found = read(tmp_path, damaged(data, len(data) // 2), "a.warc.gz")
    left = numbers(found)
    assert left[0] == "0"
    assert left[-1] == "39"
    assert 30 <= len(left) < 40
    assert found.faults


def test_a_cut_file_says_where(tmp_path: Path) -> None:
    """A file that ends early, packed or not: the records before the cut, and the fault with its offset."""
    records = responses(3)
    whole = sum(map(len, records[:2]))
    for name, data in (("a.warc.gz", members(records)), ("a.warc", b"".join(records)), ("a.warc.zst", frames(records))):
        found = read(tmp_path, data[:-60], name)
        assert numbers(found) == ["0", "1"]
        assert found.reasons == [("quarantined", "truncated", whole)]


def test_a_cut_header_and_a_cut_checksum(tmp_path: Path) -> None:
    """A header that ends with the file is a cut record; a record before a cut checksum is whole."""
    first, second = responses(2)
    assert read(tmp_path, first + second[:70]).reasons == [("quarantined", "truncated", len(first))]
    found = read(tmp_path, members([first, second])[:-4], "a.warc.gz")
    assert numbers(found) == ["0", "1"]
    assert [f["reason"] for f in found.faults] == ["truncated"]


def test_what_lies_between_members_is_named(tmp_path: Path) -> None:
    """Bytes that are no member cost no record."""
    first, second = (gzip.compress(r, mtime=0) for r in responses(2))
    found = read(tmp_path, first + b"no gzip at all" * 9 + second + b"tail", "a.warc.gz")
    assert numbers(found) == ["0", "1"]
    assert [(f["reason"], f["detail"]) for f in found.faults] == [
        (
            "corrupt",
            f"no gzip member begins at byte {len(first)} of the file; reading goes on at byte {len(first) + 126}",
        ),
        (
            "corrupt",
            f"no gzip member begins at byte {len(first + second) + 126} of the file; nothing follows",
        ),
    ]


def test_a_broken_beginning_does_not_hide_the_format(tmp_path: Path) -> None:
    """The ending says what the file is where its first bytes do not."""
    first, second = (gzip.compress(r, mtime=0) for r in responses(2))
    assert numbers(read(tmp_path, damaged(first, 20) + second, "a.warc.gz")) == ["1"]
    assert numbers(read(tmp_path, b"junk\n" * 20 + responses(1)[0], "a.warc")) == ["0"]


def test_a_packed_page_inside_a_broken_record_is_not_taken_for_a_record(tmp_path: Path) -> None:
    """A body that is gzip itself lies bare in the packed file; the search for the next record passes it by."""
    inner = gzip.compress(page("inner " * 500), mtime=0)
    middle = gzip.compress(record(http(inner, Content_Encoding="gzip"), 1), compresslevel=0, mtime=0)
    first, last = (gzip.compress(r, mtime=0) for r in responses(2))
    found = read(tmp_path, first + damaged(middle, len(middle) - 8) + last, "a.warc.gz")
    assert (numbers(found), len(found.faults)) == (["0", "1"], 1)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (lambda n: n - 30, "content_length_too_short"),
        (lambda n: n + 30, "content_length_too_long"),
        (lambda n: n + 10**6, "content_length_too_long"),
        (lambda n: None, "content_length_missing"),
        (lambda n: "many", "content_length_missing"),
        (lambda n: -1, "content_length_missing"),
    ],
)
def test_a_wrong_content_length_is_mended(tmp_path: Path, wrong: object, fault: str, packed: bool) -> None:  # noqa: FBT001
    """The block ends where the next record begins; all three pages are read, and the document says what was wrong."""
    assert callable(wrong)
    block, (first, last) = http(page()), responses(2)
    length = wrong(len(block))
    middle = record(block, 7, Content_Length=None if length is None else str(length))
    records = [first, middle, last]
    found = read(tmp_path, members(records) if packed else b"".join(records), "a.warc.gz" if packed else "a.warc")
    assert (numbers(found), found.faults) == (["0", "7", "1"], [])
    assert found.bodies[1] == page()
    assert (found.mended, found.counts) == ([[], [fault], []], {fault: 1})


def test_a_length_that_leaves_the_file_is_a_cut(tmp_path: Path) -> None:
    """Nobody can say whether the last record is cut or its length is wrong."""
    found = read(tmp_path, record(http(page()), Content_Length="5000"))
    assert (found.rows, [f["reason"] for f in found.faults]) == ([], ["truncated"])


@pytest.mark.parametrize("between", [b"", b"\r\n", b"\n\n", b"\r\n" * 9, b"\r\n\r\n\r\n"])
def test_line_ends_between_records(tmp_path: Path, between: bytes) -> None:
    """Too few or too many blank lines cost nothing."""
    records = [r.removesuffix(b"\r\n\r\n") for r in responses(3)]
    found = read(tmp_path, between.join(records) + between)
    assert (numbers(found), found.faults, found.counts) == (["0", "1", "2"], [], {})


def test_a_byte_too_many_between_records(tmp_path: Path) -> None:
    """A separator with a wrong byte is not taken for a wrong length."""
    first, second = responses(2)
    found = read(tmp_path, first[:-1] + b"x" + second)
    assert (numbers(found), found.mended) == (["0", "1"], [["separator_damaged"], []])


def test_bytes_in_which_no_record_begins(tmp_path: Path) -> None:
    """Junk between records is named with its offset and its size."""
    first, second = responses(2)
    found = read(tmp_path, first + b"junk\n" * 300_000 + second)
    assert numbers(found) == ["0", "1"]
    assert [(f["reason"], f["offset"], f["value"]) for f in found.faults] == [("no_record", len(first), 1_500_000)]


def test_a_broken_header_costs_its_record(tmp_path: Path) -> None:
    """A version line that is none loses the record, by name; an odd header line loses nothing."""
    first, second, third = responses(3)
    found = read(tmp_path, first + second.replace(b"WARC/1.0", b"WARX/1.0") + third)
    assert (numbers(found), [f["reason"] for f in found.faults]) == (["0", "2"], ["no_record"])
    odd = second.replace(b"WARC-Date:", b"no colon here\r\nX\xff: \xfe\r\nWARC-Date:")
    assert numbers(read(tmp_path, first + odd + third)) == ["0", "1", "2"]


def test_a_page_about_warc_files_is_whole(tmp_path: Path) -> None:
    """A record inside a page is text where the page's length is right."""
    inner = page(responses(1)[0].decode())
    found = read(tmp_path, record(http(inner)) + responses(1)[0])
    assert (len(found.rows), found.bodies[0], found.counts) == (2, inner, {})


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "one.warc.gz"])
def test_a_record_over_the_limit_is_quarantined(tmp_path: Path, name: str) -> None:
    """It is named by its size, and the next record is read."""
    first, last = responses(2)
    large = record(http(page("x" * 3_000_000)), 7)
    records = [first, large, last]
    data = {"a.warc": b"".join, "a.warc.gz": members}.get(name, lambda r: gzip.compress(b"".join(r)))(records)
    found = read(tmp_path, data, name, max_record_bytes=1_000_000)
    assert numbers(found) == ["0", "1"]
    (fault,) = found.faults
    assert (fault["reason"], fault["threshold"], fault["offset"]) == ("record_too_large", 1_000_000, len(first))
    assert fault["value"] > 3_000_000


def test_a_large_picture_is_no_loss(tmp_path: Path) -> None:
    """What is no text anyway is dropped as such, whatever its size."""
    found = read(tmp_path, record(http(bytes(3_000_000), "video/mp4")), max_record_bytes=1_000_000)
    assert found.reasons == [("dropped", "not_text", 0)]


def test_a_bomb_is_given_up(tmp_path: Path) -> None:
    """A member that unpacks to far more than a record may have is left, and reading goes on behind it."""
    first, last = (gzip.compress(r, mtime=0) for r in responses(2))
    bomb = gzip.compress(record(http(bytes(40_000_000)), 7), mtime=0)
    found = read(tmp_path, first + bomb + last, "a.warc.gz", max_record_bytes=1_000_000)
    assert numbers(found) == ["0", "1"]
    assert [(f["reason"], f["url"]) for f in found.faults] == [("record_too_large", "http://example.org/7")]


def test_a_body_that_unpacks_beyond_the_limit(tmp_path: Path) -> None:
    """A small record may hold a large page."""
    body = gzip.compress(page("x" * 3_000_000))
    found = read(tmp_path, record(http(body, Content_Encoding="gzip")), max_record_bytes=1_000_000)
    assert [(f["reason"], f["threshold"]) for f in found.faults] == [("record_too_large", 1_000_000)]


def test_a_response_that_is_no_http(tmp_path: Path) -> None:
    """A block that is said to be HTTP and does not begin with a status line is named."""
    found = read(tmp_path, record(b"HTPP/1.1 200 OK\r\n\r\n" + page()))
    assert found.reasons == [("quarantined", "invalid_http", 0)]


def test_arc_faults(tmp_path: Path) -> None:
    """Lengths of ARC records that are no numbers, too long or too short."""
    block = http(page())
    wrong = (b"abc", b"-1", str(len(block) + 20).encode(), str(len(block) - 20).encode(), str(len(block)).encode())
    lines = (b"http://example.org/%d 1.2.3.4 20240301000000 text/html %s\n" % pair for pair in enumerate(wrong))
    found = read(tmp_path, ARC1 + b"".join(line + block + b"\n" for line in lines), "a.arc")
    assert (found.bodies, found.faults) == ([page()] * 5, [])
    assert [len(mended) for mended in found.mended] == [1, 1, 1, 1, 0]


def test_an_arc_line_without_its_last_fields(tmp_path: Path) -> None:
    """It begins no record; what follows is read."""
    line = b"http://example.org/1 1.2.3.4 20240301000000  \n"
    block = http(page())
    right = b"http://example.org/2 1.2.3.4 20240301000000 text/html %d\n" % len(block) + block + b"\n"
    found = read(tmp_path, ARC1 + line + right, "a.arc")
    assert (numbers(found), [f["reason"] for f in found.faults]) == (["2"], ["no_record"])


def test_a_bad_dictionary_is_named(tmp_path: Path) -> None:
    """A .warc.zst whose dictionary cannot be read gives that reason."""
    broken = b"\x28\xb5\x2f\xfd" + b"no frame"
    found = read(tmp_path, b"\x5d\x2a\x4d\x18" + len(broken).to_bytes(4, "little") + broken, "a.warc.zst")
    assert [(f["reason"], "dictionary" in f["detail"]) for f in found.faults] == [("corrupt", True)]


@pytest.mark.parametrize("over", range(1, 9))
def test_a_length_that_ends_inside_the_next_header_costs_nothing(tmp_path: Path, over: int) -> None:
    """A record whose length reaches into the first letters of the next one, as after a change of line ends."""
    first, second, third = responses(3)
    length = int(first.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    longer = first.replace(b"Content-Length: %d" % length, b"Content-Length: %d" % (length + 4 + over))
    found = read(tmp_path, longer + second + third, "a.warc")
    assert (numbers(found), found.faults) == (["0", "1", "2"], [])


@pytest.mark.parametrize("size", [*range((1 << 20) - 8, (1 << 20) + 3), 1 << 19])
def test_a_record_across_two_looks_is_found(tmp_path: Path, size: int) -> None:
    """Junk is looked through in pieces; a header that begins at the end of one is no junk."""
    first, second = responses(2)
    found = read(tmp_path, first + b"x" * (size - 1) + b"\n" + second, "a.warc")
    assert numbers(found) == ["0", "1"]


@pytest.mark.parametrize("piece", [b"WARC/1.0\r\n", b"WARC/1.0\r\na: b\r\n", b"WARC/1.0\r\n\r\n", b"WARC/"])
def test_many_first_lines_of_headers_are_looked_through_once(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two megabytes of them cost two megabytes of looking, not 64 kB for each."""
    looks: list[int] = []
    head_at = warc_heads.head_at

    def counted(buffer: bytes | bytearray, at: int) -> warc_heads.Head | None:
        end = buffer.find(b"\r\n\r\n", at, at + warc_heads.MOST_HEAD)
        looks.append((end if end >= 0 else at + warc_heads.MOST_HEAD) - at if buffer.startswith(b"WARC/1", at) else 0)
        return head_at(buffer, at)

    monkeypatch.setattr(warc_heads, "head_at", counted)
    data = piece * (2_000_000 // len(piece))
    assert warc_heads.find_head(data, 0, len(data), arc=False) is None
    assert sum(looks) <= 2 * len(data)


@pytest.mark.parametrize("replaced", [lambda _: noise(3000).encode(), lambda _: b"\x1f\x8b\x08" + b"\xff" * 99])
def test_a_fault_and_the_page_behind_it_have_different_ids(tmp_path: Path, replaced: Callable[[bytes], bytes]) -> None:
    """A member that gives nothing at all has a place of its own: explain would else show one of the two."""
    first, second, third = (gzip.compress(r, mtime=0) for r in responses(3))
    found = read(tmp_path, first + replaced(second) + third, "a.warc.gz")
    assert (numbers(found), len(found.faults)) == (["0", "2"], 1)
    assert len({*found.offsets, *(offset for _, _, offset in found.reasons)}) == 3
