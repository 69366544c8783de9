"""Users' patterns: how often they match, what share they cover, and which are refused."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headrace.stages.filter import Filter
from headrace.stages.filtering.patterns import STRETCH, Pattern, found


def counted(texts: list[str | None], **options: str | bool) -> list[tuple[float, float]]:
    values = found({"p": Pattern.model_validate(options)}, pa.array(texts, pa.large_string()))
    return list(zip(values["p_matches"].tolist(), values["p_share"].tolist(), strict=True))


def test_matches_are_counted_and_measured_in_characters() -> None:
    """The share is of characters, not of bytes; a null and an empty text have none."""
    assert counted(["加微信，加 VX。", "加我", None, ""], pattern=r"加\s*(微信|VX)") == [
        (2.0, 7 / 9),
        (0.0, 0.0),
        (0.0, 0.0),
        (0.0, 0.0),
    ]


def test_the_ends_of_lines_can_be_asked() -> None:
    """^ and $ are those of lines, and ^ is not true again behind each match."""
    assert counted(["加加加\n加", "x加"], pattern="^加") == [(2.0, 2 / 5), (0.0, 0.0)]
    assert counted(["ab\nab\nabab"], pattern="^ab$") == [(2.0, 4 / 10)]
    assert counted(["cat concat"], pattern=r"\bcat\b") == [(1.0, 3 / 10)]


def test_the_view_makes_spellings_equal() -> None:
    """On the view full width, traditional characters and capitals are no matter; on the text they are."""
    text = ["加ＶＸ，開戶"]
    assert counted(text, pattern="vx") == [(0.0, 0.0)]
    assert counted(text, pattern="vx|开户", on="view") == [(2.0, 4 / 6)]
    assert counted(["Spam SPAM"], pattern="spam", ignore_case=True) == [(2.0, 8 / 9)]


def test_a_pattern_on_the_view_may_have_capitals_and_no_character_that_no_view_has() -> None:
    """Capitals match; a traditional or full-width character would never be found, but ends of ranges stand."""
    assert counted(["加ＶＸ"], pattern="VX", on="view") == [(1.0, 2 / 3)]
    assert counted(["開戶"], pattern="[一-龥]+", on="view") == [(1.0, 1.0)]
    with pytest.raises(ValueError, match="the view never has 開; write 开"):
        Pattern(pattern="開戶", on="view")
    with pytest.raises(ValueError, match="the view never has Ｖ; write v"):
        Pattern(pattern="Ｖ", on="view")
    assert counted(["開戶"], pattern="開戶") == [(1.0, 1.0)]


def test_on_is_itself_where_yaml_makes_true_of_it() -> None:
    """{pattern: vx, on: view} is what the pages say, and YAML 1.1 reads the key as a truth."""
    written = yaml.safe_load("{patterns: {wechat: {pattern: vx, on: view}}}")
    assert Filter.model_validate(written).patterns == {"wechat": Pattern(pattern="vx", on="view")}


@given(st.lists(st.text("ab\n 中", max_size=30), min_size=1, max_size=5))
def test_it_counts_as_re_does(texts: list[str]) -> None:
    """Leftmost matches without overlaps, as Python's finditer gives them."""
    pattern = r"^a+|b中|a(?:b|$)"
    expected = [[match[0] for match in re.finditer(pattern, text, re.MULTILINE)] for text in texts]
    assert counted(list(texts), pattern=pattern) == [
        (float(len(hits)), sum(map(len, hits)) / max(1, len(text))) for hits, text in zip(expected, texts, strict=True)
    ]


def test_long_texts_are_read_in_stretches_that_end_with_lines() -> None:
    """No match is lost where lines are shorter than a stretch, and the ends of stretches make no new ones."""
    line = "加微信 " + "字" * 97 + "\n"
    assert counted([line * 500], pattern="^加微信")[0][0] == 500.0
    assert counted([line * 500], pattern="微信.*\n加")[0][0] == 484.0  # 15 stand over a border
    unbroken = "中" * STRETCH
    assert counted([unbroken], pattern="中") == [(float(STRETCH), 1.0)]
    assert counted([unbroken], pattern="中+")[0][1] == 1.0


def test_the_worst_pattern_on_a_text_without_lines_ends() -> None:
    """Searching behind each match up to the end of the text would be quadratic; stretches bound it."""
    assert counted(["a" * 100_000], pattern="a([^z]*z)?") == [(100_000.0, 1.0)]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "no pattern of linear time: missing )"),
        ("(?=a)b", "no look-around and no back reference"),
        (r"(a)\1", "no look-around and no back reference"),
        ("(a{1000}){1000}", "invalid repetition size"),
        ("a)(b", "no pattern of linear time"),
        ("a*", "also matches nothing at all"),
        (r"\b", "also matches nothing at all"),
        ("^", "also matches nothing at all"),
        ("^$", "also matches nothing at all"),
        ("x|", "also matches nothing at all"),
        ("", "at least 1 character"),
        ("a" * 10_001, "at most 10000 characters"),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str, said: str) -> None:
    """The message says why."""
    with pytest.raises(ValueError, match=re.escape(said)):
        Pattern(pattern=pattern)
