"""A rerun under the faults of a run: its units are a run's units, and what it owes is what a run owes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.protocol.fault_executors import HarshExecutor, MortalExecutor, Rates, kills_at
from tests.protocol.small_runs import BYTES, DEDUP, TRAINED, Case, check_run, documents, some_files, starting

from headrace.pipeline.executor import Executor, InlineExecutor
from headrace.pipeline.rerun.make import make_rerun
from headrace.pipeline.rerun.settings import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import HeadraceError
from headrace.schemas.manifest import read_manifest

WRITE = {"kind": "write", "sequence_length": 64, "shard_tokens": 1500, "record": "full"}
CLEAN = {"kind": "clean", "min_characters": 20}
CHAIN = ({"kind": "decode"}, {"kind": "parse"}, CLEAN, DEDUP, {"kind": "normalize"})
SETTING, OVERRIDE = "clean.min_characters=50", "stages.2.min_characters=50"


def case(folder: Path, tokenize: dict[str, object]) -> Case:
    return Case(folder, some_files(5), (*CHAIN, tokenize, WRITE)).prepare()


def again(run: Path, new: Path, executor: Executor, first: str = "clean") -> None:
    made = make_rerun(run, Wanted((SETTING,), first), new)
    start = starting(executor, 3)
    assert run_pipeline(made.loaded, plan=made.plan, start_executor=start).state == "done"


def owed(run: Path) -> list[object]:
    """Give the manifest, but for the places in the input: those of a rerun are others."""
    return [
        (line.first, line.last, line.shard, line.documents, line.ledgers, line.quarantine, line.index_runs, line.end)
        for line in read_manifest(run)
    ]


@pytest.mark.parametrize("tokenize", [BYTES, TRAINED], ids=["bytes", "trained"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_a_rerun_in_which_things_die_is_the_fresh_run(tokenize: dict[str, object], seed: int, tmp_path: Path) -> None:
    """Workers, states and payloads are lost: the same shards, documents, ledgers and index, `index_runs` included."""
    small = case(tmp_path, tokenize)
    small.run("run")
    small.run("fresh", OVERRIDE)
    rates = Rates(worker=0.1, state=0.02, start=0.05, lost=0.1)
    again(tmp_path / "run", tmp_path / "new", HarshExecutor(seed, rates))
    assert rates.seen
    assert owed(tmp_path / "new") == owed(tmp_path / "fresh") != owed(tmp_path / "run")
    check_run(tmp_path / "new")


EARLIER = [pytest.param(name, marks=pytest.mark.soak) for name in ("read", "decode")]


@pytest.mark.parametrize("stage", [*EARLIER, "parse", "clean"])
def test_a_unit_that_was_taken_apart_has_its_rows_in_order(stage: str, tmp_path: Path) -> None:
    """What killed its workers up to parse stays quarantined; what died later dies again, or the rerun says so."""
    small = case(tmp_path, BYTES)
    small.run("whole")
    victim = next(row["doc_id"] for row in documents(tmp_path / "whole") if row["verdict"] == "kept")
    deadly = kills_at(stage, victim)
    small.run("run", executor=MortalExecutor(deadly))
    small.run("fresh", OVERRIDE, executor=MortalExecutor(deadly))
    gone = [row["stage"] for row in documents(tmp_path / "run") if row["verdict"] == "quarantined"]
    assert {*gone} == {stage}
    again(tmp_path / "run", tmp_path / "new", MortalExecutor(deadly) if stage == "clean" else InlineExecutor())
    assert owed(tmp_path / "new") == owed(tmp_path / "fresh")


def test_a_unit_that_cannot_be_read_ends_the_rerun(tmp_path: Path) -> None:
    """Its documents were judged once: they are not quarantined as a range that nobody could read."""
    small = case(tmp_path, BYTES)
    small.run("run")
    victim = documents(tmp_path / "run")[0]["doc_id"]
    with pytest.raises(HeadraceError, match="unit 0 of the run that is run again cannot be read"):
        again(tmp_path / "run", tmp_path / "new", MortalExecutor(kills_at("read", victim)))
