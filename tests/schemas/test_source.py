"""A source's options: what they take, and what they refuse."""

from __future__ import annotations

from encodings.aliases import aliases

import pytest
from pydantic import ValidationError

from headrace.schemas.source import Source
from headrace.stages.decoding import charsets

NAMES = sorted({*aliases, *aliases.values(), *charsets._OWN, *charsets._SUPERSETS, *charsets._NO_CHARSETS})


def accepts(name: str) -> bool:
    """Say whether a source may declare a charset."""
    try:
        return Source(name="s", paths=("f",), encoding=name).encoding == name
    except ValidationError:
        return False


def test_a_source_may_declare_every_charset_that_decoding_knows() -> None:
    """Python's names, those of the web and those of euc-tw and iso-2022-cn, in capitals too; no others."""
    assert accepts("euc-tw")
    assert accepts("iso-2022-cn")
    for name in (*NAMES, *map(str.upper, NAMES), "utf-9", "", "utf-8\0"):
        assert accepts(name) == (charsets.codec_of(name) is not None), name


@pytest.mark.parametrize("name", ["base64", "rot13", "utf-7", "gb18031"])
def test_what_is_no_charset_is_refused(name: str) -> None:
    """Codecs that turn no bytes into text count as unknown, and the message names some charsets that there are."""
    with pytest.raises(ValidationError, match=f"there is no charset '{name}'; gb18030"):
        Source(name="s", paths=("f",), encoding=name)
