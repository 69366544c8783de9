"""Names of archive members: bytes in a charset that archives hardly ever state."""

from __future__ import annotations

from collections.abc import Iterable

_ZIP_DEFAULT = "cp437"  # what the zip format says where its UTF-8 flag is not set; writers use their own charset


def member_name(name: bytes, *, zipped: bool) -> str:
    """Give a name as text: UTF-8 if it can be, else the charset of an East Asian system that it reads in, else Western.

    It is a name alone, part of `doc_id`: nothing is ever written under it.
    """
    try:
        return name.decode()
    except UnicodeDecodeError:
        pass
    for codec, common in (("gb18030", _gb2312), ("big5", _big5), ("cp932", _kana)):
        if common(name):
            try:
                return name.decode(codec)
            except UnicodeDecodeError:
                continue
    return name.decode(_ZIP_DEFAULT if zipped else "latin-1")


def _gb2312(name: bytes) -> bool:
    """Say whether all double bytes are symbols, kana or Han characters of GB 2312, most of them of its first level."""
    pairs = _pairs(name, range(0xA1, 0xF8))
    return pairs is not None and all(trail >= 0xA1 for _, trail in pairs) and _most(lead < 0xD8 for lead, _ in pairs)


def _big5(name: bytes) -> bool:
    """Say whether all double bytes are symbols or Han characters of Big5, most of them of its first level."""
    pairs = _pairs(name, range(0xA1, 0xFA))
    return pairs is not None and _most(0xA4 <= lead <= 0xC6 for lead, _ in pairs)


def _kana(name: bytes) -> bool:
    """Say whether double bytes are kana or common kanji of Shift JIS."""
    pairs = _pairs(name, (*range(0x81, 0xA0), *range(0xE0, 0xEB)))
    return pairs is not None and _most(lead in (0x82, 0x83) or 0x88 <= lead <= 0x97 for lead, _ in pairs)


def _pairs(name: bytes, leads: tuple[int, ...] | range) -> list[tuple[int, int]] | None:
    """Take the double bytes out of the ASCII around them; None where something else is between."""
    pairs, at = [], 0
    while at < len(name):
        if name[at] < 0x80:
            at += 1
        elif name[at] in leads and at + 1 < len(name):
            pairs.append((name[at], name[at + 1]))
            at += 2
        else:
            return None
    return pairs


def _most(flags: Iterable[bool]) -> bool:
    found = list(flags)
    return 2 * sum(found) >= len(found)
