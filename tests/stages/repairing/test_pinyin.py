"""Annotated pages are restored, pages that only look like one are left."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from headrace.stages.kernels.characters import simplified
from headrace.stages.repairing import pinyin
from headrace.stages.repairing.pinyin import unannotated
from headrace.stages.repairing.readings import fits

PAGE = "水車轉動，渠水不斷。閘門提得過高，水車轉得過快，現場的石磨會發熱；，FP現在優化詢問，詢價優"
CHOSEN = {"車": "chē", "轉": "zhuǎn", "過": "guò", "現": "xiàn", "詢": "xún"}


def annotate(page: str) -> str:
    """Do what the copier does: put each chosen code's reading behind it, wherever its bytes are found."""
    codes = {character.encode("gbk"): f"({reading})".encode() for character, reading in CHOSEN.items()}
    data, at, out = page.encode("gbk"), 0, b""
    while at < len(data):
        code = data[at : at + 2]
        step = 2 if code in codes else 1
        out += data[at : at + step] + codes.get(code, b"").replace("ē".encode(), b"\xff").replace(b"\xff", "ē".encode())
        at += step
    return read_back(out)


def read_back(data: bytes) -> str:
    """Read GBK with annotations in UTF-8 between: those are cut out first."""
    parts = re.split(b"(\\([a-z\x80-\xff]{2,9}\\))", data)
    marked = b"".join(b"(%d)" % (i // 2) if i % 2 else part for i, part in enumerate(parts))
    return re.sub("\\((\\d+)\\)", lambda m: parts[2 * int(m[1]) + 1].decode(), marked.decode("gbk", "replace"))


def test_a_page_is_restored() -> None:
    """Annotations behind characters and behind a Latin letter go, and the page is simplified by character."""
    page = "水車轉動，渠水不斷。閘門提得過高，水車轉得過快；，FP的現場"
    polluted = annotate(page)
    assert "，F(xiàn)P" in polluted
    assert unannotated(polluted) == (page.translate(simplified()), polluted.count("("))


def test_a_torn_character_is_mended_as_far_as_its_bytes_exist() -> None:
    """The byte before an annotation is known from its code, the one that slipped away behind stays lost."""
    polluted = annotate("水車轉動，性優化。現在過去，詢問水車")
    assert "性\ufffd(xún)灮\ufffd" in polluted
    mended, count = unannotated(polluted)
    assert mended == "水车转动，性优\ufffd。现在过去，询问水车"
    assert count == polluted.count("(")


def test_what_no_code_explains_stays_lost() -> None:
    """U+FFFD without the lead byte of a chosen code before it is never guessed."""
    page = annotate("水車轉動，現在過去，水車轉動")
    assert unannotated(page + "影響極\ufffd\ufffd；有\ufffd(xún)聲")[0].endswith("影响极\ufffd\ufffd；有\ufffd(xún)声")


@pytest.mark.parametrize(
    "text",
    [
        "“魑魅(chī mèi)”二字，参见“汆(cuān)”条，又名粿(guǒ)、㸆(kào)。",
        "水車(chē)轉動，水車不停；轉(zhuǎn)動不停，過(guò)了又過(guò)",  # not at each occurrence
        "鸕(lú)鶿(cí)與鱖(guì)、鱘(xún)、鯡(fēi)皆魚也",  # rare characters, as glosses have
        "我(wǒ)們(men)讀(dú)書(shū)，他(tā)不(bù)看(kàn)書(shū)",  # a reader: all characters
        "水車(zhuǎn)轉(chē)動(guò)過(xiàn)現(dòng)",  # readings that do not fit
        "水車(chē)轉(zhuǎn)動",  # too little to be a pattern
        "f(é) g(ù) h(ò)",
        "水車轉動，渠水不斷。",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    """Glosses, partial patterns, readers and traditional pages come back untouched."""
    assert unannotated(text) == (text, 0)


def test_a_gloss_in_a_polluted_page_stays() -> None:
    """What the pattern does not explain is a gloss, and is kept."""
    page = annotate("水車轉動，現在過去，水車轉動，現場過渡，水車轉過，現在水車，現場轉過") + "，“汆(cuān)”"
    assert unannotated(page)[0].endswith("，“汆(cuān)”")


def test_readings() -> None:
    """Every reading of a character fits, in either composition; others do not."""
    assert fits("調", "diào")
    assert fits("調", "tiáo")
    assert fits("還", "hua\u0301n")
    assert not fits("調", "diao")
    assert not fits("x", "xī")


def test_work_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a page of four times the length four times as much is encoded and read again, of any other page nothing."""
    work = Counter[str]()
    encode, decode = pinyin._gbk, pinyin._decoded

    def encoded(text: str) -> bytes:
        work["characters"] += len(text)
        return encode(text)

    def decoded(data: bytes) -> str:
        work["bytes"] += len(data)
        return decode(data)

    monkeypatch.setattr(pinyin, "_gbk", encoded)
    monkeypatch.setattr(pinyin, "_decoded", decoded)

    def cost(count: int) -> int:
        work.clear()
        unannotated("".join(f"{chr(0x4E00 + i)}(shù)" for i in range(count)) + "\ufffd(xún)灮" * count)
        assert not work  # no page that was annotated
        assert unannotated(annotate(PAGE * count))[1] > count
        return work.total()

    assert 0 < cost(2_000) <= 4.1 * cost(500)
