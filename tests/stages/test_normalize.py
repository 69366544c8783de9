"""Normalize gives one spelling, and giving it twice changes nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.normalize import Normalize

MARKS = "\u0301\u0323"
CHARACTERS = st.one_of(
    st.sampled_from("ＡｚÅé\u0301\u0323ﾞΣςİſ ﬁ\u3000\u00a0\t\n\r\u2028，！"), st.characters(codec="utf-8")
)
OPTIONS = (
    {},
    {"case": "lower"},
    {"white_space": "keep", "case": "lower"},
    {"widths": "keep", "max_blank_lines": 0},
)


def normalized(text: str, **options: object) -> str:
    stage = Normalize.model_validate(options)
    return str(stage.normalized(pa.array([text], pa.large_string()))[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ＡＢＣ１２３，　好！", "ABC123， 好！"),
        ("e\u0301 \u212b \u1112\u1161\u11ab", "é Å 한"),
        ("“引号”（括号）……——", "“引号”（括号）……——"),
        ("a  b\t\tc   \n\n\n\n\nd\r\ne\u2028f", "a b c\n\nd\ne\nf"),
        ("　　第一段。\n　　第二段。", "第一段。\n第二段。"),
        ("if x:\n    return  1\n\tpass", "if x:\n    return 1\n\tpass"),
        (" \n\t\n ", ""),
        ("ΑΣ İ", "ΑΣ İ"),
    ],
)
def test_one_spelling(text: str, expected: str) -> None:
    """Letters and digits become half-width, marks are joined, white space collapses, Chinese punctuation stays."""
    assert normalized(text) == expected


def test_case_is_lowered_only_when_asked() -> None:
    """`case: lower` lowers letters in any script; `keep` keeps them."""
    assert normalized("Ｈello ÅNGSTRÖM ЖУК", case="lower") == "hello ångström жук"
    assert normalized("Ｈello ÅNGSTRÖM") == "Hello ÅNGSTRÖM"


def test_white_space_can_stay() -> None:
    """`white_space: keep` changes nothing between the words."""
    assert normalized(" a  b\r\n\n\n\nＣ ", white_space="keep") == " a  b\r\n\n\n\nC "


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(st.text(CHARACTERS, max_size=30))
@settings(max_examples=200, deadline=None)
def test_twice_is_once(options: dict[str, object], text: str) -> None:
    """Normalizing a normalized text changes nothing, whatever the options."""
    once = normalized(text, **options)
    assert normalized(once, **options) == once


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_twice_is_once_for_every_code_point(options: dict[str, object]) -> None:
    """The same for each code point alone and between letters."""
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    stage = Normalize.model_validate(options)
    once = stage.normalized(pa.array([*points, *(f"a{point}a" for point in points)], pa.large_string()))
    assert stage.normalized(once).equals(once)


def test_no_document_leaves_and_other_columns_stay(table_of: Callable[..., pa.Table]) -> None:
    """The table keeps its rows, its columns and their order; only `text` changes."""
    table = table_of(["Ａ", "", "b  c"], licence=["MIT", None, "CC0"])
    result = Normalize().process(table)
    assert result["text"].to_pylist() == ["A", "", "b c"]
    assert result.schema == table.schema
    assert result.drop_columns("text").equals(table.drop_columns("text"))


def test_a_million_marks_end() -> None:
    """The form is the libraries', which alone would sort them for ten minutes, beyond the limit of a test."""
    short, long = (f"e{MARKS * n} a\u0301{'b' * n}" for n in (70, 500_000))
    assert normalized(short) == unicodedata.normalize("NFC", short)
    assert normalized(long).count("\u0323") == 499_999  # one joined its e
