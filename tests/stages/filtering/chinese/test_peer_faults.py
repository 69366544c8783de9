"""Chinese texts that other tools judge wrongly, and what is right: inputs and their results are measured ones.

datatrove 0.10.1, NeMo Curator and data-juicer were run on these inputs; each test says what they gave.
"""

from __future__ import annotations

from typing import Any

import jieba
import numpy as np
import pyarrow as pa
import pytest
from benchmarks.chinese_profiles import judged
from tests.stages.conftest import documents

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.filter import Filter
from headrace.stages.filtering.chinese.counted import Counted
from headrace.stages.filtering.chinese.values import chinese_values
from headrace.stages.filtering.presets import PRESETS

S30 = "我来到北京清华大学，今天天气很好。他说：“你好！”然后走了。"
A44 = "北京大学是中国著名的高等学府，创建于一八九八年，初名京师大学堂，学校坐落在北京市海淀区。"
P6 = "\n".join(
    (
        "北京大学创建于一八九八年。",
        "它最初的名字叫京师大学堂。",
        "学校坐落在北京市的海淀区。",
        "校园里有一座很安静的湖。",
        "湖边的塔是学校的标志。",
        "许多有名的学者曾在这里教书。",
    )
)
SPAM = "今天天气很好我们去公园。" * 50
TWIN = "the weather is nice today. " * 50
SAID = [
    "你来了",
    "外面下雨了吗",
    "下了一整天",
    "先进来坐吧",
    "我站一会儿就走",
    "吃过饭没有",
    "在路上吃了",
    "那喝口热茶",
    "不用麻烦了",
    "明天再来吧",
]
DIALOGUE = "\n".join(f"“{said}。”" for said in SAID)


def measured(texts: list[str], presets: list[str], language: str = "zh") -> list[dict[str, Any]]:
    """Give the rows of texts that these presets measure."""
    takes_out = {name: {"remove_lines": False} for name in ("c4", "refinedweb") if name in presets}
    stage = Filter.model_validate({"profiles": {"*": presets}, **takes_out})
    rows: list[dict[str, Any]] = stage.process(documents(texts, language=[language] * len(texts))).to_pylist()
    return rows


def value(text: str, name: str) -> float:
    """Give one value of Chinese of a text."""
    return float(chinese_values(Counted(pa.array([text])))[name][0])


def test_a_clean_paragraph_passes() -> None:
    """Six lines that end with 。: C4, Gopher and FineWeb of datatrove drop them, as do five filters of NeMo."""
    assert judged([P6, "\n".join(P6.splitlines()[:3]), S30, A44]) == [("zh", "zh", "")] * 4


def test_words_are_words_whatever_the_code_of_the_language_is() -> None:
    """Datatrove finds 2 words with the code zh, 20 with cmn_Hani; it is jieba's words, marks left out."""
    counts = {code: measured([S30], ["gopher"], code)[0]["values.filter_words"] for code in ("zh", "yue", "lzh", "cmn")}
    words = [word for word in jieba.lcut(S30) if word.isalnum()]
    assert set(counts.values()) == {len(words)}


def test_sentences_end_without_a_space_behind_them() -> None:
    """NLTK's Punkt does not split at 。; there are three sentences."""
    assert measured([S30], ["gopher"])[0]["values.filter_sentences"] == 3


def test_lines_of_dialogue_end() -> None:
    """Ten lines that end in 。” are ten unended ones to datatrove, which lists neither ” nor 」 』 … ；."""
    assert value(DIALOGUE, "sentence_line_share") == 1
    assert judged([DIALOGUE])[0][2] == ""
    for end in ("。”", "」", "』", "……", "；", "。）", "？", "！", "。"):
        assert value(f"他在门口站了很久，没有说话{end}\n" * 3, "sentence_line_share") == 1


def test_no_share_of_any_preset_is_above_1() -> None:
    """今天天气好 ten times: datatrove's top n-grams are 1.20, 1.98 and 2.34, NeMo's repeated ones of the spam 1.55."""
    names = list(PRESETS)
    for row in measured(["今天天气好" * 10, SPAM, P6, "的" * 300, "。" * 300, "\n" * 50, ""], names):
        shares = {name: number for name, number in row.items() if name.endswith("_share") and number is not None}
        assert len(shares) > 40
        assert {name: number for name, number in shares.items() if not 0 <= number <= 1} == {}


def test_spam_is_repetition_as_its_english_twin_is() -> None:
    """NeMo scores the Chinese spam 0.000 and keeps it, its English twin 0.41 to 0.70."""
    assert 0.9 < value(SPAM, "repeated_phrase_share") <= 1
    assert value("今天天气好" * 10, "repeated_phrase_share") == pytest.approx(0.9)
    assert judged([SPAM])[0][2] == "modern_chinese.max_repeated_phrase_share"
    assert judged([TWIN])[0][2].startswith("gopher.")


def test_several_lines_do_not_fail() -> None:
    """NeMo's ratio of symbols to words divides by nothing on any Chinese text of several lines."""
    rows = measured([P6, "\n\n", "一\n二\n三"], ["gopher", "bigscience_zh", "modern_chinese"])
    numbers = [number for row in rows for name, number in row.items() if name.startswith("values.")]
    assert np.isfinite([number for number in numbers if number is not None]).all()


@pytest.mark.parametrize("text", [A44, "今天天气很好。", "hi there"])
def test_equal_short_texts_are_seen_as_equal(text: str, tmp_path: Any) -> None:
    """Datatrove keeps both, data-juicer drops all texts without shingles but one; a copy goes, another text stays."""
    table = pa.table({"doc_id": ["a", "b", "c"], "text": pa.array([text, text, "别的话。"], pa.large_string())})
    state = Dedup().open(RunContext(tmp_path, "dedup", (), 0))
    batch, _ = state.accept(apply("dedup", Dedup(), UnitBatch(0, table)))
    assert batch.documents["doc_id"].to_pylist() == ["a", "c"]


def test_marks_are_never_rewritten() -> None:
    """data-juicer turns ，。「」 into ASCII by a mapper of its recipes; a filter gives the text as it came."""
    texts = [P6, S30, "「你好！」他說：『走吧……』（完）", "ＡＢＣ１２３　全角"]
    for presets in (list(PRESETS), ["modern_chinese"]):
        assert [row["text"] for row in measured(texts, presets)] == texts


def test_chinese_between_english_words_counts_by_word() -> None:
    """DataFlow splits on spaces, so that a Chinese text is one unique word."""
    row = measured(["用 Python 写 Web 服务，先 pip install flask 再写路由。"], ["gopher"])[0]
    assert row["values.filter_words"] == 12
