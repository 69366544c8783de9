"""Values of Chinese: their names, their bounds, texts of all extremes, and what each tells."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.filtering.chinese.labelled import table

from headrace.stages.filtering.chinese.counted import Counted
from headrace.stages.filtering.chinese.names import VALUES
from headrace.stages.filtering.chinese.phrases import GROUPS, PHRASES
from headrace.stages.filtering.chinese.reference import PlainCounted
from headrace.stages.filtering.chinese.values import chinese_values, general_values, verse_share
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.statistics import Statistics

EXTREMES = (
    *("", "水", "\n", "。", "…" * 5000, "😀" * 5000, "水" * 300_000, "加微信" * 100_000, "加" * 100_000),
    *("|" * 100_000, "首页|" * 50_000, "\ufffd" * 9999, "é" * 9999, "a.com " * 20_000, "1" * 100_000, "1-" * 50_000),
    *(
        "！" * 100_000,
        "?" * 100_000,
        "①" * 100_000,
        "&#20182;" * 20_000,
        "\\u4ed6" * 20_000,
        "&#" * 50_000,
        "￥1元" * 50_000,
    ),
    *("赶快扫码！" * 20_000, "警方" * 50_000, "龘" * 100_000, "a1" * 50_000),
    *(
        "Wasser 水 вода ماء पानी 물 " * 2000,
        "他说：“走吧。”\n" * 9999,
        "床前明月光，疑是地上霜。\n" * 9999,
        "𠀀" * 9999,
    ),
)


def values(text: str) -> dict[str, float]:
    """Give the values of one text."""
    return {name: float(found[0]) for name, found in chinese_values(Counted(pa.array([text]))).items()}


def test_every_value_is_finite_and_within_its_bound() -> None:
    """Nothing, one character, hundreds of thousands, no words, other scripts: no NaN, no share above 1."""
    column = pa.array([*EXTREMES, None], pa.large_string())
    found = {**chinese_values(Counted(column)), "verse_share": verse_share(Counted(column))}
    for name, numbers in found.items():
        assert np.isfinite(numbers).all(), name
        assert (numbers >= 0).all(), name
        if name.endswith("_share"):
            assert (numbers <= 1).all(), name


def test_every_value_is_described() -> None:
    """The names of the values are those of the descriptions; general text has some of the same."""
    column = pa.array(["水流下山，轮子转了。", "a.com 锟斤拷", "加微信" * 9])
    found, general = chinese_values(Counted(column)), general_values(Counted(column))
    assert list(found) == list(VALUES) or set(found) == set(VALUES)
    for name, numbers in general.items():
        assert numbers.tolist() == found[name].tolist()


def test_plain_python_gives_the_same_values() -> None:
    """The engine `reference` counts labelled texts of every kind without a kernel, and finds the same."""
    column = pa.array([*(document.text for document in table(5)[::7]), None], pa.large_string())
    ours, plain = Counted(column), PlainCounted(column)
    for values_by in (chinese_values, general_values):
        found, expected = values_by(ours), values_by(plain)
        assert {name: numbers.tolist() for name, numbers in found.items()} == {
            name: numbers.tolist() for name, numbers in expected.items()
        }
    assert verse_share(ours).tolist() == verse_share(plain).tolist()


def test_counts_are_shared() -> None:
    """What both kinds of values are made of is counted once."""
    counted = Counted(pa.array(["水流下山。"]))
    assert counted.phrases is counted.phrases
    asked = Statistics(counted.column, Spans().words(counted.column))
    assert asked.chinese() is asked.chinese()
    assert asked.general()["link_share"].tolist() == asked.chinese()["link_share"].tolist()


def test_rows_do_not_depend_on_one_another() -> None:
    """A text has the same values alone and among others."""
    together = chinese_values(Counted(pa.array(list(EXTREMES[:8]))))
    for place, text in enumerate(EXTREMES[:8]):
        assert values(text) == {name: float(numbers[place]) for name, numbers in together.items()}


def test_phrases_belong_to_one_group_and_are_written_plainly() -> None:
    """Lists hold no white space, no signs, nothing twice."""
    assert len(PHRASES) == len(GROUPS)
    for group in PHRASES:
        assert len(set(group)) == len(group)
        assert all(len(phrase) > 1 and phrase.isalnum() and phrase == phrase.lower() for phrase in group)


@pytest.mark.parametrize(
    ("text", "name", "least", "most"),
    [
        ("私聊", "approach_phrases", 1, 1),
        ("加★微★信", "disguised_phrases", 1, 1),
        ("加 微 信", "disguised_phrases", 0, 0),
        ("私。聊", "approach_phrases", 0, 0),
        ("ＶＸ號", "approach_phrases", 1, 2),
        ("vxlan", "approach_phrases", 0, 0),
        ("薇信", "evasion_phrases", 1, 1),
        ("版權所有 京ICP備12345678號", "footer_phrases", 2, 5),
        ("锟斤拷锟斤拷", "garbled_share", 1, 1),
        ("今天烫烫烫烫了", "garbled_share", 0.4, 0.6),
        ("涓枃鍖椾含澶у", "garbled_share", 0.5, 1),
        ("ÖÐ¹úÈËÃñ", "garbled_share", 0.9, 1),
        ("café naïve", "garbled_share", 0, 0),
        ("冷库、叉车、瓷砖、滤芯、电缆、货架、" * 6, "listed_share", 0.5, 1),
        ("冷库、叉车、瓷砖、滤芯、电缆、货架", "listed_share", 0.2, 0.3),
        ("我们去了公园、湖边和山上，很高兴。", "listed_share", 0, 0),
        ("手★机★号★码", "separated_share", 0.7, 1),
        ("手机的的号码是了", "separated_share", 0, 0),
        ("电话：138-1234-5678，0571-88123456", "contacts", 2, 2),
        ("详见 https://docs.example.com/a 。", "link_share", 0.7, 1),
        ("赶快行动，名额仅限前十名！原价299元，联系我", "pitch_share", 0.2, 1),
        ("他赶快把门关上了！", "pitch_share", 0, 0),
        ("赶快来听课，名额有限，民警讲怎样防范诈骗、警惕骗局。", "pitch_share", 0, 0.02),
        ("他开百家乐的老虎机", "gambling_share", 0.2, 1),
        ("他开百家乐的老虎机，涉嫌犯罪，警方已查处。", "gambling_share", 0, 0),
        ("请先登录后再访问", "notice_share", 0.2, 1),
        ("13800000001、13800000002", "telephone_share", 0.4, 1),
        ("汁窷疫嬭眕硭蝗擼刳遘鷇隗瞿珍覦嬦褆炩", "rare_share", 0.2, 1),
        ("abc123 的用法", "ascii_share", 0.2, 0.3),
        ("&#20182;&#35828;&#36825;", "garbled_share", 1, 1),
        ("手机壳好，手机壳贵，手机壳旧，手机壳新，手机壳薄。", "top_phrase_share", 0.6, 0.8),
    ],
)
def test_what_a_value_tells(text: str, name: str, least: float, most: float) -> None:
    """Signs between characters are told from spaces, traditional and full-width forms are the same phrase."""
    assert least <= values(text)[name] <= most


@pytest.mark.parametrize(
    ("text", "verse"),
    [
        ("寒山一带伤心碧，秋水无人自往还。\n落日孤城闻画角，西风吹雁过江关。", True),
        ("昔我往矣，桃李其芳。今我来思，草木其黄。", True),
        ("江南梦，梦里是谁家。十里平湖移画舫，一楼烟雨卖杏花。灯火隔窗纱。", True),
        ("灯亮了\n她没有抬头\n锅里的水\n轻轻地响", True),
        ("人之初，性本善，性相近，习相远", True),
        ("今天下午我们去公园里走了走，看见很多人在放风筝。", False),
        ("學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？", False),
        ("首页 | 公司简介 | 产品中心 | 新闻动态 | 联系我们", False),
        ("", False),
    ],
)
def test_verse_is_known_by_its_form(text: str, verse: bool) -> None:  # noqa: FBT001  # a parameter of the table
    """Lines of one length, ci and modern verse are verse; prose of any time and navigation are not."""
    assert (float(verse_share(Counted(pa.array([text])))[0]) >= 0.8) == verse
