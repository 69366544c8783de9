"""Chinese read by the wrong table is read right where it can be, and left where it cannot."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from headrace.stages.repairing import double_bytes
from headrace.stages.repairing.double_bytes import mended_narrow, mended_wide, narrow_table, wide_reading
from headrace.stages.repairing.han_frequency import plausibility
from headrace.stages.repairing.mojibake import mended

PROSE = (
    "水车是古代劳动人民发明的灌溉工具，它利用水流的力量转动。",
    "我们学习历史的时候，应该了解这些发明对社会的影响。",
    "今天的天气很好，孩子们在公园里玩得很开心。",
    "数据清洗是训练模型的第一步，重复的内容应该删除。",
)
TRADITIONAL = (
    "水車是古代勞動人民發明的灌溉工具，它利用水流的力量轉動。",
    "我們學習歷史的時候，應該了解這些發明對社會的影響。",
)


def read_wrong(text: str, written: str, read: str) -> str:
    return text.encode(written).decode(read, "replace")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("水车是古代的发明", "水车是古代的发明"),
        ("孩子们在公园里玩", "孩子们在公园里玩"),
        ("我们学习历史和语言", "我们学习历史和语\ufffd"),
        (PROSE[1], PROSE[1].replace("。", "\ufffd")),
        (PROSE[2], PROSE[2].replace("开心。", "\ufffd心\ufffd")),
        (TRADITIONAL[1], TRADITIONAL[1].replace("我們", "我\ufffd").replace("候", "\ufffd").replace("。", "\ufffd")),
    ],
)
def test_utf8_read_as_gb(text: str, expected: str) -> None:
    """UTF-8 read as GBK comes back; a character of which a byte is gone is one U+FFFD, and no other is."""
    assert mended_wide(read_wrong(text, "utf-8", "gb18030")) == expected


@pytest.mark.parametrize("text", PROSE)
def test_gb_read_as_latin(text: str) -> None:
    """GBK read as Latin-1 or Windows-1252 comes back whole."""
    assert mended_narrow(read_wrong(text, "gb18030", "latin-1")) == text


@pytest.mark.parametrize("text", TRADITIONAL)
def test_big5_read_as_others(text: str) -> None:
    """Big5 read as Latin-1 or as GBK comes back whole."""
    assert mended_narrow(read_wrong(text, "cp950", "latin-1")) == text
    assert mended_wide(read_wrong(text, "cp950", "gb18030")) == text


def test_many_lines_speak_for_short_ones() -> None:
    """A line of two characters is read by the table that the other lines of its document prove."""
    lines = [*PROSE, "目录", "第一章"]
    garbled = [read_wrong(line, "gb18030", "latin-1") + "\n" for line in lines]
    between = ["plain\n", read_wrong("在 x 中", "gb18030", "latin-1"), "café"]
    assert mended(garbled, between) == ([line + "\n" for line in lines], ["plain\n", "在 x 中", "café"])
    assert mended([], between) == ([], between)
    table, worthwhile = narrow_table([read_wrong(line, "gb18030", "latin-1") for line in lines])
    assert table is not None
    assert worthwhile


def test_a_euro_sign_is_the_byte_0x80() -> None:
    """Readers of GBK show a byte 0x80 without partner as the euro sign; its bytes are A2 E3 elsewhere."""
    assert mended_wide("涓€鍒囬兘濂�") == "一切都�"
    assert mended_wide("价格：100€，便宜") == "价格：100€，便宜"


def test_marks_that_are_right_stay() -> None:
    """Beside right text a run ends at its mark, though a byte was lost without a trace."""
    assert mended_wide("标题：鍖椾含澶у，今天") == "标题：北京大\ufffd，今天"


@pytest.mark.parametrize(
    "text",
    [
        *PROSE,
        *TRADITIONAL,
        "┌──────┐│━━━━━━━━│",
        "Мельничное колесо вращается и вода не иссякает",
        "軋軋重門俄徹扃，欹枕聽寒雞",
        "□□□□孰可儔",
        "锟斤拷锟斤拷锟斤拷",
        "水車は回り、水路は決して涸れない。",
        "联通",
        "",
    ],
)
def test_what_is_right_or_lost_stays(text: str) -> None:
    """Prose of both scripts, verse, boxes, other languages and what is lost for good are left alone."""
    assert mended_wide(text) == text
    assert mended([text]) == ([text], [])


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("물레방아는 돌고 물길은 마르지 않는다. 우리는 물을 아껴야 한다.", "cp949"),
        ("水車は回り、水路は決して涸れない。私たちは水を大切にする。", "euc_jp"),
        ("Мельничное колесо вращается, и вода не иссякает никогда", "cp1251"),
        ("Мельничное колесо вращается, и вода не иссякает никогда", "koi8_r"),
        ("Ο τροχός του μύλου γυρίζει και το νερό δεν στερεύει", "iso8859_7"),
    ],
)
def test_other_languages_read_as_latin_never_become_chinese(text: str, charset: str) -> None:
    """Bytes of Korean, Japanese, Russian and Greek have readings as Chinese too; none is convincing."""
    garbled = read_wrong(text, charset, "latin-1")
    assert mended_narrow(garbled) == garbled
    assert wide_reading(garbled) is None


def test_plausibility() -> None:
    """Common words are convincing, the same number of rare characters is not, and a text without Han never is."""
    assert plausibility("我们学习历史").convincing
    assert plausibility("我們學習歷史") == plausibility("我们学习历史")
    assert not plausibility("鍖椾含甯傛捣").convincing
    assert not plausibility("mill").convincing
    assert plausibility("") == (0.0, 0, 0)


@pytest.mark.parametrize("sentences", [10, 40, 400])
@pytest.mark.parametrize("charset", ["gb18030", "big5"])
def test_a_paragraph_of_any_length_is_read_right(sentences: int, charset: str) -> None:
    """A run without an ASCII character may be a page long, and repeats its characters as any text does."""
    prose = TRADITIONAL if charset == "big5" else PROSE
    text = "".join(prose[n % len(prose)] for n in range(sentences))
    assert mended([read_wrong(text, charset, "latin-1")]) == ([text], [])


@pytest.mark.parametrize("garbage", ["latin-1", "cp1252", "gb18030"])
def test_garbage_costs_its_length(garbage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random bytes that no table can read: of four times the length, no more than four times as much is read again."""
    read: list[int] = []
    whole_read = double_bytes._read

    def counted(encode: Callable[[str], bytes], decode: Callable[[bytes], str], text: str) -> str | None:
        read.append(len(text))
        return whole_read(encode, decode, text)

    monkeypatch.setattr(double_bytes, "_read", counted)
    costs = []
    for length in (20_000, 80_000):
        read.clear()
        text = random.Random(3).randbytes(length).decode(garbage, "replace")
        mended([line for line in text.split("\n") if line])
        costs.append(sum(read))
    assert 0 < costs[1] <= 5 * costs[0]
    assert costs[1] <= 20 * 80_000


def test_runs_that_fail_do_not_hide_those_that_can_be_read() -> None:
    """A hundred ordinary runs in a line are no reason to give the last one up; thousands of hopeless ones are."""
    good, garbled = "今天的天气很好。", read_wrong("孩子们在公园里玩", "utf-8", "gb18030")
    assert mended_wide(good * 150 + garbled).endswith("孩子们在公园里玩")
    swapped = read_wrong(TRADITIONAL[0], "cp950", "gb18030")
    hopeful, hopeless = double_bytes.Tried(failed=1000, mended=1), double_bytes.Tried(failed=1000)
    assert mended_wide(f"{good}{swapped}", hopeful).endswith(TRADITIONAL[0])
    assert mended_wide(f"{good}{swapped}", hopeless) == f"{good}{swapped}"
