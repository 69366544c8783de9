"""Names of charsets: one place says how each is called and by what it is read."""

from __future__ import annotations

import codecs

import pytest

from headrace.stages.decoding.charsets import ESCAPING, NUMBERED, WIDE, codec_of

OF_OUR_OWN = {"euc-tw", "iso-2022-cn"}


@pytest.mark.parametrize("name", sorted({*NUMBERED, *ESCAPING, *WIDE} - OF_OUR_OWN))
def test_names_are_those_of_python(name: str) -> None:
    """What stands in the column `encoding` is what Python calls its codec, and reads itself."""
    assert codecs.lookup(name).name == name
    assert codec_of(name) == ("big5hkscs" if name == "cp950" else name)


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("GB2312", "gb18030"),
        (" gbk ", "gb18030"),
        ("CP936", "gb18030"),
        ("hz-gb-2312", "hz"),
        ("Big5", "big5hkscs"),
        ("ms950", "big5hkscs"),
        ("Shift_JIS", "cp932"),
        ("windows-31j", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("x-euc-tw", "euc-tw"),
        ("EUC-TW", "euc-tw"),
        ("ISO-2022-CN", "iso-2022-cn"),
        ("latin1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("TIS-620", "cp874"),
        ("macintosh", "mac-roman"),
        ("utf-8-sig", "utf-8"),
        ("UTF-16", "utf-16-le"),
    ],
)
def test_labels_are_read_by_what_is_found_under_them(label: str, codec: str) -> None:
    """A narrow label gives the superset that the web finds there."""
    assert codec_of(label) == codec


@pytest.mark.parametrize("label", [None, "", "no-such-charset", "base64", "rot13", "idna", "punycode", "utf-7", "a\0b"])
def test_what_is_no_charset_is_none(label: str | None) -> None:
    """Transformations of bytes, names of hosts and nonsense are no charsets."""
    assert codec_of(label) is None
