"""What codes mean: as in Python's codecs, and where those lack something or are too old, as in the standards."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from headrace.stages.decoding.charsets import NUMBERED, PAGES
from headrace.stages.decoding.cns11643 import cns_planes, iconv_planes, write_planes
from headrace.stages.decoding.decoder import decode

GB18030_2022 = {
    "A6D9": "︐",
    "A6DA": "︒",
    "A6DB": "︑",
    "A6DC": "︓",
    "A6DD": "︔",
    "A6DE": "︕",
    "A6DF": "︖",
    "A6EC": "︗",
    "A6ED": "︘",
    "A6F3": "︙",
    "A8BC": "ḿ",
    "A8BF": "ǹ",
    "A989": "〾",
    "A98A": "⿰",
    "A995": "⿻",
    "FE50": "⺁",
    "FE51": "𠂇",
    "FE52": "𠂉",
    "FE53": "𠃌",
    "FE59": "龴",
    "FE61": "龵",
    "FE66": "龶",
    "FE67": "龷",
    "FE6C": "𡗗",
    "FE6D": "龸",
    "FE76": "𢦏",
    "FE7E": "龹",
    "FE90": "龺",
    "FE91": "𤇾",
    "FEA0": "龻",
    "80": "€",
    "A2E3": "€",
    "84318236": "︐",
    "8135F437": "ḿ",
    "82359037": "龴",
    "95328236": "𠀀",
    "8431A437": "\ufffd",
    "E3329A35": "\U0010ffff",
}


@pytest.mark.parametrize("code", GB18030_2022)
def test_gb18030_is_that_of_2022(code: str) -> None:
    """Code points that were private before 2022 are public now, 0x80 is the euro, and U+FFFD can be a character."""
    found = decode(bytes.fromhex(code), encoding="gb18030")
    assert (found.text, found.lost) == (GB18030_2022[code], 0)


@pytest.mark.parametrize(("name", "codec"), [(name, name) for name in ("cp932", "cp949", "johab", "euc_jp", "cp950")])
def test_double_byte_codes_are_pythons(name: str, codec: str) -> None:
    """Every code that a codec of Python knows gives the same text."""
    number = NUMBERED.index(name)
    assert number < 8
    for lead in range(0x81, 0xFF):
        for trail in range(0x31, 0xFF):
            code = bytes((lead, trail))
            try:
                wanted = code.decode(codec)
            except UnicodeDecodeError:
                continue
            if len(wanted) == 1:
                found = decode(code, encoding="big5" if name == "cp950" else name).text
                in_other_layout = name == "cp950" and 0xC6A1 <= lead << 8 | trail <= 0xC8FE
                assert in_other_layout or found == wanted, code.hex()


@pytest.mark.parametrize("page", [name for name, _, _ in PAGES])
def test_pages_are_pythons(page: str) -> None:
    """Every byte of a page gives what Python gives, or U+FFFD where Python refuses it."""
    for byte in range(1, 256):
        found = decode(bytes((byte,)), encoding=page)
        wanted = bytes((byte,)).decode(page, "replace")
        assert (found.text, found.lost) == (wanted, int(wanted == "\ufffd")), hex(byte)


def test_big5_has_hong_kong_and_both_layouts() -> None:
    """HKSCS and its letters with marks are read; of the two places of kana, the one that gives likelier text wins."""
    assert decode(b"\x88\x62\x88\xa5", encoding="big5").text == "\u00ca\u0304\u00ea\u030c"
    assert decode("嘅喺啲𠝹".encode("big5hkscs"), encoding="big5").text == "嘅喺啲𠝹"
    for codec in ("big5hkscs", "cp950"):
        text = "資料前處理的第一步，のアクセス，先清洗再去除重複。"
        assert decode(text.encode(codec)).text == text


@pytest.mark.slow
def test_every_code_of_the_web(corpus: Path) -> None:
    """The web's table of Big5, code by code; F9FE alone is the block that CP950 has there."""
    folder = corpus / "enc" / "encoding_rs"
    coded = (folder / "big5_in.txt").read_bytes().split(b"\n")
    wanted = (folder / "big5_in_ref.txt").read_text(encoding="utf-8").split("\n")
    different = {text for data, text in zip(coded, wanted, strict=True) if decode(data, encoding="big5").text != text}
    assert different == {"￭"}


def test_the_file_of_cns_11643_is_that_of_iconv(tmp_path: Path) -> None:
    """Where glibc's iconv is installed, its mapping is what the file holds, and written again it is the same file."""
    if (
        not shutil.which("iconv")
        or b"LIBC" not in subprocess.run(["iconv", "--version"], capture_output=True).stdout.upper()
    ):
        pytest.skip("no iconv of glibc")
    planes = iconv_planes()
    assert (planes == cns_planes()).all()
    write_planes(planes, tmp_path / "again.xz")
    packaged = Path(__file__).parents[3] / "stages" / "decoding" / "cns11643.xz"
    assert (tmp_path / "again.xz").read_bytes() == packaged.read_bytes()


def test_cns_11643_is_read_in_both_charsets() -> None:
    """A character of plane 1, of plane 2 and of plane 15, in EUC-TW and ISO-2022-CN."""
    assert decode(b"\xc4\xa1\x8e\xa2\xa1\xa1\x8e\xaf\xa1\xa5", encoding="euc-tw").text == "一乂\U00020092"
    assert decode(b"\x1b$)G\x1b$*H\x0e\x44\x21\x1bN\x21\x21\x0f.", encoding="iso-2022-cn").text == "一乂."
