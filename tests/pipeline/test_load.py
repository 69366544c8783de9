from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.load import load_config
from headrace.pipeline.plugins import load_builtins
from headrace.pipeline.yaml_lines import read_yaml
from headrace.schemas.errors import ConfigError
from headrace.stages.base import Stage

PLUGIN = '''
from typing import Literal
from pydantic import Field
from headrace.stages.base import Document, DocumentStage, Drop

class Shortest(DocumentStage):
    """Drop short documents."""
    kind: Literal["shortest"] = "shortest"
    at_least: int = Field(50, ge=1, description="Fewest words a document may have.")

    def process(self, document: Document) -> Document | Drop:
        return document
'''
GOOD = """\
run: out
plugins: [shortest.py]
sources:
  - name: web
    paths: [in]
stages:
  - kind: shortest
    at_least: 3
  - kind: write
    format: parquet
"""


def write(folder: Path, text: str) -> Path:
    (folder / "shortest.py").write_text(PLUGIN)
    path = folder / "c.yaml"
    path.write_text(text)
    return path


def messages(folder: Path, text: str, *overrides: str) -> list[str]:
    """Give the lines of the refusal, without the folder."""
    path = write(folder, text)
    with pytest.raises(ConfigError) as refusal:
        load_config(path, overrides)
    assert refusal.value.exit_code == 2
    return [line.replace(f"{folder}/", "") for line in str(refusal.value).splitlines()]


def test_a_good_file_gives_configuration_plugins_and_run_folder(tmp_path: Path) -> None:
    """The run folder is relative to the YAML file, and a plug-in's stage is as good as a built-in one."""
    loaded = load_config(write(tmp_path, GOOD))
    assert loaded.run_dir == tmp_path / "out"
    assert [stage.kind for stage in loaded.config.stages] == ["shortest", "write"]
    assert [plugin.name for plugin in loaded.plugins] == ["shortest"]


def test_an_unknown_stage_is_named_with_its_line_and_the_likely_one(tmp_path: Path) -> None:
    """`kind: shortst` gives the line and `shortest`."""
    (line,) = messages(tmp_path, GOOD.replace("kind: shortest", "kind: shortst"))
    assert line.startswith("c.yaml:7: stages.0: there is no stage 'shortst'; did you mean 'shortest'?")


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("atleast: 3", "c.yaml:8: stages.0 (shortest): there is no option 'atleast'; did you mean 'at_least'?"),
        (
            "at_least: 0",
            (
                "c.yaml:8: stages.0.at_least: input should be greater than or equal to 1, not 0 "
                "(Fewest words a document may have)"
            ),
        ),
        (
            "at_least: many",
            (
                "c.yaml:8: stages.0.at_least: input should be a valid integer, not 'many' "
                "(Fewest words a document may have)"
            ),
        ),
    ],
)
def test_a_wrong_option_is_named_with_its_line(tmp_path: Path, wrong: str, expected: str) -> None:
    """A misspelt option brings the likely one; a value out of range or of another type brings the option's meaning."""
    assert messages(tmp_path, GOOD.replace("at_least: 3", wrong)) == [expected]


def test_an_option_that_stands_a_section_too_high_is_told_its_sections(tmp_path: Path) -> None:
    """A number of a preset, written without its preset; of several that have it the first three are named."""
    (line,) = messages(tmp_path, GOOD.replace("kind: shortest", "kind: filter").replace("at_least", "min_words"))
    meant = "'gopher.min_words' or 'fineweb2_cmn.min_words' or 'refinedweb.min_words'?"
    assert line == f"c.yaml:8: stages.0 (filter): there is no option 'min_words' here; did you mean {meant}"


def test_a_wrong_choice_lists_the_choices_and_guesses(tmp_path: Path) -> None:
    """A misspelt value of a closed list brings the list and the likely one."""
    (line,) = messages(tmp_path, GOOD.replace("format: parquet", "format: parket"))
    choices = "'arrow', 'lmdb', 'parquet' or 'jsonl'"
    assert line.startswith(f"c.yaml:10: stages.1.format: input should be {choices}, not 'parket'")
    assert "did you mean 'parquet'?" in line


def test_every_mistake_is_listed_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    """A user with five mistakes sees five lines, not one after the other."""
    text = GOOD.replace("run: out", "runs: out\nworkers: 2").replace("name: web", "name: w e b")
    text = text.replace("at_least: 3", "x: 1").replace("format: parquet", "kind: write")
    lines = messages(tmp_path, text)
    assert [line.split(":")[1] for line in lines] == ["1", "1", "2", "5", "9", "11"]
    assert "'run' is missing (Folder of the run" in lines[0]
    assert "there is no option 'runs'; did you mean 'run'?" in lines[1]
    assert "there is no option 'workers' here; did you mean 'engine.workers'?" in lines[2]
    assert lines[5] == "c.yaml:11: 'kind' stands here a second time; the first is on line 10"


def test_a_stage_without_kind_says_how_to_write_one(tmp_path: Path) -> None:
    """A bare word or a stage without `kind:` is answered with an example."""
    for wrong in ("- write", "- format: parquet"):
        text = GOOD.replace("  - kind: write\n    format: parquet", f"  {wrong}")
        (line,) = messages(tmp_path, text)
        assert line.startswith("c.yaml:9: stages.1: a stage says which it is, as in `kind: ")


def test_yaml_that_is_none_gives_line_and_column(tmp_path: Path) -> None:
    """The parser's complaint comes with its place."""
    assert messages(tmp_path, "run: [1,\nsources: }")[0].startswith("c.yaml:2:10: not valid YAML: ")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("    paths:", "  paths:"),
        ("    at_least:", "  at_least:"),
        ("    at_least:", "      at_least:"),
        ("    at_least:", "\t\tat_least:"),
    ],
)
def test_wrong_indentation_is_called_so(tmp_path: Path, right: str, wrong: str) -> None:
    """What the parser says of it ("expected <block end>") tells nobody what to do."""
    (message,) = messages(tmp_path, GOOD.replace(right, wrong))
    assert re.search("Check the indentation of this line|Indent with spaces", message)


@pytest.mark.parametrize("rule", ["'a' in url", '"a" in url', "*x", "!words", "> words"])
def test_a_value_that_begins_with_a_sign_of_yaml_is_to_be_quoted(tmp_path: Path, rule: str) -> None:
    """A rule such as `'forum' in url` is a text to YAML, and something behind it."""
    filters = GOOD.replace("  - kind: write", f"  - kind: filter\n    rules:\n      a: {rule} < 3\n  - kind: write")
    (message,) = messages(tmp_path, filters)
    assert message.startswith("c.yaml:11:")
    assert message.endswith("ut the whole value into quotes")


def test_what_should_be_a_list_is_told_so_by_example(tmp_path: Path) -> None:
    """Users know lists, not tuples."""
    (message,) = messages(tmp_path, re.sub(r"paths: .*", "paths: texts", GOOD))
    assert "sources.0.paths: input should be a list, as in [texts] (" in message
    (message,) = messages(tmp_path, re.sub(r"sources:\n  - name(.*)\n    paths.*", r"sources:\n  name\1", GOOD))
    assert "sources: input should be a list, each item behind a `- ` (" in message


def test_a_missing_file_and_a_file_without_options_are_refused(tmp_path: Path) -> None:
    """No file, an empty file, and a list each get one clear message."""
    with pytest.raises(ConfigError, match=r"none\.yaml: the configuration cannot be read: No such file"):
        load_config(tmp_path / "none.yaml")
    assert messages(tmp_path, "- a")[0].startswith("c.yaml:1: the configuration is a set of options: ")
    assert len(messages(tmp_path, "")) == 3


def test_a_plugin_that_is_missing_or_broken_is_named_beside_the_other_mistakes(tmp_path: Path) -> None:
    """The plug-in's own error is part of the list."""
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    text = GOOD.replace("[shortest.py]", "[shortest.py, gone.py, broken.py]").replace("at_least: 3", "at_least: 0")
    gone, broken, option = sorted(messages(tmp_path, text), key=lambda line: "gone" not in line)
    assert gone.startswith("c.yaml:2: gone.py: the plug-in cannot be read")
    assert broken.startswith("c.yaml:2: broken.py: the plug-in does not run: ModuleNotFoundError")
    assert option.startswith("c.yaml:8: stages.0.at_least")


def test_an_override_changes_one_value_and_makes_sections(tmp_path: Path) -> None:
    """`key.sub=value` reads the value as YAML, counts list items from 0, and needs no section in the file."""
    overrides = ["stages.0.at_least=1e2", "engine.workers=2", "limit=null", "sources.0.paths=[a, b]"]
    config = load_config(write(tmp_path, GOOD), overrides).config
    assert (config.stages[0].model_dump()["at_least"], config.engine.workers) == (100, 2)
    assert config.sources[0].paths == ("a", "b")


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("engine.worker=2", "argument engine.worker=2: engine: there is no option 'worker'; did you mean 'workers'?"),
        ("stages.0.at_least=0", "argument stages.0.at_least=0: stages.0.at_least: input should be greater than"),
        (
            "engine.deadline_s=.inf",
            "argument engine.deadline_s=.inf: engine.deadline_s: input should be a finite",
        ),
        ("stages.7.x=1", "argument stages.7.x=1: there is no item '7' in stages"),
        ("stages.write.x=1", "argument stages.write.x=1: there is no item 'write' in stages"),
        ("clean.x=1", "argument clean.x=1: there is no option 'clean'"),
        ("run.x=1", "argument run.x=1: run has no options in it"),
        ("fresh", "'fresh' is no override. Write key.sub=value"),
        ("limit={", "the value of 'limit={' is not valid YAML"),
    ],
)
def test_a_wrong_override_is_named_as_the_argument_it_is(tmp_path: Path, override: str, expected: str) -> None:
    """A mistake on the command line is not blamed on a line of the file."""
    assert messages(tmp_path, GOOD, override)[0].startswith(expected)


def models(annotation: object) -> Iterator[type[BaseModel]]:
    """Give all sections of a configuration, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for part in get_args(annotation):
        yield from models(part)


def test_no_option_takes_an_infinite_number() -> None:
    """JSON, in which a run keeps its plan and answers are given, has no word for it; null switches a rule off."""
    load_builtins()
    ours = [kind for kind in Stage.registry.values() if kind.__module__.startswith("headrace.stages")]
    every = {*models(PipelineConfig), *(model for kind in ours for model in models(kind))}
    assert len(every) > 30
    assert [model.__name__ for model in every if model.model_config.get("allow_inf_nan") is not False] == []


def test_numbers_with_exponents_are_numbers_and_dates_stay_text(tmp_path: Path) -> None:
    """YAML 1.1 would take 3e-4 for a text and 2020-01-01 for a date."""
    path = tmp_path / "v.yaml"
    path.write_text("a: 3e-4\nb: 1_000\nc: 2020-01-01\nd: 1e\ne: .5\nf: [1E3]\n")
    assert read_yaml(path).value == {"a": 3e-4, "b": 1000, "c": "2020-01-01", "d": "1e", "e": 0.5, "f": [1000.0]}


def test_an_alias_to_its_own_surroundings_is_refused_and_not_followed_for_ever(tmp_path: Path) -> None:
    """A file that contains itself ends in a message."""
    assert messages(tmp_path, GOOD + "engine: &e\n  executor: *e\n")
