"""`leaf3`: a document that kills its workers is the only one that suffers, and random kills cost nobody anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.protocol.fault_executors import HarshExecutor, MortalExecutor, RandomKills, Rates, kills_at
from tests.protocol.small_runs import (
    BYTES,
    DEDUP,
    TRAINED,
    Case,
    check_run,
    differences,
    documents,
    outcome,
    some_files,
    stages,
)

from headrace.schemas.errors import HeadraceError

MARK = "DEADLY"
CHAINS = {
    "before dedup": stages(before=MARK),
    "after dedup": stages(after=MARK),
    "before dedup, tokenizer trained": stages(before=MARK, tokenize=TRAINED),
    "after dedup, tokenizer trained": stages(after=MARK, tokenize=TRAINED),
}


def with_poison(files: dict[str, str], where: Sequence[int]) -> dict[str, str]:
    """Put a deadly line in place of some lines of the longest file; every one is as long as the line it replaces."""
    name = max(files, key=lambda key: len(files[key]))
    lines = files[name].splitlines()
    for number, line in enumerate(where):
        width = len(lines[line].encode())
        lines[line] = f"{MARK} {('pq', 'rs', 'tu')[number % 3]} {number:02} ".ljust(width, "x")[:width]
    return {**files, name: "".join(line + "\n" for line in lines)}


def quarantined(run: Path) -> list[dict[str, object]]:
    """Give the quarantined rows of a finished run."""
    return [row for row in documents(run) if row["verdict"] == "quarantined"]


def shards(run: Path) -> dict[str, str]:
    """Give the shards and the index of a finished run."""
    return {name: sha for name, sha in outcome(run).items() if name.startswith(("shards/", "index/", "tokenizer/"))}


PLACES = {"one": (3,), "several in a unit": (3, 4, 5), "both ends": (0, 71), "several units": (10, 30, 50)}


@pytest.mark.parametrize(
    ("chain", "where"),
    [
        *(("before dedup", places) for places in PLACES.values()),
        *((chain, PLACES["several units"]) for chain in CHAINS),
    ],
    ids=str,
)
def test_only_the_killers_are_quarantined(tmp_path: Path, chain: str, where: tuple[int, ...]) -> None:
    """One killer, several in a unit, at both ends, in several units: the rest has the bytes of a run without them."""
    case = Case(tmp_path, with_poison(some_files(3), where), CHAINS[chain]).prepare()
    case.run("without", f"stages.{[s['kind'] for s in CHAINS[chain]].index('tripwire')}.how=drop")
    summary = case.run("killed", executor=MortalExecutor())
    check_run(tmp_path / "killed")
    rows = quarantined(tmp_path / "killed")
    assert len(rows) == len(where)
    assert {(row["reason"], row["stage"]) for row in rows} == {("worker_died", "tripwire")}
    assert sorted(struck.doc_id for struck in summary.struck) == sorted(str(row["doc_id"]) for row in rows)
    assert shards(tmp_path / "killed") == shards(tmp_path / "without")
    others = [{**row, "text": None} for row in documents(tmp_path / "killed") if row not in rows]
    before = [{**row, "text": None} for row in documents(tmp_path / "without") if row["reason"] != "tripped"]
    assert others == before


def test_killers_are_found_in_any_schedule(tmp_path: Path) -> None:
    """Random deaths, losses and rollbacks around the killers change nothing either."""
    case = Case(tmp_path, with_poison(some_files(3), (10, 30)), CHAINS["before dedup"]).prepare()
    case.run("calm", executor=MortalExecutor())
    for seed in range(2):
        rates = Rates(worker=0.02, state=0.03, lost=0.08)
        case.run(f"harsh-{seed}", executor=HarshExecutor(seed, rates))
        assert differences(case.outcome("calm"), case.outcome(f"harsh-{seed}")) == [], rates.seen


LONELY = {"in/00.txt": "only one line of a few words in this file\n" + "", "in/01.txt": ""}


@pytest.mark.parametrize("kills", range(6))
@pytest.mark.parametrize("stage", ["parse", "dedup", "tokenize"])
def test_four_random_kills_change_nothing_and_the_fifth_alone_quarantines(
    tmp_path: Path, stage: str, kills: int
) -> None:
    """Two strikes, then three deaths alone: an innocent document survives any four kills of its worker."""
    case = Case(tmp_path, LONELY, stages(), engine={"lanes": 1}).prepare()
    case.run("clean")
    case.run("killed", executor=MortalExecutor(RandomKills(stage, "a:00.txt#0", kills)))
    check_run(tmp_path / "killed")
    if kills < 5:
        assert differences(case.outcome("clean"), case.outcome("killed")) == []
    else:
        assert [(row["doc_id"], row["stage"]) for row in quarantined(tmp_path / "killed")] == [("a:00.txt#0", stage)]


@pytest.mark.parametrize("kills", range(1, 9))
def test_random_kills_of_a_unit_of_many_documents_change_nothing(tmp_path: Path, kills: int) -> None:
    """Bisection gives every document the same patience: kills have to hit one document five times in a row."""
    case = Case(tmp_path, some_files(5, files=4), stages()).prepare()
    case.run("clean")
    victim = str(documents(tmp_path / "clean")[2]["doc_id"])
    rows = quarantined_after(case, RandomKills("parse", victim, kills))
    assert rows == []
    assert differences(case.outcome("clean"), case.outcome("killed")) == []


def quarantined_after(case: Case, deadly: RandomKills) -> list[dict[str, object]]:
    case.run("killed", executor=MortalExecutor(deadly))
    assert not deadly.left
    return quarantined(case.folder / "killed")


@pytest.mark.parametrize("stage", ["parse", "dedup", "tokenize"])
def test_a_unit_of_killers_only_passes_every_later_stage(tmp_path: Path, stage: str) -> None:
    """A unit that has lost all its documents goes on empty: no stage needs a column that was never made."""
    case = Case(tmp_path, {**LONELY, "in/02.txt": "another line\n" * 3}, stages(), engine={"lanes": 1}).prepare()
    case.run("killed", executor=MortalExecutor(kills_at(stage, "a:00.txt#0")))
    check_run(tmp_path / "killed")
    rows = quarantined(tmp_path / "killed")
    assert [(row["doc_id"], row["stage"], row["reason"]) for row in rows] == [("a:00.txt#0", stage, "worker_died")]


FULL = (
    {"kind": "decode"},
    {"kind": "parse"},
    {"kind": "clean"},
    DEDUP,
    {"kind": "grade"},
    {"kind": "normalize"},
    BYTES,
    {"kind": "write", "sequence_length": 64, "shard_tokens": 1500},
)


@pytest.mark.parametrize("stage", ["parse", "clean", "dedup", "grade", "normalize", "tokenize"])
def test_a_killer_at_any_stage_of_the_whole_chain(tmp_path: Path, stage: str) -> None:
    """Whichever stage a document kills, it alone is quarantined there; shards differ by its tokens alone."""
    case = Case(tmp_path, some_files(3), FULL).prepare()
    case.run("clean")
    victim = next(str(row["doc_id"]) for row in documents(tmp_path / "clean") if row["verdict"] == "kept")
    case.run("killed", executor=MortalExecutor(kills_at(stage, victim)))
    check_run(tmp_path / "killed")
    assert [(r["doc_id"], r["stage"]) for r in quarantined(tmp_path / "killed")] == [(victim, stage)]


def test_a_killer_of_the_reader_is_quarantined_as_a_range_of_its_split(tmp_path: Path) -> None:
    """Before there are documents only the range has a name; every other split keeps its bytes and its place."""
    files = {f"in/{n}.txt": f"line {n} of some words\n" * 60 for n in range(5)}
    case = Case(tmp_path, files, FULL, engine={"lanes": 2}).prepare()
    executor = MortalExecutor(lambda job, seen: "read" in job.stages and _reads(job, "2.txt"))
    case.run("killed", executor=executor)
    lines = check_run(tmp_path / "killed")
    rows = quarantined(tmp_path / "killed")
    assert [(row["doc_id"], row["reason"], row["stage"]) for row in rows] == [("a:2.txt#0", "worker_died", "read")]
    assert {str(row["path"]) for row in documents(tmp_path / "killed")} == {f"{n}.txt" for n in range(5)}
    assert lines[-1].end


def test_a_killer_of_decode_costs_its_file_and_no_other(tmp_path: Path) -> None:
    """A charset is judged on all rows of a file: the killing file's rows go, those beside it in the unit stay."""
    files = {f"in/{n}.txt": f"line {n} of some words\n" * 8 for n in range(5)}
    case = Case(tmp_path, files, FULL, engine={"lanes": 1, "unit_bytes": 100_000}).prepare()
    case.run("killed", executor=MortalExecutor(kills_at("decode", "a:2.txt#0")))
    check_run(tmp_path / "killed")
    rows = quarantined(tmp_path / "killed")
    assert len(rows) == 8
    assert {(row["path"], row["reason"], row["stage"]) for row in rows} == {("2.txt", "worker_died", "decode")}
    kept = {str(row["path"]) for row in documents(tmp_path / "killed") if row["stage"] not in ("read", "decode")}
    assert kept == {f"{n}.txt" for n in (0, 1, 3, 4)}


def _reads(job: object, path: str) -> bool:
    split = getattr(job, "split", None)
    return split is not None and any(file.path.endswith(path) for file in split.files)


def test_workers_that_die_without_any_document_end_the_run_with_a_message(tmp_path: Path) -> None:
    """A stage that kills on an empty table is no document's fault: the run says so."""
    case = Case(tmp_path, {"in/0.txt": "", "in/1.txt": ""}, stages(), engine={"lanes": 1}).prepare()
    executor = MortalExecutor(lambda job, seen: "parse" in job.stages)
    with pytest.raises(HeadraceError, match="workers die without any document"):
        case.run("run", executor=executor)
