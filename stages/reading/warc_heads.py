"""What stands in front of a record: the header of a WARC record (ISO 28500) or the line of an ARC record.

ARC: the "Arc File Format" of the Internet Archive, versions 1 (five fields) and 2 (ten fields).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

MOST_HEAD = 1 << 16  # a longer header is none: the longest that crawlers write are a few kB of URL
_WARC = re.compile(rb"WARC/[01]\.\d{1,2}[ \t]*\r?\n")
_WARC_END = re.compile(rb"\r?\n\r?\n")
_ARC = re.compile(
    rb"([A-Za-z][A-Za-z0-9+.-]{1,20}:[^ \t\r\n]*) ([0-9A-Fa-f.:]{2,45}|-) (\d{12,18}) ([^\r\n]{1,4096})\r?\n"
)
_BEGINS = re.compile(rb"WARC/[01]\.|[A-Za-z][A-Za-z0-9+.-]{1,20}:[^ \t\r\n]{0,8192} [0-9A-Fa-f.:-]{1,45} \d{12}")
_ARC_LINE = re.compile(rb"\n(?=[A-Za-z][A-Za-z0-9+.-]{1,20}:)")
_MARK = b"WARC/"
_LONGEST_SCHEME = 22
_LENGTH = re.compile(r"\d{1,18}")
_ARC_DESCRIPTION = "filedesc:"


@dataclass(frozen=True, slots=True)
class Head:
    """One record's header: its bytes up to the block, its fields by lower-case name, the length of the block.

    `length` is None where it is missing or no number. An ARC line has the fields of the WARC header it stands for.
    """

    size: int
    fields: Mapping[str, str]
    length: int | None

    @property
    def kind(self) -> str:
        """Give the record's type, empty where it says none."""
        return self.fields.get("warc-type", "").lower()


def head_at(buffer: bytes | bytearray, at: int) -> Head | None:
    """Read the header that begins at a place; None where none does, or where its end is not in the buffer."""
    return _warc_head(buffer, at) if buffer.startswith(_MARK, at) else _arc_head(buffer, at)


def may_begin(buffer: bytes | bytearray, at: int) -> bool:
    """Say whether what lies at a place looks like the beginning of a header, be it cut off or not."""
    return _BEGINS.match(buffer, at) is not None


def find_head(buffer: bytes | bytearray, begin: int, end: int, *, arc: bool) -> int | None:
    """Give the first place in [begin, end) where a whole header begins; that of an ARC only on a line of its own.

    Costs the length of the buffer, whatever it holds: a text of nothing but first lines of headers is made in a minute.
    """
    barren = begin
    for at in _arc_lines(buffer, begin, end) if arc else _warc_marks(buffer, begin, end):
        if at < barren:
            continue
        if head_at(buffer, at) is not None:
            return at
        barren = at if arc else _behind_barren(buffer, at)
    return None


def holds_head(data: bytes) -> bool:
    """Say whether bytes begin with a header, or hold that of a WARC record."""
    return may_begin(data, 0) or find_head(data, 0, len(data), arc=False) is not None


def _arc_lines(buffer: bytes | bytearray, begin: int, end: int) -> Iterator[int]:
    found = (match.end() for match in _ARC_LINE.finditer(buffer, max(0, begin - 1), end + _LONGEST_SCHEME))
    return takewhile(lambda at: at < end, found)


def _warc_marks(buffer: bytes | bytearray, begin: int, end: int) -> Iterator[int]:
    until = end + len(_MARK) - 1  # one that begins before the end may be longer
    at = buffer.find(_MARK, begin, until)
    while at >= 0:
        yield at
        at = buffer.find(_MARK, at + 1, until)


def _behind_barren(buffer: bytes | bytearray, at: int) -> int:
    """Give a place behind a mark that begins no header, before which no other mark can begin one.

    The header of a later mark would be the rest of the lines up to the same blank line.
    """
    if _WARC.match(buffer, at) is None:
        return at
    blank = _WARC_END.search(buffer, at)
    if blank is None:
        return len(buffer)
    return blank.start() if blank.end() <= at + MOST_HEAD else blank.end() - MOST_HEAD


def _warc_head(buffer: bytes | bytearray, at: int) -> Head | None:
    first = _WARC.match(buffer, at)
    end = _WARC_END.search(buffer, at, at + MOST_HEAD) if first else None
    if first is None or end is None:
        return None
    fields = _fields(bytes(buffer[first.end() : end.start()]).decode("utf-8", "backslashreplace"))
    if "warc-type" not in fields and "content-length" not in fields and "warc-record-id" not in fields:
        return None  # a line of a text about WARC files
    return Head(end.end() - at, fields, _number(fields.get("content-length", "")))


def _fields(text: str) -> dict[str, str]:
    """Give the first value of each name; a line that begins with white space continues the one before it."""
    fields: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1] in (" ", "\t"):
            fields[name] = f"{fields.get(name, '')} {line.strip()}".strip()
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon:
            fields.setdefault(name, value.strip())
    return fields


def _number(text: str) -> int | None:
    return int(text) if _LENGTH.fullmatch(text) else None


def _arc_head(buffer: bytes | bytearray, at: int) -> Head | None:
    line = _ARC.match(buffer, at, at + MOST_HEAD)
    if line is None:
        return None
    url, address, date, rest = (part.decode("utf-8", "backslashreplace") for part in line.groups())
    words = rest.split()
    if not words:
        return None
    fields = {
        "warc-type": "warcinfo" if url.startswith(_ARC_DESCRIPTION) else "response",
        "warc-target-uri": url,
        "warc-ip-address": address,
        "warc-date": date,
        "content-type": words[0],
        "arc": str(2 if len(words) > 2 else 1),
    }
    return Head(line.end() - at, fields, _number(words[-1]))
