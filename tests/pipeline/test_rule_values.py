"""Rules that ask what no stage before gives are refused with their line, and so are two filters of one prefix."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from headrace.pipeline.load import load_config
from headrace.pipeline.rule_values import given
from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.schemas.errors import ConfigError
from headrace.stages.base import BatchStage
from headrace.stages.clean import Clean
from headrace.stages.filter import Filter
from headrace.stages.filtering.names import NUMBERS, TEXTS
from headrace.stages.grade import Grade
from headrace.stages.language import Language
from headrace.stages.pii import Pii
from headrace.stages.repair import Repair
from headrace.stages.rights import Rights
from headrace.stages.urls import Urls
from headrace.stages.words import Words

GAMES = Path(__file__).parents[1] / "stages/wordlists/games.txt"
STAGES: tuple[BatchStage, ...] = (
    *(Clean(), Grade(), Language(), Pii(), Repair(), Rights(), Filter(), Filter(prefix="late_", profiles={})),
    Words.model_validate({"lists": {"games": str(GAMES)}}),
    Filter.model_validate({"record": "all", "patterns": {"x": "x+"}}),
)
HEAD = "run: r\nsources: [{name: a, paths: [t]}]\nstages:\n  - kind: decode\n  - kind: parse\n"
TAIL = "  - kind: write\n    format: parquet\n"


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.kind)
def test_what_a_stage_gives_is_what_it_fills(stage: BatchStage) -> None:
    """The columns of an empty table that it was given; shares that choose a profile only where they may."""
    filled = stage.process(DOCUMENT_SCHEMA.empty_table()).column_names
    columns = {name for name in filled if name.startswith(("values.", "scores."))}
    others = {name for name in given(stage) if name in DOCUMENT_SCHEMA.names}
    assert columns <= given(stage)
    assert {name for name in given(stage) - columns - others if not name.endswith("verse_share")} == set()


@pytest.mark.parametrize(
    ("stage", "texts"),
    [
        (Grade(), {"grade"}),
        (Language(model="scripts"), {"language", "script"}),
        (Rights(), {"licence"}),
        (Clean(), set()),
        (Filter(), set()),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_columns_of_documents_that_a_stage_fills_are_those_that_change(stage: BatchStage, texts: set[str]) -> None:
    """Of a document that has another value, or none, in all columns that a rule may ask."""
    asked = sorted({*DOCUMENT_SCHEMA.names} & {*TEXTS, *NUMBERS})
    document = dict.fromkeys(DOCUMENT_SCHEMA.names) | {"text": "SPDX-License-Identifier: MIT\nThe river is wide.\n"}
    table = pa.Table.from_pylist([document], DOCUMENT_SCHEMA)
    after = stage.process(table)
    assert {name for name in asked if not after[name].equals(table[name])} == texts
    assert {name for name in given(stage) if name in asked} == texts


def test_the_address_is_filled_if_that_is_wanted() -> None:
    """By default `urls` leaves it as it was."""
    assert ["url" in given(Urls(canonicalize=canonicalize)) for canonicalize in (False, True)] == [False, True]


def checked(folder: Path, stages: str, more: str = "") -> None:
    (folder / "c.yaml").write_text(f"{HEAD}{stages}{TAIL}{more}", encoding="utf-8")
    load_config(folder / "c.yaml")


def test_a_slip_in_a_name_is_found_by_the_chain(tmp_path: Path) -> None:
    """The message has the rule's line and the name that was meant."""
    words = f"  - kind: words\n    lists: {{games: {GAMES}}}\n"
    right = "  - kind: filter\n    rules:\n      games: values.words_games > 2\n"
    checked(tmp_path, words + right)
    wrong = right.replace("words_games >", "words_gmaes >")
    with pytest.raises(
        ConfigError, match=r"c\.yaml:10: stages\.3\.rules\.games: no stage .* mean 'values\.words_games'"
    ):
        checked(tmp_path, words + wrong)
    with pytest.raises(ConfigError, match=r"'values\.words_games'; a stage that measures it stands before"):
        checked(tmp_path, right + words)


@pytest.mark.parametrize(
    ("rule", "stage"),
    [("grade == 'D'", "grade"), ("words > 9 and not language == 'en'", "language"), ("script != 'Hans'", "language")],
)
def test_what_only_a_stage_gives_is_asked_behind_it(rule: str, stage: str, tmp_path: Path) -> None:
    """In front of it such a rule would never fire, or always, and nothing would say so."""
    asked = f"  - kind: filter\n    rules:\n      odd: {rule}\n"
    for stages in (asked, f"{asked}  - kind: {stage}\n"):
        with pytest.raises(
            ConfigError, match=rf"c\.yaml:8: stages\.2\.rules\.odd: .*, nor does a source; put a stage {stage} before"
        ):
            checked(tmp_path, stages)
    checked(tmp_path, f"  - kind: {stage}\n{asked}")


@pytest.mark.parametrize(
    ("prefix", "name"),
    [("", "values.words"), ("", "values.filter_words"), ("", "values.hash_share"), ("late_", "values.late_hash_share")],
)
def test_what_the_filter_measures_itself_is_asked_by_its_name(prefix: str, name: str, tmp_path: Path) -> None:
    """The column of a value is not what a rule writes."""
    stages = f"  - kind: filter\n    prefix: '{prefix}'\n    rules: {{short: {name} < 3}}\n"
    with pytest.raises(ConfigError, match=r"; this filter measures it: write (words|hash_share)$"):
        checked(tmp_path, stages)


def test_numbers_of_a_preset_that_no_profile_asks_are_refused(tmp_path: Path) -> None:
    """They would do nothing; a rule that asks a value of the preset needs its settings, and defaults are no numbers."""
    numbers = "  - kind: filter\n    c4: {{long_line_characters: 99}}\n    {}\n"
    with pytest.raises(
        ConfigError, match=r"c\.yaml:7: stages\.2\.c4: no profile asks c4, .* as in profiles: \{en: \[c4\]\}"
    ):
        checked(tmp_path, numbers.format("rules: {}"))
    for used in ("profiles: {en: [c4]}", "rules: {long: c4_long_lines > 3}", "record: all"):
        checked(tmp_path, numbers.format(used))
    checked(tmp_path, "  - kind: filter\n    profiles: {}\n    gopher: {min_words: 50}\n")


@pytest.mark.parametrize(
    ("numbers", "profile"),
    [
        ("general: {min_characters: 9}", '{"*": [general]}'),
        ("cantonese: {min_characters: 9}", "{yue: [cantonese]}"),
        ("fineweb2_cmn: {min_stop_words: 9}", "{zh: [fineweb2_cmn]}"),
    ],
)
def test_the_message_names_a_profile_that_fits(numbers: str, profile: str, tmp_path: Path) -> None:
    """That of the default, or of the language that the rules were published for."""
    with pytest.raises(ConfigError) as caught:
        checked(tmp_path, f"  - kind: filter\n    profiles: {{}}\n    {numbers}\n")
    assert str(caught.value).endswith(f"as in profiles: {profile}")


def test_a_second_filter_has_a_prefix(tmp_path: Path) -> None:
    """Without, its values would take the place of the first one's, and the first could not be explained."""
    first, second = "  - kind: filter\n", "  - kind: filter\n    prefix: late_\n"
    checked(tmp_path, first + second)
    for chain, prefix in ((first + first, "stages.2"), (first + second + second, "stages.3")):
        with pytest.raises(ConfigError, match=rf"written over those of {prefix}; give it a prefix"):
            checked(tmp_path, chain)


def test_behind_a_stage_of_the_users_own_any_value_may_be_asked(tmp_path: Path) -> None:
    """What it gives is known when it runs."""
    plugin = (
        "from typing import Literal\nfrom headrace.stages.base import Document, DocumentStage\n\n\n"
        "class Own(DocumentStage):\n    kind: Literal['own_values'] = 'own_values'\n\n"
        "    def process(self, document: Document) -> Document:\n        return document.but(values={'mine': 1.0})\n"
    )
    (tmp_path / "own_values.py").write_text(plugin, encoding="utf-8")
    rules = "  - kind: filter\n    rules:\n      mine: values.mine > 2\n"
    with pytest.raises(ConfigError, match=r"values\.mine"):
        checked(tmp_path, rules)
    checked(tmp_path, f"  - kind: own_values\n  - kind: normalize\n{rules}", "plugins: [own_values.py]\n")
