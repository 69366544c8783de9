"""What a rerun is asked for: where it begins, and what it refuses, with what to do instead."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.rerun.small_reruns import MARK, fresh, making, output, rerun

from headrace.pipeline.cli import main
from headrace.pipeline.committed import plan_bytes, read_plan
from headrace.schemas.errors import ConfigError

TAIL = """
  - {kind: tokenize, model: bytes}
  - {kind: write, sequence_length: 64, shard_tokens: 30000, record: full}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a finished run."""
    folder = tmp_path_factory.mktemp("asked")
    fresh(folder, "run", tail=TAIL)
    return folder


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["rerun", *map(str, arguments)])


def test_the_command_runs_resumes_and_refuses_another(made: Path, tmp_path: Path) -> None:
    """The second time all is done; another value in the same folder is another run, unless it is started afresh."""
    before = output(rerun(made / "run", tmp_path / "new", "clean.min_characters=60"))
    assert output(rerun(made / "run", tmp_path / "new", "clean.min_characters=60", "engine.window=3")) == before
    command = [made / "run", "--set", "clean.min_characters=70", "--run", tmp_path / "new"]
    result = call(*command)
    assert result.exit_code == 2
    assert "stages.4.min_characters was 60.0 and is now 70.0" in result.stderr
    assert output(tmp_path / "new") == before
    result = call(*command, "--fresh")
    assert result.exit_code == 0, result.stderr
    assert "9 units of" in result.stderr and "from clean on" in result.stderr
    assert f"rerun of    {made / 'run'} from clean on, clean.min_characters=70" in result.stdout
    assert output(tmp_path / "new") != before


def test_it_begins_with_the_first_stage_that_is_changed(made: Path) -> None:
    """Or where it is told to, if that is not behind it; the folder's name says so. Nothing is written by that."""
    settings = ("write.shard_tokens=4000", "dedup.exact=false")
    assert [making(made / "run", None, *settings, first=first).first for first in (None, "repair")] == [
        "dedup",
        "repair",
    ]
    assert making(made / "run", None, *settings).loaded.run_dir == made / "run-rerun-dedup"
    assert not (made / "run-rerun-dedup").exists()


AGAIN = "Run the pipeline on the input with the new configuration: `headrace run`"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (),
            "no verdict would be another: every option of every stage is as it was. Change an option, as in --set",
        ),
        (("--set", "clean.min_characters=30"), "no verdict would be another"),
        (
            ("--set", "decode.max_damage=0.5"),
            "stage decode: a rerun begins behind parse: a run keeps what `parse` gave",
        ),
        (("--set", "parse.engine=resiliparse"), AGAIN),
        (("--from", "read"), "--from: a rerun begins behind parse"),
        (("--from", "parse", "--set", "clean.min_characters=9"), "--from: a rerun begins behind parse"),
        (("--from", "cleen"), "there is no stage 'cleen'. Did you mean 'clean'?"),
        (("--set", "cleen.min_characters=9"), "there is no stage and no option 'cleen'"),
        (("--set", "clean.min_character=9"), "argument clean.min_character=9:"),
        (("--set", "sources.0.paths=[x]"), "argument sources.0.paths=[x]: a rerun cannot change this"),
        (("--set", "engine.lanes=2"), "which documents are read, or in which units"),
        (("--set", "plugins=[]"), AGAIN),
        (("--set", "write.format=parquet"), "parquet holds text, but a tokenize stage comes before it"),
        (
            ("--from", "dedup", "--set", "clean.min_characters=9"),
            "the settings change stage clean, which comes before dedup. --from clean, or leave out --from",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(arguments: tuple[str, ...], said: str, made: Path, tmp_path: Path) -> None:
    """One message, exit code 2, no folder."""
    result = call(made / "run", *arguments, "--run", tmp_path / "new")
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["run", "run/again", "run/documents/again", "link", "link/again"])
def test_the_run_itself_is_no_place_for_its_rerun(name: str, made: Path, tmp_path: Path) -> None:
    """Nor is what is in it, by any name: `--fresh` would remove the documents that the rerun begins with."""
    run = shutil.copytree(made / "run", tmp_path / "run")
    (tmp_path / "link").symlink_to("run")
    before = sorted(run.rglob("*"))
    result = call(run, "--set", "clean.min_characters=9", "--run", tmp_path / name, "--fresh")
    assert result.exit_code == 2
    assert "the new run would be in the folder of the run that it begins with" in result.stderr
    assert sorted(run.rglob("*")) == before


def test_a_higher_limit_needs_the_input(made: Path, tmp_path: Path) -> None:
    """What the run did not read is not in it."""
    fresh(made, "limited", "limit=30", tail=TAIL)
    with pytest.raises(ConfigError, match="no more than its limit of 30 documents"):
        making(made / "limited", tmp_path / "new", "limit=null", first="clean")


@pytest.mark.parametrize(
    ("record", "version", "said"),
    [
        ("values", 2, r"it has `record: values`\. Run the pipeline again with `record: full`.*`headrace what-if`"),
        ("full", 1, "an older release wrote it"),
    ],
)
def test_a_run_without_its_texts_is_refused(record: str, version: int, said: str, made: Path, tmp_path: Path) -> None:
    """The message says what to set the next time, and what can be done without."""
    run = altered(made / "run", tmp_path / "run", record=record, versions={"write": version})
    with pytest.raises(ConfigError, match=said):
        making(run, tmp_path / "new", "clean.min_characters=9")


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("decode", "stage decode: a stage is not what it was: the run was made with version 0 of it.*`headrace run`"),
        ("repair", "Let its verdicts be others: --from repair"),
    ],
)
def test_a_stage_of_another_release_is_refused(stage: str, said: str, made: Path, tmp_path: Path) -> None:
    """In front of the first one that may judge otherwise; behind that it may be what it is."""
    run = altered(made / "run", tmp_path / "run", versions={stage: 0})
    with pytest.raises(ConfigError, match=said):
        making(run, tmp_path / "new", "clean.min_characters=9")
    if stage == "repair":
        assert making(run, tmp_path / "new", "clean.min_characters=9", first="repair").first == "repair"


def altered(run: Path, copy: Path, *, record: str = "full", versions: dict[str, int]) -> Path:
    """Copy a run, and change what its plan says of it."""
    shutil.copytree(run, copy)
    plan = read_plan(copy)
    plan["recipe"]["stages"][-1]["record"] = record
    plan["versions"].update(versions)
    (copy / "plan.json").write_bytes(plan_bytes(plan))
    return copy


def test_a_run_that_is_not_finished_is_refused(made: Path, tmp_path: Path) -> None:
    """What is still to come would be missing."""
    shutil.copytree(made / "run", tmp_path / "run")
    published = tmp_path / "run" / "published.json"
    published.write_text(json.dumps({**json.loads(published.read_text()), "lines": 0}))
    with pytest.raises(ConfigError, match="the run is not finished: units from 0 on are not committed"):
        making(tmp_path / "run", tmp_path / "new", "clean.min_characters=9")


def test_a_plug_in_that_changed_may_only_judge_behind_the_first(made: Path, tmp_path: Path) -> None:
    """In front of it its verdicts would be others; from it on it is what one wants to try."""
    try:
        (made / "mark.py").write_text(MARK.replace("> 2", "> 1"), encoding="utf-8")
        with pytest.raises(ConfigError, match=r"stage mark: a plug-in was changed: .* --from mark"):
            making(made / "run", tmp_path / "new", "tokenize.eos=false")
        assert making(made / "run", tmp_path / "new", first="mark").first == "mark"
    finally:
        (made / "mark.py").write_text(MARK, encoding="utf-8")
