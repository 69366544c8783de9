"""Clean keeps what people wrote, drops junk by a named rule, and measures every document."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from headrace.stages.clean import RULES, Clean

Tabled = Callable[..., pa.Table]
CORPUS = Path(os.environ.get("HEADRACE_CORPUS", Path(__file__).parents[2].parent / "shared/corpus"))

PROSE_ZH = "房间很干净，服务员态度也好，早餐种类不多但是味道不错。下次来还会住这里！"
PROSE_EN = "The wheel sets the pace, and the channel never runs dry. It was built of oak, and it still turns."
GOOD = {
    "review": "书很好，印刷清楚，孩子很喜欢看。",
    "prose in Chinese": PROSE_ZH,
    "prose in English": PROSE_EN,
    "mixed": "我们用 Python 3.11 和 Arrow 写了一个清洗流程，速度比原来快了十倍左右。",
    "verse": "床前明月光，\n疑是地上霜。\n举头望明月，\n低头思故乡。",
    "verse of four": "關關雎鳩，在河之洲。\n窈窕淑女，君子好逑。\n參差荇菜，左右流之。\n窈窕淑女，寤寐求之。",
    "literary": "子曰：「學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？」",
    "licence": "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and "
    'associated documentation files (the "Software"), to deal in the Software without restriction.',
    "metadata": "Metadata-Version: 2.1\nName: headrace\nVersion: 0.1.0\nSummary: Raw text in, a training run out\n"
    "Classifier: Programming Language :: Python :: 3\nRequires-Dist: numpy >=2.4",
    "docstring": "Return the sum.\n\n>>> add(1, 2)\n3\n\nParameters\n----------\na : int\n    The first.\n",
    "table": "| 参数 | 说明 |\n|------|------|\n| size | 单元的大小，以字节计 |\n| window | 在途单元的数目 |",
    "French": "Le bief est le canal qui amène l'eau à la roue du moulin, et la roue donne la mesure à tout le reste.",
    "Hindi": "पनचक्की का पहिया गति तय करता है, और नहर कभी सूखती नहीं है।",
    "Thai": "กังหันน้ำเป็นตัวกำหนดจังหวะ และคลองไม่เคยแห้ง",
}
JUNK = {
    "": "min_characters",
    "好": "min_characters",
    "==~~>> $$$ ^^^ ||| +++ ### ==~~>> $$$": "min_letter_share",
    "👍👍👍👍👍👍👍👍👍👍👍👍👍👍": "min_letter_share",
    "。，！？……——（）“”。，！？……——": "min_letter_share",
    "锟斤拷锟斤拷锟斤拷锟斤拷锟斤拷锟斤拷": "max_damage_share",
    "这是\ufffd\ufffd一段\ufffd\ufffd坏了的文字，\ufffd\ufffd不能用。": "max_damage_share",
    "烫烫烫烫烫烫屯屯屯屯屯屯屯烫烫烫": "max_damage_share",
    "标题 ÊýÂëÏà»ú±¨¼Ûµ¥ 相机": "max_damage_share",
    "加微信领红包" * 30: "max_repeated_gram_share",
    "buy cheap pills now " * 40: "max_repeated_gram_share",
    "I am your father and you know it well.\n" * 8: "max_repeated_line_share",
    "哈哈哈哈哈哈哈哈哈哈哈哈": "max_run_share",
    "asdfghjkl qwertyuiop zxcvbnm asdfgh": "max_noise_share",
    "sdkfjhskdjfh xcvbnmzx qwrtplkjhgf dfghjklmnb": "max_noise_share",
    "首页\n新闻\n体育\n财经\n娱乐\n科技\n汽车\n房产": "min_mean_line_characters",
    "TheMillWheelTurnsAndTurnsAndTheWaterGoesOnAndOn": "max_mean_word_letters",
    "cheap hotel flights booking deals "
    + " ".join(f"keyword{chr(97 + i % 26)}x{chr(97 + i // 26)}" for i in range(70)): ("min_function_word_share"),
    "2024-01-01 12:00:00 10.5 11.2 13.9 a 2024-01-02 12:00:00": "min_letter_share",
    "电话 13800138000 或 13900139000 联系人王先生请在工作日拨打": "max_digit_share",
}


def cleaned(text: str, **options: object) -> str:
    column = pa.table({"text": pa.array([text], pa.large_string())})
    return str(Clean.model_validate(options).process(column)["text"][0])


@pytest.mark.parametrize("name", GOOD)
def test_what_people_wrote_is_kept(table_of: Tabled, name: str) -> None:
    """The defaults keep prose, verse, reviews, docs, licences and other languages, and do not change them."""
    result = Clean().process(table_of([GOOD[name]]))
    assert result["reason"].to_pylist() == [None]
    assert result["text"].to_pylist() == [GOOD[name]]


@pytest.mark.parametrize("text", JUNK, ids=lambda text: text[:12].encode("unicode_escape").decode())
def test_junk_is_dropped_by_its_rule(table_of: Tabled, text: str) -> None:
    """The defaults drop junk and name rule, value and threshold, which fit each other."""
    (row,) = Clean().process(table_of([text])).to_pylist()
    name = JUNK[text]
    assert (row["verdict"], row["reason"]) == ("dropped", name)
    assert row["value"] == row[f"values.{name[4:]}"]
    assert row["threshold"] == getattr(Clean(), name)
    assert row["value"] < row["threshold"] if name.startswith("min_") else row["value"] > row["threshold"]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_is_null_is_not_asked(table_of: Tabled, rule: str) -> None:
    """Each rule can be switched off; with all of them off nothing is dropped."""
    table = table_of([*JUNK, *GOOD.values()])
    reasons = Clean.model_validate({rule: None}).process(table)["reason"].to_pylist()
    assert rule not in reasons
    off = Clean.model_validate(dict.fromkeys(RULES)).process(table)
    assert off["verdict"].null_count == table.num_rows


def test_every_document_has_every_value(table_of: Tabled) -> None:
    """Kept or dropped, each document has all values: finite, never negative, shares at most 1."""
    texts = ["", "好", " \n\t", "👍", "。", "x" * 1_000_000, "哈" * 1_000_000, "锟斤拷" * 1000, "烫" * 50]
    texts += [*JUNK, *GOOD.values()]
    result = Clean().process(table_of(texts))
    names = [name for name in result.column_names if name.startswith("values.")]
    assert {f"values.{rule[4:]}" for rule in RULES} <= set(names)
    for name in names:
        values = result[name].to_numpy()
        assert result[name].type == pa.float64()
        assert np.isfinite(values).all(), name
        assert (values >= 0).all(), name
        assert (values <= 1).all() or not name.endswith("_share"), name


@pytest.mark.parametrize(
    "line",
    [
        "本网站使用cookies来改善您的体验。",
        "京ICP备12345678号-1",
        "Copyright © 2020 某某网 版权所有 京ICP证030173号",
        "京公网安备11000002000001号",
        "上一篇：春天的故事",
        "上一篇 下一篇",
        "下一页",
        "分享到：微信 微博 QQ空间",
        "返回顶部",
        "您的位置：首页 > 新闻",
        "责任编辑：张三",
        "扫一扫关注我们",
        "This website uses cookies to improve your experience.",
        "By continuing to browse you agree to our use of cookies.",
        "Click here to subscribe to our newsletter",
        "Share on Facebook",
        "Previous post: How to mill",
        "Back to top",
        "Skip to main content",
        "Read more »",
    ],
)
def test_boilerplate_lines_go_wherever_they_stand(line: str) -> None:
    """A line that every page of a site has is removed as a whole, with its line feed, in the middle of a text too."""
    filler = "第一行是正文。\n" * 1 + "".join(f"Line {i} of the text.\n" for i in range(6))
    assert cleaned(f"{PROSE_ZH}\n  {line} \n{filler}") == f"{PROSE_ZH}\n{filler}"


@pytest.mark.parametrize(
    "line",
    [
        "© 2024 Acme Inc.",
        "Copyright (c) 2001-2020 Foo. All rights reserved.",
        "版权所有 未经许可不得转载",
        "Powered by Hugo",
    ],
)
def test_footers_go_only_at_the_end(line: str) -> None:
    """A copyright notice at the end is a footer; at the head of a licence or a book it stays."""
    assert cleaned(f"{PROSE_EN}\n{line}") == f"{PROSE_EN}\n"
    assert cleaned(f"{line}\n" + "A line of the licence.\n" * 6).startswith(line)


@pytest.mark.parametrize(
    "line",
    [
        "下一页是空白的，他合上了书。",
        "分享到朋友圈的照片都是他拍的。",
        "位置：闹中取静，交通便利。",
        "Click here and nothing happens, she said.",
        "We share on average two meals a day.",
        "COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER",
        "Copyright and related rights waived via CC0.",
        "他把cookies放在桌上。",
    ],
)
def test_lines_that_only_look_like_boilerplate_stay(line: str) -> None:
    """Sentences that begin like boilerplate are left alone."""
    assert cleaned(line) == line


def test_copies_of_a_line_go_beyond_the_limit(table_of: Tabled) -> None:
    """Of a long line repeated in a document, the first copies stay; short lines and lines without letters all stay."""
    line = "Back issues of this letter can be ordered from the mill.\n"
    text = "".join(f"Issue {i} is about oak.\n{line}}}\n---\n" for i in range(30))
    (row,) = Clean(max_line_copies=3).process(table_of([text])).to_pylist()
    assert row["text"].count(line) == 3
    assert row["text"].count("---") == row["text"].count("}") == 30
    assert row["values.removed_lines"] == 27
    assert row["values.repeated_line_share"] == pytest.approx(29 * (len(line) - 1) / sum(map(len, text.split("\n"))))


def test_what_was_removed_is_counted(table_of: Tabled) -> None:
    """`removed_lines` says what each text lost; line ends of any kind do not hide a line."""
    result = Clean().process(table_of([PROSE_ZH, f"{PROSE_ZH}\r\n返回顶部\r\n下一页"]))
    assert result["values.removed_lines"].to_pylist() == [0, 2]


def test_a_users_patterns_replace_the_defaults() -> None:
    """`boilerplate` and `footers` are lists of patterns; empty ones remove nothing."""
    text = "返回顶部\nZap 12 zip\n正文在这里，还有很多。"
    assert cleaned(text, boilerplate=[r"zap [0-9]+ zip"]) == "返回顶部\n正文在这里，还有很多。"
    assert cleaned(text, boilerplate=[], footers=[]) == text


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)b"])
def test_a_pattern_without_linear_time_is_refused(pattern: str) -> None:
    """A broken pattern, a back reference or a look-around is refused when the stage is made, and named."""
    with pytest.raises(ValidationError, match="is not a pattern of linear time"):
        Clean(boilerplate=("ok", pattern))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_digit_share": 40}, "less than or equal to 1"),
        ({"min_characters": -1}, "greater than or equal to 0"),
        ({"min_chars": 5}, "Extra inputs are not permitted"),
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, object], message: str) -> None:
    """A share is between 0 and 1, an amount is not negative, and a misspelt option is not ignored."""
    with pytest.raises(ValidationError, match=message):
        Clean.model_validate(options)


def test_a_long_line_can_be_a_reason(table_of: Tabled) -> None:
    """`max_line_characters` compares the longest line, in characters; null, the default, asks nothing."""
    texts = [f"{PROSE_ZH}\n" * 3, PROSE_ZH * 3]
    assert Clean().process(table_of(texts))["reason"].to_pylist() == [None, None]
    result = Clean(max_line_characters=50, max_repeated_line_share=None).process(table_of(texts))
    assert result["reason"].to_pylist() == [None, "max_line_characters"]
    assert result["values.line_characters"].to_pylist() == [len(PROSE_ZH), 3 * len(PROSE_ZH)]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus folder is not there; set HEADRACE_CORPUS")
def test_real_texts_are_kept() -> None:
    """Of the corpus's poetry, novels, manuals and proposals at least 95 in 100 are kept, and none loses a tenth."""
    folders = (
        "zh/chinese-poetry",
        "zh/classical-modern",
        "zh/classical-source",
        "zh/novels",
        "en/peps",
        "en/eips",
        "en/books",
    )
    files = [path for folder in folders for path in sorted((CORPUS / folder).rglob("*")) if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in files]
    result = Clean().process(pa.table({"text": pa.array(texts, pa.large_string())}))
    reasons = Counter(result["reason"].to_pylist())
    assert reasons[None] >= 0.95 * len(files), reasons
    prose = [i for i, path in enumerate(files) if path.suffix != ".json"]
    assert all(len(result["text"][i].as_py()) > 0.9 * len(texts[i]) for i in prose)
