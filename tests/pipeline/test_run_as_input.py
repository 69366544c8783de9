"""What a run has written is input by its shards alone: whoever names more of it is told what to name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.pipeline.dups.repeating_runs import english
from tests.pipeline.small_runs import small_run
from tests.pipeline.test_cli_dedup import call, told

from headrace.pipeline.committed import FOLDERS
from headrace.pipeline.plan import make_plan
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import ConfigError

PARTS = ("", *FOLDERS[1:], "first-pass", "first-pass/shards")
FORMS = ("{part}", "{part}/", "{part}/.", "{part}/**", "{part}/**/*.parquet")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with runs: `parquet` of two passes, `jsonl`, `arrow` and `lmdb` with tokens; of 3 texts 2 stay."""
    folder = tmp_path_factory.mktemp("runs")
    texts = [json.dumps({"text": english(seed)}) + "\n" for seed in (1, 2, 1)]
    (folder / "in.jsonl").write_text("".join(texts), encoding="utf-8")
    told(folder / "in.jsonl", "--out", folder / "parquet", "--keep", "components")
    told(folder / "in.jsonl", "--out", folder / "jsonl", "--format", "jsonl")
    for name in ("arrow", "lmdb"):
        run_pipeline(small_run(folder, name, f"stages.5.format={name}"))
    return folder


def refused(*arguments: str | Path) -> str:
    """Give what is said of a refused input."""
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    return result.output


@pytest.mark.parametrize("part", PARTS)
def test_a_run_and_its_parts_are_refused(runs: Path, tmp_path: Path, part: str) -> None:
    """However they are written, alone or beside others; nothing is made."""
    given = [form.format(part=runs / "parquet" / part) for form in FORMS]
    (tmp_path / "link").symlink_to(runs / "parquet" / part)
    (runs / "parquet" / part).mkdir(exist_ok=True)
    for name in (*given, str(tmp_path / "link"), f"file://{runs}/parquet/{part}"):
        said = refused(runs / "in.jsonl", name, "--out", tmp_path / "out")
        what = "is a part of a run" if part else "is the folder of a run"
        assert what in said and f"Name {runs}/parquet/shards, where the kept texts are" in said, name
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_what_the_message_names_is_read(runs: Path, tmp_path: Path, form: str) -> None:
    """The kept texts and no others."""
    said = refused(runs / form, "--out", tmp_path / "out")
    named = re.search(r"Name ([^,]+),", said)
    assert named is not None
    assert told(named[1], "--out", tmp_path / "out")["documents"] == 2
    assert told(f"{named[1]}/**", "--out", tmp_path / "other")["documents"] == 2


@pytest.mark.parametrize("name", ["arrow", "lmdb"])
@pytest.mark.parametrize("part", ["", "shards", "documents"])
def test_runs_of_tokens_have_no_texts_to_read(runs: Path, tmp_path: Path, name: str, part: str) -> None:
    """They are not said to have them in their shards."""
    said = refused(runs / name / part, "--out", tmp_path / "out")
    assert "has written token ids. Name what that run has read, or a run that ends in `write`" in said


def test_files_that_are_named_are_read(runs: Path, tmp_path: Path) -> None:
    """Who names files of a part means them, dropped texts too; a pattern over the whole run does not say that."""
    for number, pattern in enumerate(("documents/*.parquet", "shards/*", "shards/*.parquet")):
        assert told(runs / "parquet" / pattern, "--out", tmp_path / str(number))["documents"] in {2, 3}
    for pattern in ("*", "*.json", "*/*.parquet"):
        assert "is the folder of a run" in refused(runs / "parquet" / pattern, "--out", tmp_path / "out")


def test_a_damaged_run_is_one_too_and_what_only_looks_like_one_is_read(tmp_path: Path) -> None:
    """A plan that is cut tells of no format; a `plan.json` of somebody else, beside a manifest, is a text."""
    for folder, plan in (("cut", '{"identity'), ("mine", '{"text": "spring"}')):
        (tmp_path / folder / "documents").mkdir(parents=True)
        (tmp_path / folder / "documents/a.txt").write_text(english(1))
        (tmp_path / folder / "plan.json").write_text(plan)
        (tmp_path / folder / "manifest.jsonl").write_text("")
    for part in ("", "documents"):
        said = refused(tmp_path / "cut" / part, "--out", tmp_path / "out")
        assert f"Name {tmp_path}/cut/shards" in said
    assert told(tmp_path / "mine", "--out", tmp_path / "1")["documents"] == 2
    assert told(tmp_path / "mine/documents", "--out", tmp_path / "2")["documents"] == 1


def test_a_folder_of_ones_own_in_a_run_is_read(runs: Path, tmp_path: Path) -> None:
    """It is none of the run's parts; a run in it is one of its own."""
    mine = runs / "jsonl/mine"
    mine.mkdir()
    (mine / "a.txt").write_text(english(3))
    assert told(mine, "--out", mine / "clean")["documents"] == 1
    assert told(mine / "clean/shards", "--out", tmp_path / "out")["documents"] == 1
    assert f"Name {mine}/clean/shards" in refused(mine / "clean", "--out", tmp_path / "other")


def test_a_configuration_that_names_a_run_is_refused(runs: Path, tmp_path: Path) -> None:
    """As by the command, and said of its source; the run's own folder is said to be that."""
    for place, said in ((runs / "parquet", "source text: an input is the folder of a run"), (tmp_path / "one", "own")):
        (tmp_path / "one/shards").mkdir(parents=True, exist_ok=True)
        loaded = small_run(tmp_path, "one", f"sources.0.paths=[{place}]")
        with pytest.raises(ConfigError, match=said):
            make_plan(loaded)


def test_a_run_that_would_be_its_own_input_is_told_as_a_run(runs: Path) -> None:
    """Not that its result might lie below it."""
    run = runs / "parquet"
    assert "is the folder of a run" in refused(run, "--out", run)
    assert f"{run}/shards lies in it" in refused(run / "shards", "--out", run)
