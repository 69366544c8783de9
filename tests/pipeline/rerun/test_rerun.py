"""A run again from its documents: byte for byte the run that one would start afresh, without its input."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pyarrow.dataset as ds
import pytest
from tests.pipeline.rerun.small_reruns import TEXTS, TOKENS, fresh, making, output, rerun

from headrace.pipeline.committed import read_plan
from headrace.pipeline.events import Event
from headrace.pipeline.explain import explain
from headrace.pipeline.inspect_run import inspect_run
from headrace.pipeline.report_data import report_data
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.failpoints import FAILPOINT
from headrace.schemas.manifest import read_published

Runs: TypeAlias = Callable[..., Path]
TAILS = {"tokens": TOKENS, "texts": TEXTS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with input and two finished runs of it, `tokens` and `texts`, and then without the input."""
    folder = tmp_path_factory.mktemp("rerun")
    for name, tail in TAILS.items():
        fresh(folder, name, tail=tail)
    return folder


@pytest.fixture
def expected(folder: Path) -> Runs:
    """Give what starts a run of the input afresh, with some options changed."""

    def start(name: str, *overrides: str, tail: str = TOKENS) -> Path:
        if not (folder / name).exists():
            fresh(folder, name, *overrides, tail=tail)
        return folder / name

    return start


def moved_away(folder: Path) -> Path:
    """Take the input away, and give where it is now."""
    return Path(shutil.move(folder / "in", folder / "away"))


def without_input(folder: Path, run: Path, new: Path, *settings: str, **more: object) -> Path:
    """Run a run again while its input is away."""
    away = moved_away(folder)
    try:
        return rerun(run, new, *settings, **more)  # type: ignore[arg-type]
    finally:
        shutil.move(away, folder / "in")


def test_the_runs_have_something_of_everything(folder: Path) -> None:
    """Every stage takes something out, texts and fields change, some files give faults: or these tests show nothing."""
    table = ds.dataset(folder / "tokens" / "documents").to_table()
    stages = {"decode", "parse", "urls", "clean", "dedup", "mark"}
    assert {stage for stage in table["stage"].to_pylist() if stage} == stages
    assert 20 < table["parsed.text"].drop_null().length() < table.num_rows - 20
    assert 20 < table["parsed.fields"].drop_null().length() < table.num_rows - 20
    assert {"mark", "decode"} <= {*ds.dataset(folder / "tokens" / "quarantine").to_table()["stage"].to_pylist()}


MARK = (("clean.min_characters=90", "mark.mark=mill"), ("stages.4.min_characters=90", "stages.6.mark=mill"))


@pytest.mark.parametrize(
    ("tail", "settings", "overrides"),
    [
        ("tokens", ("urls.canonicalize=false",), ("stages.3.canonicalize=false",)),
        ("tokens", *MARK),
        ("tokens", ("dedup.exact=false",), ("stages.5.exact=false",)),
        ("tokens", ("mark.change=false", "write.record=values"), ("stages.6.change=false", "stages.9.record=values")),
        ("texts", *MARK),
    ],
    ids=["urls", "clean", "dedup", "plug-in", "texts"],
)
def test_it_is_the_fresh_run_byte_for_byte(
    folder: Path, tmp_path: Path, expected: Runs, tail: str, settings: tuple[str, ...], overrides: tuple[str, ...]
) -> None:
    """Shards, documents, ledgers, quarantine and tokenizer, wherever the change is; nobody reads the input."""
    whole = expected(f"{tail}-{settings[0].partition('=')[0]}", *overrides, tail=TAILS[tail])
    again = without_input(folder, folder / tail, tmp_path / "new", *settings)
    assert output(again) == output(whole)
    assert output(again) != output(folder / tail)
    assert verify(again).problems == ()


def test_without_a_change_it_is_the_run_itself(folder: Path, tmp_path: Path) -> None:
    """`--from` alone; every verdict comes out as it was."""
    assert output(rerun(folder / "tokens", tmp_path / "new", first="write")) == output(folder / "tokens")


def test_a_rerun_can_be_run_again(folder: Path, tmp_path: Path, expected: Runs) -> None:
    """Change upon change, without the input, and without the first run."""
    first = without_input(folder, folder / "tokens", tmp_path / "first", "clean.min_characters=90")
    second = without_input(folder, first, tmp_path / "second", "mark.mark=mill")
    whole = expected("tokens-clean.min_characters", "stages.4.min_characters=90", "stages.6.mark=mill")
    assert output(second) == output(whole)
    back = rerun(second, tmp_path / "back", "clean.min_characters=30", "mark.mark=gate")
    assert output(back) == output(folder / "tokens")


def test_a_kept_tokenizer_is_the_runs(folder: Path, tmp_path: Path) -> None:
    """Trained anew on other documents it is another; kept, ids of both runs mean the same."""
    anew = rerun(folder / "tokens", tmp_path / "anew", "clean.min_characters=90")
    kept = rerun(folder / "tokens", tmp_path / "kept", "clean.min_characters=90", keep_tokenizer=True)
    models = [next((run / "tokenizer").glob("*.model")).read_bytes() for run in (folder / "tokens", anew, kept)]
    assert models[0] != models[1]
    assert models[0] == models[2]


def test_killed_after_any_commit_it_goes_on(folder: Path, tmp_path: Path) -> None:
    """The bytes of a rerun that nothing happened to, whichever commit was the last."""
    settings = ("clean.min_characters=60", "write.shard_tokens=300")
    whole = output(rerun(folder / "tokens", tmp_path / "whole", *settings))
    assert len(whole) > 4

    class Killed(Exception): ...

    def kill(event: Event) -> None:
        if event.kind == "committed":
            raise Killed

    made = making(folder / "tokens", tmp_path / "cut", *settings)
    for _ in whole[:-1]:
        with pytest.raises(Killed):
            run_pipeline(made.loaded, plan=made.plan, watchers=(kill,))
    assert run_pipeline(made.loaded, plan=making(folder / "tokens", tmp_path / "cut", *settings).plan).state == "done"
    assert output(tmp_path / "cut") == whole


@pytest.mark.slow
def test_both_executors_give_the_same_bytes(folder: Path, tmp_path: Path, ray_cluster: None, expected: Runs) -> None:
    """Units travel between processes with what their documents were."""
    settings = ("clean.min_characters=90", "mark.mark=mill", "engine.workers=2")
    whole = expected("tokens-clean.min_characters", "stages.4.min_characters=90", "stages.6.mark=mill")
    assert output(rerun(folder / "tokens", tmp_path / "ray", *settings, executor="ray")) == output(whole)


@pytest.mark.soak
def test_a_run_of_either_executor_can_be_run_again(folder: Path, ray_cluster: None) -> None:
    """What documents were behind `parse` travels between processes in the first run, too."""
    rayed = fresh(folder, "rayed", "engine.executor=ray", "engine.workers=2")
    assert output(rayed) == output(folder / "tokens")


def test_the_limit_of_a_run_may_be_lowered(folder: Path, tmp_path: Path, expected: Runs) -> None:
    """The rerun ends behind the same unit as a run with that limit."""
    again = rerun(folder / "tokens", tmp_path / "new", "limit=60", first="urls")
    assert output(again) == output(expected("limited", "limit=60"))


def test_plan_and_looks_name_the_run(folder: Path, tmp_path: Path) -> None:
    """Plan, report, `explain` and `inspect`; the plan's input listing is that of the run."""
    run = rerun(folder / "tokens", tmp_path / "new", "clean.min_characters=60")
    plan, parent = read_plan(run), read_plan(folder / "tokens")
    assert plan["recipe"]["rerun"]["of"] == parent["identity"]
    assert (plan["recipe"]["rerun"]["first"], plan["recipe"]["rerun"]["settings"]) == (
        "clean",
        ["clean.min_characters=60"],
    )
    assert (plan["inputs"], plan["identity"]["input"]) == (parent["inputs"], parent["identity"]["input"])
    report = inspect_run(run)["report"]
    assert report["parent"] == str(folder / "tokens") == explain(run, "old:0.txt#0")["parent"]
    assert not [name for name in explain(run, "old:0.txt#0")["document"] if name.startswith("parsed")]
    totals = [report["totals"], report_data(folder / "tokens")["totals"]]
    assert Counter(totals[0])["documents"] == Counter(totals[1])["documents"] and totals[0]["files"] == 7


@pytest.mark.slow
@pytest.mark.parametrize("step", [pytest.param("unit.files.synced", marks=pytest.mark.soak), "manifest.appended"])
def test_the_command_goes_on_where_it_was_killed(folder: Path, tmp_path: Path, step: str) -> None:
    """SIGKILL in the middle of the second commit; the same command, without the input, gives the same bytes."""
    settings = ("clean.min_characters=60", "write.shard_tokens=1000")
    whole = output(rerun(folder / "tokens", tmp_path / "whole", *settings))
    options = [word for text in settings for word in ("--set", text)]
    command = [sys.executable, "-m", "headrace", "rerun", folder / "tokens", *options, "--run", tmp_path / "cut"]
    environment = {**os.environ, FAILPOINT: f"{step}:2"}
    assert subprocess.run(command, env=environment, capture_output=True).returncode == -signal.SIGKILL
    assert 0 < read_published(tmp_path / "cut") < len(whole)
    away = moved_away(folder)
    assert subprocess.run(command, capture_output=True).returncode == 0
    shutil.move(away, folder / "in")
    assert output(tmp_path / "cut") == whole
