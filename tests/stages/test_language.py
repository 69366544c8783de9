"""Language and script of documents, what is measured of them, and who leaves."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pydantic import ValidationError

from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.stages.base import conform
from headrace.stages.language import MEASURES, Language
from headrace.stages.languages.codes import BY_MODEL
from headrace.stages.languages.find import identified

SIMPLIFIED = "水从山上流下来，经过我们挖的渠道，带动磨坊的轮子。没有人知道它已经转了多少年。"
TRADITIONAL = "水從山上流下來，經過我們挖的渠道，帶動磨坊的輪子。沒有人知道它已經轉了多少年。"
LITERARY = "昔者河伯引水入渠，其势甚疾，乡人莫不惧焉。智者曰：水无常形，导之则利，壅之则害。遂作轮以用之。"
VERSES = "渠水东流去，轮声入夜寒。\n山深人未觉，风起叶初残。\n旧路无行客，孤灯照石栏。\n十年归不得，明月几回看。"
CANTONESE = "佢哋喺河邊整咗個水車，啲水嚟得好急，我哋都唔知點解佢仲未冧。你話係咪好犀利嘅嘢呀？"
JAPANESE = "山から流れてくる水が、水路を通って水車を回しています。いつから回っているのか、誰も知りません。"
KOREAN = "산에서 내려온 물이 수로를 지나 물레방아를 돌립니다. 언제부터 돌았는지 아무도 모릅니다."
ENGLISH = "The water comes down from the hills, runs through the channel that we dug, and turns the wheel of the mill."
PYTHON = (
    "import os\n\ndef turn(wheel, by=1):\n    if wheel.stuck:\n        raise Stuck(wheel)\n    return wheel.turn(by)\n"
)
C = '#include <stdio.h>\n\nint main(void) {\n\tfor (i = 0; i < 3; i++) {\n\t\tprintf("%d\\n", i);  /* 打印 */\n\t}\n}\n'
TABLE = "| 年 | 水量 | 转速 |\n| --- | --- | --- |\n| 2019 | 120 | 14 |\n| 2020 | 131 | 15 |\n"


def judged(texts: list[str], **options: Any) -> list[dict[str, Any]]:
    """Run the stage over texts, and give the rows."""
    ids = [str(number) for number in range(len(texts))]
    table = conform(pa.table({"doc_id": ids, "text": pa.array(texts, pa.large_string())}), DOCUMENT_SCHEMA)
    rows: list[dict[str, Any]] = Language.model_validate(options).process(table).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("text", "language", "script"),
    [
        (SIMPLIFIED, "zh", "Hans"),
        (TRADITIONAL, "zh", "Hant"),
        (f"{SIMPLIFIED}\n{TRADITIONAL}", "zh", "Hani"),
        ("水流下山", "zh", "Hani"),
        (LITERARY, "lzh", "Hans"),
        (VERSES, "lzh", "Hans"),
        (CANTONESE, "yue", "Hant"),
        (JAPANESE, "ja", "Jpan"),
        ("駅前図書館 発売単価 経済対応", "ja", "Jpan"),
        ("ミズグルマ", "ja", "Jpan"),
        (KOREAN, "ko", "Kore"),
        ("大韓民國은 民主共和國이다. 大韓民國의 主權은 國民에게 있고, 모든 權力은 國民으로부터 나온다.", "ko", "Kore"),
        (f"{TRADITIONAL}\n산에서 내려온 물이 수로를 지나 물레방아를 돌립니다.", "zh", "Hant"),
        ("ㄕㄨㄟˇ ㄔㄜ ㄓㄨㄢˇ ㄉㄨㄥˋ", "zh", "Hani"),
        (ENGLISH, "en", "Latn"),
        (ENGLISH.upper(), "en", "Latn"),
        ("Ｔｈｅ　ｗａｔｅｒ　ｃｏｍｅｓ　ｄｏｗｎ　ｆｒｏｍ　ｔｈｅ　ｈｉｌｌｓ.", "en", "Latn"),
        ("Das Wasser kommt von den Bergen herab und treibt das Rad der Mühle an.", "de", "Latn"),
        ("Вода спускается с гор по каналу и вращает колесо мельницы.", "ru", "Cyrl"),
        ("น้ำไหลลงมาจากภูเขาและหมุนกังหัน", "th", "Thai"),
        ("תָּא המים יורדים מן ההרים ומסובבים את גלגל הטחנה", "he", "Hebr"),
        (PYTHON, "code", "Latn"),
        (C, "code", "Latn"),
    ],
)
def test_a_text_is_what_it_is(text: str, language: str, script: str) -> None:
    """Languages, scripts and variants, prose and code."""
    assert identified(text)[:2] == (language, script)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\u3000\n",
        "12:30  2024-05-01  +86 10",
        "https://example.org/the/whole/story/of/the/wheel.html",
        "www.example.com 。 http://a.b/c",
        "👍🏽😀🎉❤️",
        "ok",
        "好的",
        "!!! ??? ……",
        "----------\n==========\n**********",
    ],
)
def test_nothing_is_invented(text: str) -> None:
    """What holds too few letters has no language, and no confidence."""
    name, script, confidence = identified(text)
    assert (name, confidence) == ("und", 0.0)
    assert script == "Zyyy"


MARKED = (
    "Tất cả mọi người sinh ra đều được tự do",
    "Všichni lidé rodí se svobodní",
    "À l'évidence, les élèves ont été très étonnés",
    "Ещё и мой, и твой, и всё в ней",
    KOREAN,
    JAPANESE,
)


@pytest.mark.parametrize("text", MARKED)
def test_letters_and_their_marks_may_stand_apart(text: str) -> None:
    """Letters with marks of their own (NFD, as macOS writes names) are in the language of the composed ones."""
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert identified(apart)[:2] == identified(text)[:2]


@pytest.mark.parametrize("text", ["e", "水", "か", "한", "1", "。", " ", "水车", "https://a.b/c"])
def test_marks_alone_are_no_letters(text: str) -> None:
    """A character with a hundred thousand marks does not become a text in a language."""
    assert identified(text + "\u0301" * 100_000)[0] == "und"


@pytest.mark.parametrize(
    "text",
    ["她躺在床上，望著遠處的山峰。", "一群羊在灶邊，這是個秘密。", "他穿著溫暖的脱俗衣裳，税務處的户口已經辦妥。"],
)
def test_characters_that_taiwan_and_hong_kong_write_are_not_simplified(text: str) -> None:
    """床, 群, 峰, 户 … are also those of traditional texts of today: they tell no variant."""
    (row,) = judged([text], han_variant="traditional")
    assert (row["script"], row["values.hant_share"], row["verdict"]) == ("Hant", 1, None)


def test_what_the_model_is_not_sure_of_has_no_language() -> None:
    """Letters without words, and names, give the script and what the model held likely, but no language."""
    assert identified("Xqzzt wfxqj vvkpq zzxcv qwrtp") == ("und", "Latn", 0.0)
    name, script, confidence = identified("Marco Rossi, Anna Keller")
    assert (name, script) == ("und", "Latn")
    assert 0 < confidence < 0.5


def test_every_document_has_every_measure() -> None:
    """Shares lie between 0 and 1; that of traditional characters is null where none tells."""
    for row in judged([SIMPLIFIED, TRADITIONAL, ENGLISH, "", TABLE, PYTHON, CANTONESE, "水流下山"]):
        values = {name: row[f"values.{name}"] for name in MEASURES}
        assert all(0 <= value <= 1 for name, value in values.items() if value is not None)
        assert {name for name, value in values.items() if value is None} <= {"hant_share"}
        assert row["verdict"] is None


PIECES = (
    *("今天", "我們", "嘅", "か", "한", "ㄅ", "é", "e\u0301", "𠀀", "the ", " wheel", "x=f(y);", "1,2,3,4", "|", "\t"),
    *("\n", "https://a.b/中", "\0", "😀", "\u200b", "ا"),
)


def test_what_a_document_is_never_depends_on_another() -> None:
    """Alone, in a batch, in a slice of one and over several chunks, a text is given the same."""
    rng = random.Random(5)
    texts = ["".join(rng.choices(PIECES, k=rng.choice([0, 1, 5, 50, 600]))) for _ in range(60)]
    stage = Language(keep=("zh",), han_variant="traditional")
    column = pa.array(texts, pa.large_string())
    whole = stage.process(pa.table({"text": column}))
    alone = pa.concat_tables(stage.process(pa.table({"text": column.slice(row, 1)})) for row in range(len(texts)))
    assert alone.combine_chunks().equals(whole.combine_chunks())
    parts = pa.chunked_array([column[:7], column[:0], column[7:]])
    assert stage.process(pa.table({"text": parts})).slice(3, 20).to_pylist() == whole.slice(3, 20).to_pylist()
    assert stage.process(pa.table({"text": column[:0]})).schema == whole.schema


def test_shares_say_what_a_document_is_made_of() -> None:
    """Variants, literary Chinese, code, tables and digits are measured apart from the language."""
    simple, old, literary, table, code, spoken = judged([SIMPLIFIED, TRADITIONAL, LITERARY, TABLE, C, CANTONESE])
    assert (simple["values.hant_share"], old["values.hant_share"]) == (0, 1)
    assert simple["values.classical"] < 0.01 < 0.99 < literary["values.classical"]
    assert (table["values.table_share"], simple["values.table_share"]) == (1, 0)
    assert table["values.digit_share"] == 18 / 48
    assert code["values.code_share"] == 1
    assert spoken["values.cantonese"] > 0.8


def test_a_text_in_two_languages_has_that_of_more_letters() -> None:
    """Bytes of letters decide, and the share of the language says how much of the text it is."""
    most, least = judged([f"{SIMPLIFIED}\n{ENGLISH}", f"{ENGLISH * 3}\n{SIMPLIFIED}"])
    assert (most["language"], least["language"]) == ("zh", "en")
    assert 0.5 < most["values.language_share"] < 0.65
    assert 0.65 < least["values.language_share"] < 0.8


def test_code_between_sentences_does_not_hide_their_language() -> None:
    """A page on programming is in the language of its sentences, until seven tenths of it are code."""
    page, listing = judged([f"{SIMPLIFIED}\n{SIMPLIFIED}\n{PYTHON}", f"{SIMPLIFIED}\n{PYTHON * 4}"])
    assert (page["language"], listing["language"]) == ("zh", "code")
    assert page["values.language_share"] == 1
    assert 0.2 < page["values.code_share"] < 0.7 < listing["values.code_share"]


RUSSIAN = "Вода (H2O) спускается с гор, см. п. 3.1; колесо f(x) = a[1] вертится: iPhone и a.b, сказал он. "


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        (ENGLISH + " See e.g. McDonald [12], f(x) = a_1 + b_2; the site is a.org. ", "en"),
        (SIMPLIFIED + "用f(x)=a[1]来算，见a.org、iPhone和b_2。", "zh"),
        (RUSSIAN, "ru"),
        (PYTHON.replace("\n", "; "), "code"),
    ],
)
def test_a_page_in_one_line_is_what_its_sentences_are(sentence: str, language: str) -> None:
    """A line of any length holds enough marks to be code; it is judged by how many it has in each stretch."""
    (row,) = judged([sentence * 100])
    assert row["language"] == language
    assert (row["values.code_share"] > 0.9) == (language == "code")


def test_documents_in_other_languages_are_dropped() -> None:
    """`keep` names what stays, zh with its kinds; the reason comes with the confidence."""
    texts = [SIMPLIFIED, LITERARY, CANTONESE, ENGLISH, JAPANESE, "12", PYTHON]
    rows = judged(texts, keep=["zh", "en"])
    assert [row["reason"] for row in rows] == [None] * 4 + ["language"] * 3
    assert rows[4]["value"] == rows[4]["values.language_confidence"] > 0.9
    assert rows[4]["threshold"] is None
    everything = judged(texts, keep=["yue", "und", "code"])
    assert [row["language"] for row in everything if row["verdict"] is None] == ["yue", "und", "code"]


def test_a_confidence_is_asked_of_each_language() -> None:
    """One threshold for all, or one for each language; others are not asked."""
    doubtful = "Il a la casa"  # of several languages
    all_of_them = judged([ENGLISH, doubtful], min_confidence={"py3langid": 0.95})
    assert [row["reason"] for row in all_of_them] == [None, "min_confidence"]
    assert all_of_them[1]["value"] < all_of_them[1]["threshold"] == 0.95
    english = judged([ENGLISH, SIMPLIFIED], min_confidence={"py3langid": {"en": 1.0}})
    assert [row["reason"] for row in english] == ["min_confidence", None]


def test_a_variant_is_kept() -> None:
    """The other variant and mixtures go, and what does not tell stays, as do other languages."""
    texts = [SIMPLIFIED, TRADITIONAL, f"{SIMPLIFIED}\n{TRADITIONAL}", "水流下山", ENGLISH, JAPANESE]
    simplified = judged(texts, han_variant="simplified")
    assert [row["reason"] for row in simplified] == [None, "han_variant", "han_variant", None, None, None]
    assert (simplified[1]["value"], simplified[1]["threshold"]) == (1, pytest.approx(0.1))
    traditional = judged(texts, han_variant="traditional")
    assert [row["reason"] for row in traditional] == ["han_variant", None, "han_variant", None, None, None]


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (f"{ENGLISH}\n{SIMPLIFIED}", {"min_language_share": 0.8}, "min_language_share"),
        (PYTHON, {"max_code_share": 0.5}, "max_code_share"),
        (TABLE, {"max_table_share": 0.5}, "max_table_share"),
        ("2019 120 14 2020 131 15", {"max_digit_share": 0.5}, "max_digit_share"),
        (SIMPLIFIED, {"min_language_share": 0.8, "max_code_share": 0, "max_digit_share": 0}, None),
    ],
)
def test_shares_have_limits(text: str, options: dict[str, float], reason: str | None) -> None:
    """Each limit is asked only where it is given, and named with value and threshold."""
    (row,) = judged([text], **options)
    assert row["reason"] == reason
    if reason:
        assert row["threshold"] == options[reason]
        assert row["value"] == row[f"values.{reason[4:]}"]


def test_without_a_model_characters_still_decide() -> None:
    """Chinese, Japanese, Korean and code need none; other languages are und, in their script."""
    rows = judged([SIMPLIFIED, KOREAN, ENGLISH], model="scripts")
    assert [(row["language"], row["script"]) for row in rows] == [("zh", "Hans"), ("ko", "Kore"), ("und", "Latn")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_confidence": {"glotlid": 0.69}}, "is for the model 'glotlid', but model is 'py3langid'"),
        ({"model": "scripts", "min_confidence": {"py3langid": 0.5}}, "write scripts: with a value"),
        ({"min_confidence": {"en": 0.8}}, "write min_confidence: {py3langid: {en: 0.8}}"),
        ({"keep": ["wuu"]}, "write zh"),
        ({"min_confidence": 0.65}, "a confidence belongs to a model; write min_confidence: {py3langid: 0.65}"),
        ({"keep": ["zho_Hans"]}, "write zh, and han_variant: simplified"),
        ({"keep": ["cmn_Hani"]}, "write zh"),
        ({"keep": ["zh-TW"]}, "write zh, and han_variant: traditional"),
        ({"keep": ["English"]}, "write en"),
        ({"keep": ["uk", "ukr"]}, "no document is ever given the language 'ukr'; did you mean uk or ur?"),
        ({"keep": ["klingon"]}, "docs/how-to/language.md lists the codes"),
        ({"min_confidence": {"py3langid": {"cmn": 0.4}}}, "write zh"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    """A code that no document gets would drop everything, and a threshold of another model would mean nothing."""
    with pytest.raises(ValidationError) as error:
        Language.model_validate(options)
    assert message in str(error.value)


def test_the_codes_of_the_model_are_in_its_documents() -> None:
    """The list that a message points to is that of the model."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "language.md").read_text(encoding="utf-8")
    assert page.split("```text\n")[1].split("```")[0].split() == sorted(BY_MODEL)


def test_norwegian_is_no_refusal() -> None:
    """YAML 1.1 reads a bare no as false; in a list of languages it is one."""
    assert Language.model_validate(yaml.safe_load("keep: [no, en]")).keep == ("no", "en")
