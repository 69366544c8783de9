"""Presets say what they compare, with what, and why; their numbers are options."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pydantic import ValidationError
from tests.stages.filtering.first_reasons import first_reasons
from tests.stages.statistics.test_count import EXTREMES, drawn

from headrace.stages.filtering.chinese.names import VALUES as CHINESE_VALUES
from headrace.stages.filtering.gopher import Gopher
from headrace.stages.filtering.preset import Preset
from headrace.stages.filtering.presets import PRESETS
from headrace.stages.statistics.judge import Rule
from headrace.stages.statistics.shares import VALUES
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.statistics import Statistics

TEXTS = ("", "One word, and then one more.", "The mill turns.\nThe mill turns.\n\n[1] The mill {turns}.", "水流下山。")


def statistics(texts: tuple[str, ...] = TEXTS) -> Statistics:
    column = pa.array(texts, pa.large_string())
    return Statistics(column, Spans().words(column))


@pytest.mark.parametrize("name", PRESETS)
def test_every_rule_asks_a_value_that_is_measured(name: str) -> None:
    """All rules have one bound, a reason that is the key of their number, and finite values."""
    preset = PRESETS[name]()
    rules, found = preset.rules(), preset.measured(statistics())
    assert rules
    assert list(found) == list(dict.fromkeys(rule.value for rule in rules))
    for rule in rules:
        assert (rule.least is None) != (rule.most is None)
        key = rule.reason.removeprefix(f"{name}.")
        assert getattr(preset, key) == (rule.most if rule.least is None else rule.least)
    for value, measured in found.items():
        assert measured.dtype == np.float64
        assert len(measured) == len(TEXTS)
        assert np.isfinite(measured).all(), value
        assert value in VALUES or value in CHINESE_VALUES or value.startswith(f"{name}_")


@pytest.mark.parametrize("name", PRESETS)
def test_no_value_is_above_its_bound(name: str) -> None:
    """Random texts, and texts of one thing alone: all values are finite, and no share is above 1."""
    texts = tuple(
        text[:20_000] for text in (*EXTREMES.values(), *drawn(31, 150), "。", "😀", "\u200b", "今天天气好" * 10)
    )
    for value, found in PRESETS[name]().measured(statistics(texts)).items():
        assert np.isfinite(found).all(), value
        assert (found >= 0).all(), value
        assert not value.endswith("_share") or (found <= 1).all(), value


@pytest.mark.parametrize("name", PRESETS)
def test_every_field_says_what_it_means_and_where_it_comes_from(name: str) -> None:
    """The description of a bound ends with a source."""
    for field, told in PRESETS[name].model_fields.items():
        assert told.description, field
        assert told.description.endswith("."), field


def test_null_is_not_asked() -> None:
    """A rule without a number is no rule, and what it alone compares is not counted."""
    preset = Gopher(max_hash_share=None, min_words=30)
    assert "gopher.max_hash_share" not in [rule.reason for rule in preset.rules()]
    assert Rule("words", "gopher.min_words", least=30) in preset.rules()
    assert "hash_share" not in preset.measured(statistics())


def test_a_number_of_no_rule_is_an_error() -> None:
    """A name that is misspelt is found when the options are read."""
    with pytest.raises(ValidationError, match="max_hash_shares"):
        Gopher.model_validate({"max_hash_shares": 0.1})


@pytest.mark.parametrize("switch", ["on", "off"])
def test_a_switch_is_no_bound(switch: str) -> None:
    """`max_words: off` would be 0, by which every document goes; settings may be switches."""
    with pytest.raises(ValidationError, match="null takes the rule away"):
        Gopher.model_validate(yaml.safe_load(f"max_words: {switch}"))
    setting = PRESETS["c4"].model_validate(yaml.safe_load(f"remove_lines: {switch}"))
    assert setting.model_dump()["remove_lines"] == (switch == "on")


def test_values_of_settings_are_the_presets_own() -> None:
    """Two presets with different stop words fill two columns."""
    own = Gopher(stop_words=("One", "more"))
    assert list(own.measured(statistics())["gopher_stop_words"]) == [0, 2, 0, 0]
    assert "fineweb2_cmn_stop_words" in PRESETS["fineweb2_cmn"]().measured(statistics())


def test_counts_are_made_once_for_all_presets() -> None:
    """What two presets ask is counted when the first one asks."""
    asked = statistics()
    words = Gopher().measured(asked)["words"]
    assert asked.count("solid_words") is asked.count("solid_words")
    assert (PRESETS["fineweb2_cmn"]().measured(asked)["words"] == words).all()


def test_lines_that_go_are_taken_out_of_the_text() -> None:
    """C4 gives the lines it keeps, unless it only counts; Gopher leaves texts as they are."""
    asked = statistics(("It is a good line.\nno end\nIt is the next line. [1]\n",))
    kept = PRESETS["c4"]().kept(asked)
    assert kept is None or kept.to_pylist() == ["It is a good line."]
    assert kept is not None
    assert PRESETS["c4"].model_validate({"remove_lines": False}).kept(asked) is None
    assert Gopher().kept(asked) is None


def test_the_first_rule_that_is_broken_is_the_reason() -> None:
    """Rules are asked in the order of the fields."""
    assert first_reasons(Gopher(), statistics())[:2] == ["gopher.min_characters", "gopher.max_top_2_gram_share"]


def test_a_preset_with_own_values_has_to_measure_them() -> None:
    """A preset that forgets to say how is told so."""

    class Forgetful(Preset):
        name = "forgetful"
        own = frozenset({"mills"})
        min_mills: float | None = 1

    with pytest.raises(NotImplementedError, match="mills"):
        Forgetful().measured(statistics())
