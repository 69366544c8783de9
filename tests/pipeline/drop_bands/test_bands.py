from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from headrace.pipeline.drop_bands.bands import Band, Bands, check_names, known_rules
from headrace.pipeline.dropped_examples import with_examples
from headrace.pipeline.load import load_config
from headrace.schemas.errors import ConfigError
from headrace.schemas.ledger import StageCounts
from headrace.stages.filter import Filter

STAGES = [
    {"kind": "clean", "max_digit_share": 0.4, "min_characters": 10},
    {"kind": "dedup"},
    {"kind": "pii", "email": 1},
]
RULES = known_rules(STAGES)


def counts(stage: str, received: int, **dropped: int) -> StageCounts:
    return StageCounts(stage, received, 0, received - sum(dropped.values()), dropped)


def outside(stage: StageCounts, own: dict[str, Band | None] | None = None, documents: int = 100) -> list[str]:
    return [share.name for share in Bands(own or {}, documents, RULES).outside([stage])]


def test_a_rule_that_takes_more_than_its_built_in_band_is_outside() -> None:
    """The other rules of the stage, which are inside, are not named."""
    assert outside(counts("clean", 1000, max_digit_share=301, max_run_share=300)) == ["clean: max_digit_share"]


def test_copies_and_stubs_may_be_more_than_faults() -> None:
    """Half of a crawl may be short pages, four of five documents copies."""
    assert outside(counts("clean", 1000, min_characters=500)) == []
    assert outside(counts("dedup", 1000, near_duplicate=800)) == []
    assert outside(counts("dedup", 1000, near_duplicate=801)) == ["dedup: near_duplicate"]


def test_nothing_is_said_of_few_documents() -> None:
    """Of 99 documents any share is chance."""
    assert outside(counts("clean", 99, max_digit_share=99)) == []
    assert outside(counts("clean", 100, max_digit_share=99)) == ["clean: max_digit_share"]


def test_what_a_user_chose_has_no_band() -> None:
    """Grades are kept or not as the configuration says."""
    assert outside(counts("grade", 1000, grade=999)) == []


def filtered(stage: str = "filter", **dropped: int) -> StageCounts:
    return counts(stage, 1000, **{name.replace("__", "."): count for name, count in dropped.items()})


def test_a_rule_of_a_preset_has_a_band_and_one_that_a_user_wrote_has_none() -> None:
    """Half of the documents by one rule: the preset is for another language; a second filter has the same bands."""
    dropped = filtered(gopher__min_words=501, fineweb__max_newline_share=499)
    assert outside(dropped) == ["filter: gopher.min_words"]
    assert outside(filtered("filter.2", refinedweb__min_words=600)) == ["filter.2: refinedweb.min_words"]
    assert outside(filtered(wechat_spam=999)) == []


@pytest.mark.parametrize("name", ["gopher.min_words", "filter.gopher.min_words", "wechat_spam", "filter.wechat_spam"])
def test_a_rule_of_a_filter_is_called_like_its_reason(name: str) -> None:
    """With its stage or without; a slip in it is found, and one that never fires is missed."""
    rules = known_rules([Filter(rules={"wechat_spam": "words > 3"}).model_dump()])
    check_names({name: (0.1, 0.7)}, ["filter"], rules)
    with pytest.raises(ConfigError, match=f"Did you mean '{name}'"):
        check_names({name[:-1]: (0.1, 0.7)}, ["filter"], rules)
    (share,) = Bands({name: (0.1, 0.7)}, 100, rules).outside([filtered()])
    assert share.name == f"filter: {name.removeprefix('filter.')}"


@pytest.mark.parametrize("name", ["max_digit_share", "clean.max_digit_share"])
def test_the_users_band_comes_first(name: str) -> None:
    """By the rule's name, or by the stage's and the rule's."""
    stage = counts("clean", 1000, max_digit_share=200)
    assert outside(stage, {name: (0.0, 0.1)}) == ["clean: max_digit_share"]
    assert outside(counts("clean", 1000, max_digit_share=999), {name: None}) == []


def test_the_second_stage_of_a_kind_has_the_built_in_bands_and_a_name_of_its_own() -> None:
    """`clean.2.max_digit_share` is the second one's rule alone."""
    assert outside(counts("clean.2", 1000, max_digit_share=400)) == ["clean.2: max_digit_share"]
    assert outside(counts("clean.2", 1000, max_digit_share=400), {"clean.2.max_digit_share": (0, 1)}) == []
    assert outside(counts("clean", 1000, max_digit_share=400), {"clean.2.max_digit_share": (0, 1)}) != []


def test_a_stage_has_a_band_for_all_its_rules_together() -> None:
    """Many small rules may add up."""
    stage = counts("clean", 1000, max_digit_share=250, max_run_share=250)
    assert outside(stage) == []
    assert outside(stage, {"clean": (0.0, 0.4)}) == ["clean"]


def test_a_rule_that_never_fires_is_outside_a_band_that_expects_it_to() -> None:
    """Too little is as telling as too much: a misspelt list matches nothing."""
    band: dict[str, Band | None] = {"max_digit_share": (0.01, 0.2)}
    [share] = Bands(band, 100, RULES).outside([counts("clean", 1000)])
    assert share.words == "clean: max_digit_share dropped 0 % of 1,000 documents, less than the 1 % to 20 % expected"
    assert outside(counts("dedup", 1000), band) == []


def test_documents_that_a_stage_added_count_as_received() -> None:
    """Parse may make ten documents of one record."""
    parse = StageCounts("parse", 100, 900, 600, {"empty": 400})
    assert outside(parse) == []
    assert outside(parse, {"empty": (0.0, 0.3)}) == ["parse: empty"]


def test_the_remedy_names_a_band_that_holds_what_was_measured() -> None:
    """It can be copied into the configuration."""
    [share] = Bands({}, 100, RULES).outside([counts("clean", 1000, max_digit_share=412)])
    assert "drop_bands: {clean.max_digit_share: [0, 0.5]}" in share.remedy("runs/a")
    assert outside(counts("clean", 1000, max_digit_share=412), {"clean.max_digit_share": (0.0, 0.5)}) == []


def test_what_took_out_too_little_is_not_to_be_looked_at() -> None:
    """There is nothing to look at but the rule; and the sentence ends where there are no examples."""
    [share] = Bands({"min_characters": (0.2, 0.5)}, 100, RULES).outside([counts("clean", 1000)])
    said = share.remedy("runs/a")
    assert "see whether the rule works" in said and "{clean.min_characters: [0, 0.5]}" in said
    assert "explain" not in said and with_examples(share.words, []) == share.words


def test_a_name_that_is_nearly_a_rule_is_refused() -> None:
    """A band for nothing would never speak."""
    with pytest.raises(ConfigError, match="Did you mean 'max_digit_share'"):
        check_names({"max_digits_share": (0, 1)}, ["clean"], RULES)
    with pytest.raises(ConfigError, match="Did you mean 'pii_email'"):
        check_names({"pii_emial": (0, 1)}, ["clean", "pii"], RULES)


@pytest.mark.parametrize(
    ("name", "lowest", "message"),
    [
        ("Clean", 0.0, "Did you mean 'clean'"),
        ("Max_Digit_Share", 0.0, "Did you mean 'max_digit_share'"),
        ("wordlists.words_games", 0.0, "no stage 'wordlists'. It has clean, words"),
        ("words_games", 0.1, "nobody would miss it. Name its stage: STAGE.words_games"),
    ],
)
def test_a_band_that_would_never_speak_is_refused(name: str, lowest: float, message: str) -> None:
    """Another case, a stage that is not there, a lowest share of a rule that no stage is known to have."""
    with pytest.raises(ConfigError, match=message):
        check_names({name: (lowest, 0.5)}, ["clean", "words"], RULES)
    check_names({"words.words_games": (0.1, 0.5), "words_games": (0.0, 0.5)}, ["clean", "words"], RULES)


@pytest.mark.parametrize("band", ["off", "0.3", "[0.1]", "[0, 0.1, 0.2]", "['0', 0.5]", "[no, yes]", "{a: 1}"])
def test_what_is_no_band_is_refused(tmp_path: Path, band: str) -> None:
    """The message says how a band is written, and what leaves a rule unwatched."""
    with pytest.raises(ConfigError, match=r"drop_bands.clean: .*\[lowest, highest\].*null"):
        config_of(tmp_path, band)


@pytest.mark.parametrize("band", ["[.nan, 0.5]", "[0, .nan]", "[-0.1, 0.5]", "[0, 30]", "[0, .inf]"])
def test_a_band_outside_of_0_to_1_is_refused(tmp_path: Path, band: str) -> None:
    """Shares are no percentages."""
    with pytest.raises(ConfigError, match=r"drop_bands.clean.[01]: input should be (greater|less|a finite)"):
        config_of(tmp_path, band)


def test_bands_that_may_be_written(tmp_path: Path) -> None:
    """Whole numbers, and null for a rule that is not watched."""
    assert config_of(tmp_path, "[0, 1]") == {"clean": (0.0, 1.0)}
    assert config_of(tmp_path, "null") == {"clean": None}


def config_of(folder: Path, band: str) -> Mapping[str, Band | None]:
    text = "run: run\nsources: [{name: a, paths: ['*.txt']}]\nstages: [{kind: decode}, {kind: parse}, {kind: clean}, "
    path = folder / "bands.yaml"
    path.write_text(f"{text}{{kind: write, format: parquet}}]\ndrop_bands: {{clean: {band}}}\n", encoding="utf-8")
    return load_config(path).config.drop_bands


def test_names_of_rules_and_stages_and_of_a_plug_ins_reasons_pass() -> None:
    """What a stage of the user's own gives as a reason is not known before it runs."""
    names = ["clean", "clean.2", "clean.2.min_characters", "near_duplicate", "pii_email", "too_many_poems"]
    check_names(dict.fromkeys(names, (0.0, 0.5)), ["clean", "clean.2", "dedup", "pii"], RULES)


def test_a_band_that_is_upside_down_is_refused() -> None:
    """The message says how it is written."""
    with pytest.raises(ConfigError, match=r"drop_bands.clean: .*0.5 is above 0.1. Write the lower share first"):
        check_names({"clean": (0.5, 0.1)}, ["clean"], RULES)
