"""Boilerplate patterns together remove what each of them removes alone."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from headrace.stages.cleaning.boilerplate import ANYWHERE, FOOTERS, matches

LINES = (
    *(
        "",
        "x",
        "正文在这里。",
        "京ICP备12345678号",
        "本站 京icp备12345678号-1 京公网安备11000002000001号",
        "ICP备12345678",
    ),
    *("甲" * 60 + "京公网安备110000", "甲" * 61 + "公网安备110000", "公网安备 110000" + "乙" * 61),
    *("READ MORE >>", "read more about mills", "Previous page: 2", "上一页 | 下一页", "返回首页", "返回首页吧"),
    *(
        "Foo. All Rights Reserved.",
        "某某网版权所有 2020",
        "Copyright 2020 Foo",
        "Powered by Foo",
        "关于我们 | 联系我们",
    ),
)
FLAGS = re.IGNORECASE


def test_patterns_match_what_each_matches_alone() -> None:
    """However patterns begin, all of them together match a line if, and only if, one of them does."""
    lines = pa.array(LINES, pa.large_string())
    patterns = (*ANYWHERE, *FOOTERS)
    alone = np.array([[re.fullmatch(pattern, line, FLAGS) is not None for pattern in patterns] for line in LINES])
    assert matches(lines, patterns).tolist() == alone.any(axis=1).tolist()
    assert matches(lines, patterns[::-1]).tolist() == alone.any(axis=1).tolist()
    for number, pattern in enumerate(patterns):
        assert matches(lines, (pattern,)).tolist() == alone[:, number].tolist(), pattern


def test_without_patterns_nothing_matches() -> None:
    """No pattern matches no line, not even an empty one; an empty pattern matches that one alone."""
    lines = pa.array(LINES, pa.large_string())
    assert not matches(lines, ()).any()
    assert np.flatnonzero(matches(lines, ("",))).tolist() == [0]
