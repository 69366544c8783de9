"""Text that was decoded wrongly and kept, once more by the right charset: all of named files, under their own ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest
from click.testing import CliRunner, Result
from tests.s3_server import S3Server

from headrace.pipeline.cli import main
from headrace.pipeline.inspect_run import inspect_run
from headrace.pipeline.load import load_config
from headrace.pipeline.replay import make_replay
from headrace.pipeline.replay_choice import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError, HeadraceError

CONFIG = """
run: run
sources: [{{name: web, paths: ["{paths}"], records: lines}}]
stages:
  - {{kind: decode, encoding: gb18030, max_damage: 0.02}}
  - {{kind: parse}}
  - {{kind: clean, min_characters: 5, min_mean_line_characters: null, min_function_word_share: null}}
  - {{kind: write, format: parquet}}
engine: {{executor: inline, unit_bytes: 1000}}
"""
WRITTEN = ["水車轉得很穩，石磨不會發熱。", "渠道裡的水既不能斷，也不能漫。", "短", "春天的村口有人。"]


def a_run(folder: Path) -> Path:
    """Give a run that took Big5 for GB18030: some lines kept as garbage, some dropped, some over the budget."""
    for name, codec in (("old/a.txt", "big5"), ("old/deep/b.txt", "big5"), ("new/c.txt", "gb18030")):
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes("\n".join(WRITTEN * 5).encode(codec) + b"\n")
    (folder / "c.yaml").write_text(CONFIG.format(paths="in/**"))
    assert run_pipeline(load_config(folder / "c.yaml")).state == "done"
    return folder / "run"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give such a run."""
    return a_run(tmp_path_factory.mktemp("kept"))


def documents(run: Path, **where: object) -> list[dict[str, Any]]:
    rows = ds.dataset(run / "documents").to_table().sort_by("doc_id").to_pylist()
    return [row for row in rows if all(row[name] == value for name, value in where.items())]


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, arguments)])


def test_all_records_of_the_named_files_come_again(made: Path, tmp_path: Path) -> None:
    """Kept, dropped and quarantined ones, each once and under its id; the ledger balances and the text is right."""
    before = [row for row in documents(made) if row["path"].startswith("old/")]
    assert {row["verdict"] for row in before} >= {"kept", "dropped"}
    result = call(made, "--encoding", "big5", "--path", "old/**", "--kept", "--run", tmp_path / "new")
    assert result.exit_code == 0, result.stderr
    assert f"{len(before)} records of 2 files" in result.stderr
    rows = documents(tmp_path / "new")
    assert [row["doc_id"] for row in rows] == [row["doc_id"] for row in before]
    texts = ds.dataset(tmp_path / "new" / "shards").to_table(columns=["text"])["text"].to_pylist()
    assert sorted(texts) == sorted([text for text in WRITTEN if text != "短"] * 10)
    assert len(documents(tmp_path / "new", verdict="dropped")) == 10
    assert verify(tmp_path / "new").problems == ()
    report = inspect_run(tmp_path / "new")["report"]
    assert (report["replay"]["kept"], report["totals"]["documents"]) == (True, len(before))


def test_a_replay_of_all_can_be_replayed_and_resumed(made: Path, tmp_path: Path) -> None:
    """Its plan is its own: other records in one folder are another run, and all of a replay are its records alone."""
    command = (made, "--encoding", "big5", "--path", "old/deep/*", "--kept", "--run", tmp_path / "new")
    assert call(*command).exit_code == call(*command).exit_code == 0
    other = call(made, "--encoding", "big5", "--path", "old/**", "--kept", "--run", tmp_path / "new")
    assert other.exit_code == 2 and "not the run that was started here" in other.stderr
    again = make_replay(tmp_path / "new", Wanted("euc-kr", "**", kept=True), tmp_path / "again")
    assert again.records == len(documents(made, path="old/deep/b.txt"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kept",), "--kept needs --path: every document of the run would be decoded as one charset. Name the files"),
        (("--kept", "--path", "x", "--reason", "short"), "--kept and --reason exclude each other"),
        (
            ("--kept", "--path", "nowhere/*"),
            "nothing can be taken up: no record of a file like nowhere/* is",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...], said: str, made: Path, tmp_path: Path) -> None:
    """One message, exit code 2, no folder."""
    result = call(made, "--encoding", "big5", *arguments, "--run", tmp_path / "new")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert said in result.stderr
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_gone_is_named_with_the_reason(tmp_path: Path) -> None:
    """The message tells files that changed from those that are gone."""
    run = a_run(tmp_path)
    (tmp_path / "in" / "old" / "a.txt").unlink()
    with pytest.raises(ConfigError, match=r"source web: an input changed since the run: old/a\.txt \(it is gone\)"):
        make_replay(run, Wanted("big5", "old/**", kept=True))


def test_a_silent_store_is_not_taken_for_a_change(s3: S3Server, tmp_path: Path) -> None:
    """It is said that the store does not answer; an object that was written anew is a change."""
    s3.put("in/a.txt", "\n".join(WRITTEN).encode("big5"))
    (tmp_path / "c.yaml").write_text(CONFIG.format(paths=s3.uri("in")))
    assert run_pipeline(load_config(tmp_path / "c.yaml")).state == "done"
    wanted = Wanted("big5", "**", kept=True)
    s3.refuse = lambda request: (503, "SlowDown")
    with pytest.raises(HeadraceError, match="the store does not answer") as silent:
        make_replay(tmp_path / "run", wanted)
    assert silent.value.exit_code == 1
    s3.refuse = lambda request: None
    s3.put("in/a.txt", b"other")
    with pytest.raises(ConfigError, match=r"an input changed since the run: a\.txt \(it had"):
        make_replay(tmp_path / "run", wanted)
