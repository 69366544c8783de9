"""What other tools get wrong about languages and sentences, on texts of ours: the right result."""

from __future__ import annotations

import pyarrow as pa
import pytest

from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.stages.base import conform
from headrace.stages.clean import Clean
from headrace.stages.languages.find import identified

DIALOGUE = "\n".join(f"他说：“第{number}个轮子也转起来了。”" for number in "一二三四五六七八九十")
PARAGRAPH = (
    "渠道是前年挖成的。\n水从山上来。\n轮子先慢后快。\n磨坊里的人都很高兴。\n他们把粮食运来。\n面粉又运到城里去。"
)


@pytest.mark.parametrize(
    ("text", "language", "script"),
    [
        # CLD3 0.3 calls Chinese documentation with code in it Marathi or Hindi
        (
            "使用 `wheel.turn(by=1)` 时，先设置 `max_speed`。\n返回 `Turn`，如果卡住，抛出 `StuckError`。",
            "zh",
            "Hans",
        ),
        # fastText's lid.176 calls poems Japanese
        ("渠水東流去，輪聲入夜寒。\n山深人未覺，風起葉初殘。", "lzh", "Hant"),
        # langdetect calls traditional Chinese Korean
        ("設定檔案的位置可以用環境變數指定，如果沒有指定，程式會使用預設的目錄。", "zh", "Hant"),
        # py3langid calls classical prose Wu, and modern traditional text Cantonese
        ("王使人問其故，對曰：臣聞渠成則水至，水至則輪動，此非人力也。王善之，賜金百斤。", "lzh", "Hant"),
        ("本指令會列出所有的檔案，並且顯示它們的大小以及最後修改的時間。", "zh", "Hant"),
        # whatlang calls Japanese with English words English
        ("この API は JSON を返します。詳しくは README.md を見てください。", "ja", "Jpan"),
        # all of them name a language for source code
        ("for (let i = 0; i < wheels.length; i++) {\n  wheels[i].turn();\n}\nexport { wheels };", "code", "Latn"),
    ],
)
def test_texts_that_others_take_for_another_language(text: str, language: str, script: str) -> None:
    """Their languages are told by what only they have."""
    assert identified(text)[:2] == (language, script)


def values(text: str) -> dict[str, float]:
    table = conform(pa.table({"doc_id": ["x"], "text": pa.array([text], pa.large_string())}), DOCUMENT_SCHEMA)
    rules = Clean(max_repeated_gram_share=None, min_line_end_share=0.9, min_sentences=5)
    (row,) = rules.process(table).to_pylist()
    assert row["verdict"] is None
    return {name.removeprefix("values."): value for name, value in row.items() if name.startswith("values.")}


def test_dialogue_is_finished() -> None:
    """Ten lines that end with 。” are ten finished lines; datatrove's list of terminal marks finds none."""
    assert values(DIALOGUE)["line_end_share"] == 1
    assert values(DIALOGUE)["sentences"] == 10


def test_a_chinese_paragraph_has_its_sentences() -> None:
    """Six sentences without a space are six; C4's rule in datatrove and Punkt find one at most."""
    assert values(PARAGRAPH)["sentences"] == 6
    assert values(PARAGRAPH.replace("\n", ""))["sentences"] == 6


def test_a_finished_text_stays_and_a_menu_goes() -> None:
    """The rules of C4 and FineWeb can be asked of Chinese."""
    table = pa.table(
        {
            "doc_id": ["a", "b"],
            "text": pa.array([PARAGRAPH, "首页上一页\n新闻中心频道\n关于我们网站"], pa.large_string()),
        }
    )
    for option, value in (("min_sentences", 0), ("min_line_end_share", 0)):
        rows = Clean.model_validate({option: 0.5}).process(conform(table, DOCUMENT_SCHEMA)).to_pylist()
        assert [(row["reason"], row["value"]) for row in rows] == [(None, None), (option, value)]
