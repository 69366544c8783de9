"""BigScience's values: kernels and plain twin agree, and good Chinese passes where repetition does not."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.filtering.first_reasons import first_reasons
from tests.stages.statistics.test_count import EXTREMES, drawn
from tests.stages.statistics.test_spans import listed

from headrace.stages.filtering.bigscience_words import CHINESE_FLAGGED, CHINESE_STOPS
from headrace.stages.filtering.bigscience_zh import BigscienceZh
from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.statistics import bigscience, plain_bigscience
from headrace.stages.statistics.statistics import Statistics

PIECES = (
    "水流",
    "下山",
    "，",
    "。",
    "的",
    "我们",
    "ABC ",
    "abc",
    "😀",
    "１２",
    "\n",
    "  ",
    "é",
    "A",
    "轮子",
    "没有",
    "!",
    "「的」",
)
PROSE = (
    "他每天早上都要从山上走到河边，因为那里的水比村里的更清。老人说，这条路他已经走了三十年，可是从来没有觉得厌倦。"
    "春天的时候，两边的树都开了花，孩子们也会跟着他一起去，他就给他们讲以前的故事。"
)


def statistics(texts: list[str]) -> Statistics:
    column = pa.array(texts, pa.large_string())
    chinese = np.ones(len(texts), np.bool_)
    return Statistics(column, DocumentWords().words(column, chinese, np.zeros(len(texts), np.bool_)))


def reason(text: str) -> str | None:
    return first_reasons(BigscienceZh(), statistics([text]))[0]


@pytest.mark.parametrize(("characters", "words"), [(3, 5), (1, 1), (10, 2)])
def test_kernels_measure_what_the_plain_twin_measures(characters: int, words: int) -> None:
    """On Chinese, English, signs and emoji in any order, every value is the same."""
    draw = random.Random(15)
    texts = ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 60))) for _ in range(400)]
    texts += [*drawn(16, 100), "", "的" * 50, "水流下山" * 30]
    asked, preset = (
        statistics(texts),
        BigscienceZh(character_repetition_length=characters, word_repetition_length=words),
    )
    found = {name: preset.measure_own(name, asked) for name in preset.own}
    for document, (text, cut) in enumerate(zip(texts, listed(texts, asked.words), strict=True)):
        bare = plain_bigscience.bare(cut)
        expected = {
            "words": len(bare),
            "character_repetition_share": plain_bigscience.character_repetition(text, characters),
            "word_repetition_share": plain_bigscience.word_repetition(bare, words),
            "special_character_share": plain_bigscience.special_characters(text),
            "stop_word_share": plain_bigscience.listed_share(bare, CHINESE_STOPS),
            "flagged_word_share": plain_bigscience.listed_share(bare, CHINESE_FLAGGED),
        }
        assert {name: found[name][document] for name in expected} == expected, text


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("", "min_words"),
        ("。。。", "min_words"),
        (PROSE, None),
        ("哈哈哈哈" * 100, "max_character_repetition_share"),
        (PROSE + "★ ☆ ◆ ● ■ ▲ → ① ② ③ ④ ⑤ ⑥ ⑦ ⑧ ⑨ ⑩", "max_special_character_share"),
        ("张三、李四、王五、赵六、钱七、孙八、周九、吴十", "max_special_character_share"),
        ("北京大学清华大学复旦大学南京大学浙江大学武汉大学", "min_stop_word_share"),
        (PROSE + "成人网站。", "max_flagged_word_share"),
    ],
)
def test_each_rule_has_a_text_that_breaks_it(text: str, broken: str | None) -> None:
    """Prose passes; lists of names have no grammar."""
    assert reason(text) == (f"bigscience_zh.{broken}" if broken else None)


@pytest.mark.parametrize(
    ("text", "share", "above"),
    [  # data-juicer's test_character_repetition_filter.py: runs of 5, at most 0.4
        ("Today is Sund Sund Sund Sund Sund Sunda and it's a happy day!", 0.4, 1),
        ("a v s e c s f e f g a a a a a a a a a a", 0.4, 1),
        ("，。、„”“«»１」「《》´∶：？！（）；–—．～’…━〈〉【】％►", 0.4, 0),
        ("中文也是一个字算一个长度", 0.4, 0),
    ],
)
def test_repeated_characters_are_those_that_data_juicer_finds(text: str, share: float, above: int) -> None:
    """What is above and what is not."""
    assert (bigscience.character_repetition(statistics([text]), 5)[0] > share) == above


@pytest.mark.parametrize(
    ("text", "above"),
    [  # data-juicer's test_word_repetition_filter.py: runs of 3, at most 0.2
        ("去除字母、数字、下划线占比过低或过高的代码", 0),
        ("使用片段分词器对每个页面进行分词，使用语言模型计算每个段落的困惑度得分", 0),
        ("根据算子使用使用使用使用安装方案确定", 1),
        ("基于前一步结果，在同一个聚类中找出那些过长文档为假正例，暂不进行滤除", 0),
    ],
)
def test_repeated_words_are_those_that_data_juicer_finds(text: str, above: int) -> None:
    """With jieba's words, where data-juicer has pieces of SentencePiece."""
    assert (bigscience.word_repetition(statistics([text]), 3)[0] > 0.2) == above


@pytest.mark.parametrize(
    ("text", "stays"),
    [  # data-juicer's test_word_num_filter.py: 10 to 25 words; its sixth text has 22 words of jieba's and more pieces
        ("你好，请问你是谁", 0),
        ("欢迎来到阿里巴巴", 0),
        ("根据算子使用情况增量安装方案确定", 0),
        ("去除字母、数字、下划线占比过低或过高的代码", 1),
        ("基于前一步结果，在同一个聚类中找出那些过长文档为假正例，暂不进行滤除", 1),
    ],
)
def test_words_are_as_many_as_data_juicer_finds(text: str, stays: int) -> None:
    """Signs are no words."""
    assert (10 <= bigscience.word_count(statistics([text]))[0] <= 25) == stays


@pytest.mark.parametrize(
    ("text", "stays"),
    [  # data-juicer's test_stop_words_filter.py: .2 or more; its fourth text has .136 of our shorter list
        ("你好，请问你是谁", 1),
        ("字母、数字、下划线、占比、代码", 0),
        ("基于前一步结果，在同一个聚类中找出那些过长文档为假正例，暂不进行滤除", 1),
    ],
)
def test_stop_words_are_as_many_as_data_juicer_finds(text: str, stays: int) -> None:
    """A list of things has few, a sentence has many."""
    assert (bigscience.listed_share(statistics([text]), CHINESE_STOPS)[0] >= 0.2) == stays


@pytest.mark.parametrize(
    ("text", "above"),
    [  # data-juicer's test_special_characters_filter.py: at most 0.25
        ("Today is Sunday and it's a happy day!", 0),
        ("a v s e c s f e f g a qkc", 1),
        ("，。、„”“«»１」「《》´∶：？！（）；–—．～’…━〈〉【】％►", 1),
        ("Do you need a cup of coffee?", 0),
        ("emoji表情测试下😊，😸31231", 1),
    ],
)
def test_special_characters_are_those_that_data_juicer_finds(text: str, above: int) -> None:
    """Signs, spaces, digits and emoji."""
    assert (bigscience.special_characters(statistics([text]))[0] > 0.25) == above


def test_no_share_is_above_1() -> None:
    """Nor NaN, on texts of one kind alone."""
    found = BigscienceZh().measured(statistics([*EXTREMES.values(), "的" * 1000]))
    for name, value in found.items():
        assert np.isfinite(value).all(), name
        assert name.endswith("words") or ((value >= 0) & (value <= 1)).all(), name
