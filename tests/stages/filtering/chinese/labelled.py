"""The labelled table: documents written for it, good ones and junk, and others made of their parts by a seed.

Of `labelled_good.txt` and `labelled_junk.txt` every second document of a kind is for tuning, the others are held out;
what is made for a half is made of its own documents, names and words alone. `labelled_more.txt` was written when the
numbers stood, judged once, and is for tuning since; `labelled_unseen.txt` was written after that and tuned nothing.
Documents written without sight of the lists were judged before the rules were changed and in between; of each label
every second one is in `labelled_web.txt`, for tuning since, the others are in `labelled_check.txt`, by which one number
was chosen between two values. `labelled_fresh.txt` was written without sight of the lists, too, when the rules were
closed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Half = Literal["tuning", "held_out", "unseen", "check", "fresh"]
HALVES: tuple[Half, ...] = ("tuning", "held_out")
_FILES: Mapping[str, tuple[Half, ...]] = {
    "labelled_good.txt": HALVES,
    "labelled_junk.txt": HALVES,
    "labelled_more.txt": ("tuning",),
    "labelled_unseen.txt": ("unseen",),
    "labelled_web.txt": ("tuning",),
    "labelled_check.txt": ("check",),
    "labelled_fresh.txt": ("fresh",),
}
_HEAD = re.compile(r"^=== (good|junk) (\w+)\n", re.MULTILINE)
_SENTENCE = re.compile(r"[^。！？\n]*[。！？][”」』]?\n?|[^。！？\n]+\n?")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A document, its kind, whether it is to be kept, and its half."""

    text: str
    kind: str
    good: bool
    half: Half


@cache
def written() -> tuple[Labelled, ...]:
    """Give the documents that were written by hand."""
    found = []
    for name, halves in _FILES.items():
        parts = _HEAD.split((Path(__file__).parent / name).read_text(encoding="utf-8"))[1:]
        numbers: dict[str, int] = {}
        for label, kind, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            numbers[label + kind] = number = numbers.get(label + kind, -1) + 1
            found.append(Labelled(text.strip(), kind, label == "good", halves[number % len(halves)]))
    return tuple(found)


def table(seed: int, made: int = 8) -> list[Labelled]:
    """Give all written documents, and for each kind and half `made` more for each way of making some."""
    found = [*written()]
    for half in HALVES:
        draw = random.Random(f"{seed} {half}")
        for kind, good, make in makers(half):
            found += [Labelled(make(draw), kind, good, half) for _ in range(made)]
    return found


def makers(half: Half) -> Iterator[tuple[str, bool, Callable[[random.Random], str]]]:
    """Give kind, label and way of making of all documents that are made for a half."""
    kinds: dict[tuple[str, bool], list[str]] = {}
    for document in written():
        if document.half == half:
            kinds.setdefault((document.kind, document.good), []).append(document.text)
    for (kind, good), texts in kinds.items():
        if kind in MIXED:
            yield kind, good, lambda draw, texts=texts: mixed(draw, texts)  # type: ignore[misc]
    prose = [*kinds["modern_prose", True], *kinds["literary_prose", True], *kinds["news", True]]
    junk = [text for (kind, good), texts in kinds.items() if kind in SOLD for text in texts]
    nouns, columns, places = (words.split()[HALVES.index(half) :: 2] for words in (NOUNS, COLUMNS, PLACES))
    yield "garbled", False, lambda draw: garbled(draw, draw.choice(prose))
    yield "signs", False, lambda draw: with_signs(draw, draw.choice(junk))
    yield "stuffing", False, lambda draw: stuffed(draw, nouns, places)
    yield "seo", False, lambda draw: asked(draw, draw.choice(nouns), draw.choice(places))
    yield "spun", False, lambda draw: spun(draw, draw.choice(places) + draw.choice(nouns))
    yield "spun", False, lambda draw: shuffled(draw, draw.choice(prose))
    yield "navigation", False, lambda draw: navigation(draw, columns)
    yield "footer", False, lambda draw: footer(draw, draw.choice(places))
    yield "repeated", False, lambda draw: draw.choice(sentences(draw.choice(prose))).strip() * draw.randint(12, 50)
    yield "verse", True, lambda draw: verse(draw, half)


MIXED = frozenset(
    {
        *("literary_prose", "modern_prose", "news", "technical_docs", "forum", "cantonese", "traditional", "literary"),
        *("dialogue", "questions", "list", "recipe", "modern_verse", "gambling", "adult", "fraud", "sales"),
    }
)
SOLD = frozenset({"gambling", "adult", "fraud", "sales", "ad_comment"})
NOUNS = """
冷库 叉车 瓷砖 滤芯 电缆 货架 沙发 阀门 保洁 月嫂 装修 拆迁 吊车 钢管 床垫 门窗 净水器 投影仪 钢琴 驾校 打印机 护栏
锅炉 眼镜 假发 模具
"""
COLUMNS = """
首页 新闻 公司简介 产品展示 行业资讯 联系我们 人才招聘 在线留言 资质荣誉 技术支持 成功案例 下载中心 网站地图 企业文化
服务项目 关于我们 会员登录 免费注册 热点 国内 国际 军事 财经 汽车 房产 数码 旅游 美食
"""
PLACES = "北京 上海 广州 深圳 杭州 南京 成都 重庆 武汉 西安 郑州 长沙 青岛 大连 厦门 苏州"
_QUESTIONS = (
    "哪家好",
    "多少钱",
    "价格",
    "厂家",
    "批发",
    "哪里有卖",
    "排行榜",
    "电话",
    "报价",
    "怎么样",
    "品牌",
    "公司",
)


def sentences(text: str) -> list[str]:
    """Give the sentences and lines of a text, with what ends them."""
    return [sentence for sentence in _SENTENCE.findall(text) if sentence.strip()]


def mixed(draw: random.Random, texts: Sequence[str]) -> str:
    """Give sentences out of two or three texts in a row each, with other digits."""
    parts = []
    for text in draw.sample(list(texts), min(len(texts), draw.randint(2, 3))):
        own = sentences(text)
        first = draw.randrange(max(1, len(own) // 2))
        parts.append("".join(own[first : first + draw.randint(2, 6)]).strip())
    return re.sub(r"\d", lambda digit: str(draw.randint(1, 9)) if digit[0] != "1" else "1", "\n".join(parts))


def garbled(draw: random.Random, text: str) -> str:
    """Give a text that was read by a wrong charset, or lost in one."""
    if draw.random() < 0.25:
        return "".join(text[i : i + 3] + "\ufffd" * draw.randint(2, 4) for i in range(0, len(text), 6))
    wrong = draw.choice((("utf-8", "gbk"), ("gbk", "cp1252"), ("utf-8", "cp1252"), ("gbk", "utf-8")))
    if wrong == ("gbk", "utf-8"):
        lost = text.encode("gbk", "ignore").decode("utf-8", "replace")
        return lost.encode().decode("gbk", "ignore")  # 锟斤拷
    return text.encode(wrong[0], "ignore").decode(wrong[1], "ignore")


def with_signs(draw: random.Random, text: str) -> str:
    """Give a text with a sign between the characters of some of its clauses."""
    sign = draw.choice("★.*-~ ◆_|")
    parts = re.split(r"(?<=[，。！：、])", text)
    return "".join(sign.join(part) if draw.random() < 0.8 else part for part in parts)


def stuffed(draw: random.Random, nouns: Sequence[str], places: Sequence[str]) -> str:
    """Give a list of search words."""
    words = [draw.choice(places) + noun + draw.choice(_QUESTIONS[:9]) for noun in nouns for _ in range(2)]
    return draw.choice((",", "，", "|", " ", "、", "_")).join(draw.sample(words, draw.randint(12, 20)))


def asked(draw: random.Random, noun: str, place: str) -> str:
    """Give one search word asked for in every way."""
    return draw.choice("，？。").join(place + noun + question for question in draw.sample(_QUESTIONS, 9)) + "。"


def spun(draw: random.Random, word: str) -> str:
    """Give sentences about nothing but one word."""
    forms = (
        "{0}是{0}行业的{0}领导者",
        "选择{0}就要选择专业的{0}",
        "我们的{0}深受{0}用户的好评",
        "想了解{0}的朋友请关注{0}",
        "{0}的优势在于{0}的服务",
        "小编为大家介绍{0}",
        "更多{0}欢迎来电咨询{0}",
    )
    return "，".join(form.format(word) for form in draw.sample(forms, 5)) + "。"


def shuffled(draw: random.Random, text: str) -> str:
    """Give the characters of a text in any order, marks in their places."""
    characters = [c for c in text if c.isalnum()]
    draw.shuffle(characters)
    return "".join(characters.pop() if c.isalnum() else c for c in text)


def navigation(draw: random.Random, columns: Sequence[str]) -> str:
    """Give the columns of a site."""
    chosen = draw.sample(list(columns), min(len(columns), draw.randint(8, 12)))
    pages = draw.choice(("上一篇：没有了\n下一篇：返回列表", "共12页 首页 上一页 1 2 3 下一页 末页", ""))
    return draw.choice((" | ", " > ", "\n", "  ", " · ")).join(chosen) + "\n" + pages


def footer(draw: random.Random, place: str) -> str:
    """Give the last lines of a page."""
    number = draw.randint(10_000_000, 99_999_999)
    lines = (
        f"Copyright © {draw.randint(2008, 2023)} {place}某某有限公司 版权所有 All Rights Reserved.",
        f"{draw.choice('京沪粤浙')}ICP备{number}号-{draw.randint(1, 9)}",
        f"地址：{place}市人民路{draw.randint(1, 300)}号 邮编：{number % 1_000_000:06d} 电话：010-{number}",
        f"公网安备 {number}{number} 号",
        "法律声明 | 隐私政策 | 联系我们 | 网站地图",
        "技术支持：某某网络 建议使用1024×768分辨率浏览",
    )
    return "\n".join(draw.sample(lines, 4))


_VERSE_PARTS: dict[Half, str] = {
    "tuning": "寒山 秋水 孤灯 远客 落日 疏钟 旧梦 新雁 渔火 残雪 渡口 西楼 独倚 空照 忽听 遥望 长忆 暗度 白云 青石",
    "held_out": "春风 明月 晓露 征人 荒村 归帆 芳草 细雨 竹影 梅香 江头 东篱 静看 低唱 斜过 初闻 闲扫 轻送 黄叶 碧空",
}


def verse(draw: random.Random, half: Half) -> str:
    """Give four or eight lines of five or seven characters; what they say is not asked."""
    parts = _VERSE_PARTS[half].split()
    width, lines = draw.choice((5, 7)), draw.choice((4, 8))
    made = ["".join(draw.sample(parts, 4))[:width] for _ in range(lines)]
    return "".join(line + ("，", "。\n")[place % 2] for place, line in enumerate(made)).strip()
