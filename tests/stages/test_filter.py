"""The stage: profiles, presets, rules, what is recorded, and what is decided again from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import BaseModel

from headrace.schemas.document import DOCUMENT_SCHEMA, VERDICT_SCHEMA
from headrace.schemas.errors import ConfigError
from headrace.stages.base import Decides, Reads
from headrace.stages.clean import Clean
from headrace.stages.filter import Filter
from headrace.stages.filtering.names import ELSEWHERE, numbers
from headrace.stages.filtering.presets import PRESETS
from headrace.stages.language import Language

Tables = Callable[..., pa.Table]
PROSE = (
    "The wheel turns slowly below the mill, and the water that has passed it goes on to the next village.\n"
    "Nobody there remembers who built the weir, but they have mended it every spring with stones of the river.\n"
    "In dry years the miller waits for rain; then the children walk on the bed of the stream and look for fish.\n"
    "When the clouds come at last, the gates are opened, and by evening you can hear the stones again.\n"
)
CHINESE = "水轮在磨坊下面慢慢地转，流过去的水又流到下一个村子。\n那里没有人记得堤坝是谁修的，可是每年春天都有人去补。\n"
SPAM = "加微信：abc\n加VX 办证\n加 微信\n"
RULES = {"wechat_spam": "wechat_matches >= 3 and (characters < 500 or not language == 'zh')"}
PATTERNS = {"wechat": r"加\s*(微信|VX)"}


def made(**options: Any) -> Filter:
    return Filter.model_validate(options)


def run(stage: Filter, texts: list[str], tables: Tables, **columns: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = stage.process(tables(texts, **columns)).to_pylist()
    return rows


def test_a_document_is_judged_by_the_profile_of_its_language(table_of: Tables) -> None:
    """The most specific key wins; zh stands for kinds of Chinese without one; the rest passes without values."""
    stage = made(profiles={"en": ["gopher"], "zh": ["fineweb2-cmn"], "zh-Hant": [], "de": []})
    kinds = [
        ("en", "Latn"),
        ("zh", "Hans"),
        ("zh", "Hant"),
        ("yue", "Hant"),
        ("wuu", None),
        ("de", "Latn"),
        ("fr", "Latn"),
    ]
    languages, scripts = zip(*kinds, strict=True)
    rows = run(stage, ["short"] * len(kinds), table_of, language=languages, script=scripts)
    assert [row["profile"] for row in rows] == ["en", "zh", "zh-Hant", "zh-Hant", "zh", "de", None]
    assert [row["reason"] for row in rows[:2]] == ["gopher.min_words", "fineweb2_cmn.min_ended_line_share"]
    assert [row["verdict"] for row in rows[2:]] == ["dropped" if row["profile"] == "zh" else None for row in rows[2:]]
    assert [row["values.gopher_stop_words"] for row in rows] == [0.0, *[None] * 6]
    assert all(row["values.filter_words"] == 1.0 for row in rows)


def test_by_default_each_kind_of_chinese_and_verse_has_its_profile(table_of: Tables) -> None:
    """A poem that would be too short and too regular for prose is verse, whatever kind of Chinese it is in."""
    poem = "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。\n"
    languages = ["en", "zh", "lzh", "yue", "zh", "lzh", "ja", None]
    texts = [PROSE, CHINESE, CHINESE, CHINESE, poem, poem, poem, poem]
    rows = run(made(), texts, table_of, language=languages)
    assert [row["profile"] for row in rows] == ["en", "zh", "lzh", "yue", "verse", "verse", "*", "verse"]
    assert [row["reason"] for row in rows if row["profile"] == "verse"] == [None] * 3
    later = run(made(verse_from=1, profiles={"zh": [], "verse": []}), [poem + CHINESE], table_of, language=["zh"])
    assert later[0]["profile"] == "zh"


def test_without_a_language_the_letters_tell_chinese(table_of: Tables) -> None:
    """Put `language` before it; without, a third of Han letters is Chinese, and cut as that."""
    rows = run(made(profiles={"zh": [], "*": []}), [CHINESE, PROSE, "123", "和 and"], table_of)
    assert [row["profile"] for row in rows] == ["zh", "*", "*", "*"]
    assert [row["values.han_share"] for row in rows] == [1.0, 0.0, 0.0, 0.25]
    assert rows[0]["values.filter_words"] > 20


def test_numbers_are_fields_and_null_asks_nothing(table_of: Tables) -> None:
    """The reason is the key of the number, both numbers stand beside it, and the detail has other broken rules."""
    texts, columns = ["One two. " * 4], {"language": ["en"]}
    (row,) = run(made(profiles={"en": ["gopher"]}, gopher={"max_top_2_gram_share": 0.1}), texts, table_of, **columns)
    assert (row["verdict"], row["reason"], row["threshold"]) == ("dropped", "gopher.max_top_2_gram_share", 0.1)
    assert row["value"] == row["values.top_2_gram_share"] > 0.1
    assert row["detail"].startswith("also gopher.max_top_3_gram_share ")
    off = {name: None for name in PRESETS["gopher"].model_fields if name.startswith(("min_", "max_"))}
    (row,) = run(made(profiles={"en": ["gopher"]}, gopher=off), texts, table_of, **columns)
    assert row["verdict"] is None
    (row,) = run(made(profiles={"en": ["gopher"]}, gopher=off | {"min_words": 9}), texts, table_of, **columns)
    assert (row["reason"], row["value"], row["threshold"], row["detail"]) == ("gopher.min_words", 8.0, 9.0, None)


def test_a_rule_of_the_users_own_says_what_it_found(table_of: Tables) -> None:
    """Value and threshold are of the first comparison of numbers that decided, the detail has all of them."""
    stage = made(profiles={}, patterns=PATTERNS, rules=RULES)
    spam, other, kept = run(stage, [SPAM, SPAM * 40, PROSE], table_of, language=["zh", "en", None])
    assert (spam["reason"], spam["value"], spam["threshold"]) == ("wechat_spam", 3.0, 3.0)
    assert spam["detail"] == (
        "wechat_matches >= 3 is true: 3; characters < 500 is true: 20; language == 'zh' is true: zh"
    )
    assert other["detail"].endswith("characters < 500 is false: 800; language == 'zh' is false: en")
    assert kept["verdict"] is None
    assert (spam["values.wechat_matches"], kept["values.wechat_matches"]) == (3.0, 0.0)
    assert spam["values.wechat_share"] == 10 / 20


def test_rules_ask_values_of_stages_before(table_of: Tables) -> None:
    """Word lists and scores come by their columns; what no stage measured is not known, and drops nothing."""
    rules = {"games": "values.words_games > 2 and values.words_games_distinct >= 2", "poor": "scores.total < 0.2"}
    table = table_of(["a", "b", "c"])
    for name, numbers_ in {
        "values.words_games": [5.0, 5.0, None],
        "values.words_games_distinct": [3.0, 1.0, 9.0],
    }.items():
        table = table.append_column(name, pa.array(numbers_, pa.float64()))
    after = made(profiles={}, rules=rules).process(table)
    assert after["reason"].to_pylist() == ["games", None, None]


def test_a_rule_that_is_null_is_not_asked() -> None:
    """So that what-if and a command line can switch one off, as they do a number of a preset."""
    assert list(made(rules={"a": None, "b": "characters > 2"}).rules) == ["b"]
    with pytest.raises(ValueError, match="valid dictionary"):
        made(rules=["characters > 2"])


def test_presets_come_before_rules_and_rules_in_their_order(table_of: Tables) -> None:
    """Each document has one reason: the first."""
    stage = made(profiles={"en": ["gopher"]}, rules={"b": "characters > 2", "a": "characters > 1"})
    rows = run(stage, ["x", "xx", "xxx", "word"], table_of, language=["fr", "fr", "fr", "en"])
    assert [row["reason"] for row in rows] == [None, "a", "b", "gopher.min_words"]


def test_c4_takes_out_lines_and_keeps_the_rest(table_of: Tables) -> None:
    """What passes goes on with the lines kept, what is dropped keeps its text, and values are of all lines."""
    page = (
        "Menu\n"
        + PROSE.replace("river.", "river. And it is well.").replace("fish.", "fish. They are few.")
        + "Next page"
    )
    stage = made(profiles={"en": ["c4"]})
    kept, dropped, untouched = run(
        stage, [page, "Menu\nOne line here.\n", "Menu"], table_of, language=["en", "en", "fr"]
    )
    assert kept["verdict"] is None
    assert kept["text"].splitlines() == page.splitlines()[1:-1]
    assert kept["values.lines"] == len(page.splitlines())
    assert (dropped["reason"], dropped["text"]) == ("c4.min_sentences", "Menu\nOne line here.\n")
    assert untouched["text"] == "Menu"
    (row,) = run(made(profiles={"en": ["c4"]}, c4={"remove_lines": False}), [page], table_of, language=["en"])
    assert row["text"] == page


@pytest.mark.parametrize("preset", ["c4", "refinedweb"])
def test_no_empty_text_passes(table_of: Tables, preset: str) -> None:
    """A page whose lines are all taken out is dropped, even where nothing else asks how much is left."""
    rules = [rule.reason.partition(".")[2] for rule in PRESETS[preset]().rules()]
    off = dict.fromkeys(rule for rule in rules if rule != "min_kept_characters")
    stage = made(profiles={"en": [preset]}, **{preset: off})
    empty, full = run(stage, ["Menu\n\n12\n", PROSE], table_of, language=["en", "en"])
    assert (empty["reason"], empty["value"], empty["threshold"]) == (f"{preset}.min_kept_characters", 0, 1)
    assert full["verdict"] is None


def test_the_second_filter_of_a_chain_has_columns_of_its_own(table_of: Tables) -> None:
    """A prefix parts values and profiles; none of the names is one of another stage."""
    first, second = made(profiles={"en": ["c4"]}), made(profiles={"en": ["fineweb"]}, prefix="late_")
    table = first.process(table_of([PROSE], language=["en"])).drop_columns(VERDICT_SCHEMA.names)
    names = {*table.column_names}
    new = {*second.process(table).column_names} - names - {*VERDICT_SCHEMA.names}
    assert "late_profile" in new
    assert all(name.startswith(("values.late_", "late_")) for name in new)


def test_no_column_of_another_stage_is_written_over(table_of: Tables) -> None:
    """`clean` and `language` can be decided again: their values are theirs, whatever is recorded here."""
    stage = made(record="all", patterns=PATTERNS)
    own = {*stage.process(table_of([PROSE])).column_names} - {*DOCUMENT_SCHEMA.names}
    for other in (Clean(), Language()):
        theirs = {name for name in other.process(table_of([PROSE])).column_names if name.startswith("values.")}
        assert own.isdisjoint(theirs)
        assert {name.removeprefix("values.") for name in theirs} <= ELSEWHERE


def test_all_values_can_be_recorded(table_of: Tables) -> None:
    """`record: all` stores every value of every document, by every preset's settings."""
    table = made(profiles={}, record="all").process(table_of([PROSE, CHINESE], language=["en", "zh"]))
    stored = {name for name in table.column_names if name.startswith("values.")}
    assert len(stored) >= len(numbers()) - 1
    whole = stored - {"values.han_share", "values.verse_share"}
    assert all(table[name].null_count == 0 for name in whole)


EDGES = {
    "empty": "",
    "one letter": "a",
    "one Han": "好",
    "a million": "好书" * 500_000,
    "a million letters": "a" * 1_000_000,
    "a million lines": "a\n" * 500_000,
    "white space": " \n\t\u3000\n" * 50,
    "no spaces": "thewheelturns" * 500,
    "punctuation": "，。！？!?.,;:" * 200,
    "emoji": "👍🏽👨‍👩‍👧" * 200,
    "mixed": "The 轮子 поворачивается くるま 바퀴 عجلة " * 100,
    "brackets": "(" * 20_000,
    "marks": "e" + "\u0301" * 5000,
    "hashes": "#\n...\n" * 1000,
}


@pytest.mark.parametrize("language", [None, "en", "zh"])
def test_values_are_finite_and_within_their_bounds(language: str | None, table_of: Tables) -> None:
    """Whatever the text: no value is NaN, infinite or negative, no share is above 1."""
    stage = made(record="all", patterns={"any": ".", "sign": r"\pP+$"}, rules={"odd": "characters / words > 1e308"})
    texts = [text for text in EDGES.values() if len(text) < 100_000 or language is None]
    table = stage.process(table_of(texts, language=[language] * len(texts)))
    for name in table.column_names:
        if name.startswith("values."):
            values = table[name].drop_null().to_numpy()
            assert np.isfinite(values).all(), name
            assert (values >= 0).all(), name
            assert not name.endswith("_share") or (values <= 1).all(), name


@pytest.mark.parametrize("compat", ["headrace", "datatrove"])
def test_the_reference_gives_the_same_values(compat: str, table_of: Tables) -> None:
    """spaCy, jieba and plain Python find what the kernels find, and decide the same."""
    texts = [PROSE, CHINESE * 3, SPAM, "", "x", *(text for text in EDGES.values() if len(text) < 5000)]
    texts += [PROSE + "Menu [1] here.[edit]\n{x}\nuses cookies and more\n" + PROSE]
    languages = ["en", "zh", "zh", "en", None, *["en", "zh"] * len(texts)][: len(texts)]
    options = {"profiles": {"en": ["gopher", "c4", "fineweb"], "zh": ["fineweb2_cmn"]}, "compat": compat}
    fast, slow = (
        made(**options, record="all", engine=engine).process(table_of(texts, language=languages))
        for engine in ("headrace", "reference")
    )
    assert [name for name in fast.column_names if not fast[name].equals(slow[name])] == []


def test_it_decides_again_as_it_did(table_of: Tables) -> None:
    """From the stored columns alone, those that it reads: verdicts, reasons, numbers, profiles and details."""
    stage = made(
        profiles={"en": ["gopher", "fineweb"], "zh": ["fineweb2_cmn"], "*": []}, patterns=PATTERNS, rules=RULES
    )
    assert isinstance(stage, Decides)
    assert isinstance(stage, Reads)
    table = stage.process(table_of([PROSE, CHINESE, SPAM, "x"], language=["en", "zh", "zh", None]))
    stored = table.select([name for name in stage.reads() if name in table.column_names])
    again = stage.decided(stored)
    for name in (*VERDICT_SCHEMA.names, "profile"):
        assert again[name].equals(table[name]), name


def test_another_number_is_answered_without_the_text(table_of: Tables) -> None:
    """What a new configuration decides from stored values is what it decides from the text."""
    before = made(profiles={"en": ["gopher"]}, patterns=PATTERNS, rules=RULES)
    changes: list[dict[str, Any]] = [
        {"gopher": {"min_words": 100}},
        {"gopher": {"min_words": None}},
        {"rules": {"short": "characters < 1000 and wechat_matches == 0"}},
    ]
    texts = table_of([PROSE, SPAM, "x"], language=["en", "en", "en"])
    stored = before.process(texts).drop_columns(VERDICT_SCHEMA.names)
    for change in changes:
        after = made(**before.model_dump() | change)
        assert after.unanswerable(before) == []
        assert after.decided(stored)["reason"].equals(after.process(texts)["reason"])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"compat": "datatrove"}, ["compat"]),
        ({"prefix": "x_"}, ["prefix"]),
        ({"engine": "reference"}, []),
        ({"english_words": "nltk", "mend": True}, ["english_words", "mend"]),
        ({"gopher": {"stop_words": ["a"]}}, ["gopher.stop_words"]),
        ({"c4": {"longest_word_characters": 9}}, []),  # nobody asks c4
        ({"gopher": {"min_characters": 5}}, []),
        ({"gopher": {"max_hash_share": 0.5}}, ["gopher.max_hash_share"]),  # it was null, and not measured
        ({"profiles": {"en": ["gopher", "fineweb"]}}, ["profiles.en"]),
        ({"profiles": {"en": ["gopher"], "*": ["gopher"]}}, ["profiles.en", "profiles.*"]),
        ({"rules": {"new": "top_2_gram_share > 0.1"}}, ["rules.new"]),
        ({"rules": {"new": "values.words_games > 1 and words > 3 and language == 'zh'"}}, []),
        ({"patterns": {"wechat": "VX"}}, ["patterns.wechat"]),
        ({"patterns": {"wechat": "VX"}, "rules": {}}, []),
    ],
)
def test_options_that_need_the_text_again_are_named(change: dict[str, Any], named: list[str]) -> None:
    """They are those that measure otherwise, or ask for what was not measured."""
    options = {"profiles": {"en": ["gopher"]}, "gopher": {"max_hash_share": None}, "patterns": PATTERNS, "rules": RULES}
    merged = {key: {**options.get(key, {}), **value} if key == "gopher" else value for key, value in change.items()}
    assert made(**options | merged).unanswerable(made(**options)) == named


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"profiles": {"english": ["gopher"]}}, "no document is ever given the language 'english'; write en"),
        ({"profiles": {"zh-TW": ["gopher"]}}, "'zh-TW' is no key of a profile"),
        ({"profiles": {"zh-Latn": ["gopher"]}}, "Chinese is never in the script 'Latn'"),
        ({"profiles": {"en": ["gofer"]}}, "profile 'en': there is no preset 'gofer'; did you mean gopher?"),
        ({"profiles": {"en": ["gopher", "gopher"]}}, "names a preset twice"),
        ({"profiles": {"en": ["c4", "refinedweb"]}}, "c4 and refinedweb both take out lines"),
        ({"rules": {"x": "wrods > 3"}}, "there is no value 'wrods'; did you mean words?"),
        ({"rules": {"x": "digit_share > 0.3"}}, "did you mean values.digit_share"),
        ({"rules": {"x": "wechat_matches > 3"}}, "there is no value 'wechat_matches'"),
        ({"rules": {"Bad-Name": "words > 3"}}, "should match pattern"),
        ({"patterns": {"hash": "#"}}, "a pattern 'hash' would give hash_share"),
        ({"patterns": {"digit": "1"}}, "a pattern 'digit' would give digit_share"),
        ({"patterns": {"x": "("}}, "is no pattern of linear time"),
        ({"gopher": {"min_wrods": 3}}, "Extra inputs are not permitted"),
        ({"prefix": "A b"}, "should match pattern"),
        ({"verse_from": 2}, "less than or equal to 1"),
    ],
)
def test_what_cannot_work_is_refused(options: dict[str, Any], said: str) -> None:
    """Before anything runs, with what to write instead."""
    with pytest.raises(ValueError, match=re.escape(said)):
        made(**options)


def test_every_preset_is_an_option() -> None:
    """Its numbers are set under its name, and each says what it is."""
    assert set(PRESETS) <= set(Filter.model_fields)
    for name, preset in PRESETS.items():
        assert Filter.model_fields[name].annotation is preset
        assert issubclass(preset, BaseModel)
        assert all(field.description for field in preset.model_fields.values())


def test_a_user_dictionary_travels_with_the_run(tmp_path: Any, table_of: Tables) -> None:
    """Its words are cut as one, from the configuration's folder and from the packed copy; what is none is refused."""
    (tmp_path / "words.txt").write_text("磨坊下面慢慢地转 100000\n", encoding="utf-8")
    stage = made(profiles={}, user_dictionary="words.txt")
    packed = stage.packed(tmp_path)
    assert packed is not None
    (tmp_path / "packed.bin").write_bytes(packed)
    plain = run(made(profiles={}), [CHINESE], table_of, language=["zh"])[0]["values.filter_words"]
    longer = run(stage.unpacked(tmp_path / "packed.bin"), [CHINESE], table_of, language=["zh"])[0][
        "values.filter_words"
    ]
    assert longer < plain
    (tmp_path / "bad.txt").write_bytes("好\n".encode() + "磨坊".encode("gbk"))
    (tmp_path / "empty.txt").write_bytes(b"\n")
    for name, said in (("bad", "bad.txt:2: the user dictionary is not UTF-8"), ("empty", "is empty"), ("no", "read")):
        with pytest.raises(ConfigError, match=said):
            made(user_dictionary=f"{name}.txt").packed(tmp_path)
    assert made().packed(tmp_path) is None


def test_words_are_cut_by_the_rules_that_are_chosen(table_of: Tables) -> None:
    """NLTK cuts "cannot" in two and leaves a full stop within; mend keeps runs of other letters whole."""
    texts, languages = ["I cannot. Go to etc.now", "книга 好书 にほんご"], ["en", "zh"]
    by_default, chosen = (
        run(made(profiles={}, **options), texts, table_of, language=languages)
        for options in ({}, {"english_words": "nltk", "mend": True})
    )
    assert [row["values.filter_words"] for row in by_default] != [row["values.filter_words"] for row in chosen]
    assert by_default[1]["values.filter_words"] > chosen[1]["values.filter_words"]


def test_a_null_text_and_no_rows_are_measured_too(table_of: Tables) -> None:
    """The columns are the same, whatever is in the table."""
    stage = made(patterns=PATTERNS, rules=RULES)
    table = table_of(["x"])
    null = table.set_column(table.column_names.index("text"), "text", pa.nulls(1, pa.large_string()))
    assert stage.process(null)["values.filter_characters"].to_pylist() == [0.0]
    assert stage.process(table.slice(0, 0)).schema.equals(stage.process(table).schema)
