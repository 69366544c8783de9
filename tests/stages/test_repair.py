"""Repair undoes faults, each by its switch and with its count, and leaves everything else as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.repair import REPAIRS, Repair, repaired

Tabled = Callable[..., pa.Table]


def read_wrong(text: str, written: str, read: str) -> str:
    return text.encode(written).decode(read, "replace")


# A text, the text mended, and the counts.
CASES: dict[str, tuple[str, str, dict[str, int]]] = {
    "UTF-8 as Windows-1252": ("It doesnâ€™t turn.", "It doesn’t turn.", {"mojibake": 1}),
    "UTF-8 as GBK": (
        read_wrong("今天的天气很好我们去公园", "utf-8", "gb18030"),
        "今天的天气很好我们去公园",
        {"mojibake": 1},
    ),
    "UTF-8 as GBK, a byte lost": (
        read_wrong("水车转动，水不断", "utf-8", "gb18030")[:-1],
        "水车转动，水不�",
        {"mojibake": 1},
    ),
    "UTF-8 as GBK, twice": (
        read_wrong(read_wrong("河边的水车慢慢转动", "utf-8", "gb18030"), "utf-8", "gb18030"),
        "河边的水车慢慢转�",
        {"mojibake": 1},
    ),
    "GBK as Latin-1": (read_wrong("河边的水车转动", "gb18030", "latin-1"), "河边的水车转动", {"mojibake": 1}),
    "Big5 as Latin-1": (read_wrong("河邊的水車轉動", "cp950", "latin-1"), "河邊的水車轉動", {"mojibake": 1}),
    "GBK as Big5": (
        read_wrong("学习中文很有意思我们每天都读书", "gb18030", "cp950"),
        "学习中文很有意思我们每天都读书",
        {"mojibake": 1},
    ),
    "Big5 as GBK": (
        read_wrong("今天的天氣很好我們去公園", "cp950", "gb18030"),
        "今天的天氣很好我們去公園",
        {"mojibake": 1},
    ),
    "garbled beside right": (
        "标题：" + read_wrong("北京大学", "utf-8", "gb18030") + "，好",
        "标题：北京大学，好",
        {"mojibake": 1},
    ),
    "pinyin": (
        "數(shù)據(jù)的關(guān)鍵，參數(shù)與環(huán)境",
        "数据的关键，参数与环境",
        {"pinyin": 5},
    ),
    "radicals": ("⽔⻋转动，⼈⼯磨⾯", "水车转动，人工磨面", {"look_alikes": 5}),
    "compatibility forms": ("神\ufa19社", "神神社", {"look_alikes": 1}),
    "zero width": ("wa\u200bter\u00adwheel\u2060", "waterwheel", {"zero_width": 3}),
    "joiners that join nothing": ("水\u200d车 a\u200cb", "水车 ab", {"zero_width": 2}),
    "selectors that select nothing": ("a\ufe0f \ufe0f水\U000e0100\U000e0101", "a 水\U000e0100", {"zero_width": 3}),
    "hidden tags": ("ok\U000e0041\U000e0042", "ok", {"zero_width": 2}),
    "controls": ("a\x00b\x07c\x7fd\te\nf", "abcd\te\nf", {"controls": 3}),
    "terminal": ("\x1b[1;31mred\x1b[0m \x1b]0;t\x07text \x1b]8;;u\x1b\\link", "red text link", {"controls": 25}),
    "unfinished sequence": ("a\x1b[", "a[", {"controls": 1}),
    "direction": ("\u202aleft\u202c \u2067right\u2069", "left right", {"bidi": 4}),
    "direction marks without need": ("水\u200e车\u200f", "水车", {"bidi": 2}),
    "line ends": ("a\r\nb\rc\x85水\u2028e\u2029f\vg\fh\n\ri", "a\nb\nc\n水\ne\nf\ng\nh\n\ni", {"line_ends": 8}),
    "a form feed among controls in a word": ("r\x1b[0m\f\x7fead o\0\v\1ne", "read one", {"controls": 9}),
    "form feeds beside controls": ("a\x1b[0m\fb c\f\x7fd. \0\f\0e", "a\nb c\nd. \ne", {"controls": 7, "line_ends": 3}),
    "C1 in Chinese": ("网页\x83文本\x92\n\x91\n3\x80 水", "网页文本\n\n3 水", {"controls": 4}),
    "C1 in Latin": ("l\x92été \x96 don\x92t 水\x83车", "l’été – don’t 水车", {"controls": 1, "mojibake": 1}),
    "C1 in Russian and Thai": ("да \x97 нет\x80\n\x95ยา", "да — нет\n•ยา", {"controls": 1, "mojibake": 2}),
    "C1 beside a number": ("\x80 100", "€ 100", {"mojibake": 1}),
    "byte order marks": ("\ufeff水\ufeff车", "水车", {"byte_order_marks": 2}),
    "non-characters": ("a\ufffeb\ufdd0c\U0010ffff", "abc", {"non_characters": 3}),
    "piled-up marks": ("e" + "\u0301" * 100_000 + "x", "e" + "\u0301" * 8 + "x", {"marks": 99_992}),
    "one behind another": ("Ã\u200b¤", "ä", {"zero_width": 1, "mojibake": 1}),
}
KEPT = {
    "Chinese": "水车转动，渠水不断；“磨坊”——就在河边……《水经注》有载。",
    "traditional": "水車轉動，渠水不斷；「磨坊」就在河邊。",
    "French": "« L’été, l’eau du bief amène à l’œuvre — déjà ! »",
    "German": "Die Mühle läuft; „groß“ heißt hier: über 3 m Ø, ±5 °C, 10 µm.",
    "Vietnamese": "Bánh xe nước quay đều, và kênh không bao giờ cạn.",
    "Russian": "Мельничное колесо вращается, «и вода» не иссякает — никогда.",
    "Greek": "Ο τροχός του μύλου γυρίζει· το νερό δεν στερεύει.",
    "Japanese": "水車は回り、水路は決して涸れない。「フリーWi-Fi」も使えます。",
    "Korean": "물레방아는 돌고, 물길은 마르지 않는다.",
    "Arabic": "تدور\u200f العجلة، می\u200cخواهم",
    "Hindi": "पनचक्की क्\u200dष नमस्\u200dते",
    "Thai": "กังหันน้ำ\u200bเป็นตัวกำหนด",
    "emoji": "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 🏴\U000e0067\U000e0062\U000e007f",
    "variants": "葛\U000e0100城市",
    "accents": "e\u0301 a\u0323\u0302 שָׁלוֹם",
    "glosses": "“魑魅(chī mèi)”二字，参见“汆(cuān)”条，又名粿(guǒ)、㸆(kào)。",
    "code": "f(x)(abc) λ(ā) print(é)",
    "boxes": "┌──────┐\n│ 水车 │\n└──────┘\n━━━━━━━━━━━━",
    "radical": "The radical ⽔ (water) and ⽕; 部首「⽔」",
    "list of radicals": "⼀⼁⼂⼃⼄⼅⼆⼇⼈⼉：部首表，⼈在第九",
    "private use": "icon \uf015 stays",
    "lost": "锟斤拷 \ufffd\ufffd 烫烫烫",
}


@pytest.mark.parametrize("name", CASES)
def test_faults_are_mended_and_counted(name: str) -> None:
    """Each kind of fault is undone, and its places are counted under the name of its repair."""
    text, mended, counts = CASES[name]
    assert repaired(text) == (mended, counts)


@pytest.mark.parametrize("name", KEPT)
def test_what_is_right_stays(name: str) -> None:
    """Text that people wrote comes back byte for byte, with every count at zero."""
    assert repaired(KEPT[name]) == (KEPT[name], {})


@pytest.mark.parametrize("name", CASES)
def test_each_repair_has_its_switch(name: str) -> None:
    """A repair that is off leaves its faults, and is not counted."""
    text, mended, counts = CASES[name]
    off: dict[str, Any] = {**dict.fromkeys(counts, False), **({"marks": None} if "marks" in counts else {})}
    left, found = repaired(text, **off)
    assert left != mended or not counts
    assert not found.keys() & counts.keys()


def test_options_choose_what_is_lost() -> None:
    """Private-use characters go, and scripts are converted, only on demand."""
    assert repaired("icon \uf015", private_use="remove") == ("icon ", {"private_use": 1})
    assert repaired("頭髮乾燥", script="simplified") == ("头发干燥", {"script": 3})
    assert repaired("头发干燥", script="traditional") == ("頭髮乾燥", {"script": 3})
    assert repaired("e\u0301\u0301", marks=0) == ("e", {"marks": 2})


def test_every_document_has_every_count(table_of: Tabled) -> None:
    """Counts are float64 columns of all documents, other columns and their order stay, and no text becomes null."""
    table = table_of(["", "fine", "a\r\nb", CASES["pinyin"][0], "\uf015\uf016"])
    result = Repair().process(table)
    assert result.column_names[: len(table.column_names)] == table.column_names
    for name in REPAIRS:
        assert result[f"values.repaired_{name}"].type == pa.float64()
    assert result["values.repaired_line_ends"].to_pylist() == [0, 0, 1, 0, 0]
    assert result["values.repaired_pinyin"].to_pylist() == [0, 0, 0, 5, 0]
    assert result["values.private_use"].to_pylist() == [0, 0, 0, 0, 2]
    assert result["text"].null_count == 0
    assert result["doc_id"].equals(table["doc_id"])


def test_a_column_in_chunks_and_with_nulls(table_of: Tabled) -> None:
    """A column in several chunks, slices of it and nulls are treated like any other."""
    table = pa.concat_tables([table_of(["a\r", "b"]), table_of(["c\u200b", "d"]).slice(0, 1)])
    nulled = table.set_column(1, "text", pa.array(["a\r", None, "c\u200b"], pa.large_string()))
    assert Repair().process(table)["text"].to_pylist() == ["a\n", "b", "c"]
    assert "text" in nulled.column_names
    assert Repair().process(table.slice(0, 0)).num_rows == 0


def test_the_how_to_page_shows_what_happens() -> None:
    """Before and after of docs/how-to/repair.md, where both are written out as they are."""
    page = (Path(__file__).parents[2] / "docs/how-to/repair.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `?(?:[a-z_]+)?`? ?\| `([^`]+)`(?: \([^|]*\))? \| `([^`]+)` \|$", page, re.MULTILINE)
    written = [(before, after) for before, after in rows if not before.startswith("\\")]
    assert len(written) >= 5
    for before, after in written:
        assert repaired(before)[0] == after


# Pieces that repairs look for, so that random text meets them in every order.
PIECES = (
    *(text for text, _, _ in CASES.values() if len(text) < 100),
    *KEPT.values(),
    *(
        "Ã",
        "Â",
        "â€",
        "\x93",
        "Ð",
        "¹ú",
        "鍖",
        "椾含",
        "笢弊",
        "(shù)",
        "數",
        "據(jù)",
        "⽔",
        "�",
        "?",
        "\r",
        "\x85",
        " ",
    ),
    *("\u200b", "\u200d", "\ufe0f", "\ufeff", "\u0301", "\x1b[", "(", ")", "€", "锟", "é", "，", "水"),
)
mixed = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=8).map("".join)


@given(mixed)
@settings(max_examples=300, deadline=None)
def test_twice_changes_nothing(text: str) -> None:
    """Whatever the text, a second run finds nothing to repair, and nothing raises."""
    once, _ = repaired(text)
    assert repaired(once) == (once, {})


@pytest.mark.parametrize("name", REPAIRS)
@given(text=mixed)
@settings(max_examples=40, deadline=None)
def test_each_repair_alone_is_settled_too(name: str, text: str) -> None:
    """The same holds for each repair with all others off."""
    options: dict[str, Any] = {other: False for other in REPAIRS if other not in ("script", "private_use", "marks")}
    options |= {"marks": None, name: True}
    options |= {
        "script": {"script": "simplified"},
        "private_use": {"private_use": "remove"},
        "marks": {"marks": 2},
    }.get(name, {})
    if name in ("script", "private_use", "marks"):
        options = {k: v for k, v in options.items() if v is not True}
    once, counts = repaired(text, **options)
    assert set(counts) <= {name}
    assert (once == text) == (not counts)
    assert repaired(once, **options) == (once, {})


@given(st.lists(mixed, max_size=5))
@settings(max_examples=40, deadline=None)
def test_documents_do_not_meet(documents: list[str]) -> None:
    """A batch gives what its documents give alone."""
    table = pa.table({"text": pa.array(documents, pa.large_string())})
    result = Repair().process(table)
    alone = [repaired(text) for text in documents]
    assert result["text"].to_pylist() == [text for text, _ in alone]
    for name in REPAIRS:
        assert np.array_equal(
            result[f"values.repaired_{name}"].to_numpy(), [counts.get(name, 0) for _, counts in alone]
        )
