"""The second pass meets what the first did not have, units that come again, and documents that were struck before."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from tests.pipeline.small_runs import output
from tests.pipeline.two_pass.chained_texts import LOOSE, WORDS, chained_run, rows, write_chains
from tests.protocol.fault_executors import MortalExecutor, StateDies, kills_at
from tests.protocol.small_runs import starting

from headrace.pipeline.committed import open_committed
from headrace.pipeline.report_data import report_data
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import RunContext
from headrace.stages.deduplication.runs import IndexRuns
from headrace.stages.deduplication.settled import SettledState


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("second")
    write_chains(folder)
    loaded = chained_run(folder)
    assert run_pipeline(loaded).state == "done"
    return loaded.run_dir


def context_of(run: Path, first_unit: int = 0) -> RunContext:
    files = [ref for line in open_committed(run).lines for ref in line.index_runs]
    verdicts = next(ref for ref in files if "-verdicts-" in ref.name)
    return RunContext(run, "dedup", (), first_unit, settled=verdicts)


def opened(run: Path, first_unit: int = 0) -> SettledState:
    return SettledState(context_of(run, first_unit), LOOSE.rules, LOOSE.index_parameters, LOOSE.signed)


def unit_of(run: Path, unit: int, *more: str) -> UnitBatch:
    """Give a unit as dedup sees it, with documents that the first pass did not have."""
    ledger = [path for number, path in open_committed(run).documents() if number == unit]
    names = {path.name for path in ledger}
    found = [row for row in rows(run) if row["file"] in names]
    ids = [*(row["doc_id"] for row in found), *more]
    return UnitBatch(unit, pa.table({"doc_id": pa.array(ids), "text": pa.array(["x"] * len(ids), pa.large_string())}))


def kept(state: SettledState, unit: UnitBatch) -> list[str]:
    return [str(doc_id) for doc_id in state.accept(unit)[0].documents["doc_id"].to_pylist()]


def test_a_document_that_the_first_pass_did_not_have_stays(run: Path) -> None:
    """It was struck there by chance: nothing says that it repeats anything. It is signed now, for later runs."""
    state, index = opened(run), IndexRuns(context_of(run), LOOSE.rules, LOOSE.index_parameters)
    before = kept(state, unit_of(run, 0))
    assert 0 < len(before) < unit_of(run, 0).documents.num_rows
    unit = unit_of(run, 0, "low:in/a0.txt#99999")
    moved = unit.but(documents=unit.documents.take([unit.documents.num_rows - 1, *range(unit.documents.num_rows - 1)]))
    assert kept(state, moved) == ["low:in/a0.txt#99999", *before]
    verdicts, written = state.flush(0)
    assert verdicts == context_of(run).settled
    entries = index.read(written)
    assert entries["doc_id"].to_pylist() == ["low:in/a0.txt#99999", *before]
    signed = LOOSE.signed(pa.table({"text": pa.array(["x"], pa.large_string())}))
    assert entries.slice(0, 1).select(signed.column_names[1:]).to_pylist() == signed.drop_columns("text").to_pylist()


def test_a_unit_that_the_first_pass_did_not_have_at_all_is_signed(run: Path) -> None:
    """Behind its last unit, say: what comes of it is kept and can be found."""
    last = open_committed(run).lines[-1].last + 1
    state, index = opened(run, last), IndexRuns(context_of(run), LOOSE.rules, LOOSE.index_parameters)
    documents = pa.table({"doc_id": ["high:in/b9.txt#0"], "text": pa.array(["a river"], pa.large_string())})
    assert kept(state, UnitBatch(last, documents)) == ["high:in/b9.txt#0"]
    (written,) = state.flush(last)
    assert index.read(written)["doc_id"].to_pylist() == ["high:in/b9.txt#0"]


def test_a_unit_that_comes_again_gets_the_same_answer(run: Path) -> None:
    """In any order, before and after a commit, and in the state of a later session; its verdicts are named once."""
    state = opened(run)
    first, second = kept(state, unit_of(run, 0)), kept(state, unit_of(run, 1))
    assert kept(state, unit_of(run, 0)) == first
    assert len(state.flush(0)) == 2
    assert kept(state, unit_of(run, 1)) == second
    (again,) = state.flush(1)
    resumed = opened(run, 1)
    assert kept(resumed, unit_of(run, 1)) == second
    assert resumed.flush(1) == (again,)


def test_without_verdicts_no_document_is_judged(run: Path) -> None:
    """A stage of two passes that is opened without its first pass says so."""
    with pytest.raises(HeadraceError, match="no verdicts of the first pass"):
        SettledState(RunContext(run, "dedup"), LOOSE.rules, LOOSE.index_parameters, LOOSE.signed)
    wrong = FileRef("index/dedup-verdicts-0.arrow", "0" * 64, 3)
    with pytest.raises(HeadraceError, match="a file of the verdicts of dedup is missing"):
        SettledState(RunContext(run, "dedup", settled=wrong), LOOSE.rules, LOOSE.index_parameters, LOOSE.signed)


@pytest.mark.parametrize("stage", ["signatures", "dedup"])
def test_a_state_that_dies_in_either_pass_changes_nothing(stage: str, run: Path) -> None:
    """The pass goes back to its last commit, twice, and the bytes are those of a run that nothing happened to."""
    loaded = chained_run(run.parent, f"died-{stage}")
    summary = run_pipeline(loaded, start_executor=starting(StateDies(stage, 2, times=2), 1))
    assert summary.state == "done"
    assert output(loaded.run_dir) == output(run)


def test_a_document_that_was_killed_in_the_first_pass_alone_stays(run: Path) -> None:
    """Whatever works on it dies there, and never in the second: it is kept, and the report names it."""
    victim = next(str(row["doc_id"]) for row in rows(run) if row["reason"] == "near_duplicate")
    loaded = chained_run(run.parent, "struck")
    executor = MortalExecutor(kills_at("signatures", victim))
    summary = run_pipeline(loaded, start_executor=starting(executor, 1))
    assert (summary.state, summary.struck) == ("done", ())
    (row,) = report_data(loaded.run_dir)["struck"]
    assert (row["doc_id"], row["stage"], row["pass"]) == (victim, "signatures", 1)
    assert {str(row["doc_id"]) for row in rows(loaded.run_dir) if row["verdict"] == "kept"} >= {victim}
    later = chained_run(run.parent, "after-struck", "stages.4.against=[struck]", keep="first_seen")
    assert run_pipeline(later).state == "done"
    (again,) = (row for row in rows(later.run_dir) if row["doc_id"] == victim)
    assert (again["verdict"], again["survivor"]) == ("dropped", victim)


@pytest.mark.parametrize(("text", "stay"), [("", 0), ("short\n" * 9, 0), ("oak and iron, water and stone\n" * 300, 1)])
def test_runs_with_next_to_nothing_in_them(text: str, stay: int, tmp_path: Path) -> None:
    """No document, none that reaches dedup, and one text over several units: both passes end, and all balances."""
    (tmp_path / "in").mkdir()
    for name in ("a0.txt", "b0.txt"):
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    loaded = chained_run(tmp_path)
    summary = run_pipeline(loaded)
    assert (summary.state, summary.counts[-1].kept if summary.counts else 0) == ("done", stay)
    assert verify(loaded.run_dir).problems == ()


def test_without_repetitions_all_stay(tmp_path: Path) -> None:
    """There are verdicts then, on no document."""
    (tmp_path / "in").mkdir()
    for name in ("a0.txt", "b0.txt"):
        lines = [f"{' '.join(WORDS[number % 7 :])} {name} and {WORDS[number % 9]} of {number}." for number in range(60)]
        (tmp_path / "in" / name).write_text("\n".join(lines), encoding="utf-8")
    loaded = chained_run(tmp_path, options="minhash: null")
    assert run_pipeline(loaded).counts[-1].kept == 120
    assert report_data(loaded.run_dir)["dedup"]["policies"]["first_seen"] == 120


def test_the_report_names_what_was_struck_in_the_first_pass(run: Path) -> None:
    """Such a document stays, which it might not have done: the list of the struck has it, with the pass."""
    struck = {"unit": 0, "doc_id": "low:in/a0.txt#0", "stage": "signatures", "cause": "worker_died"}
    with (run / "first-pass" / "events.jsonl").open("a", encoding="utf-8") as events:
        events.write(json.dumps({"kind": "quarantined", "at": 1.0, **struck}) + "\n")
    assert report_data(run)["struck"] == [{**struck, "pass": 1}]


def test_progress_and_times_know_of_two_passes(run: Path) -> None:
    """A session of two passes is one session, and its seconds are counted once."""
    times = report_data(run)["times"]
    lines = [json.loads(line) for line in (run / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["number"] for line in lines if line["kind"] == "pass"] == [1, 2]
    assert times["sessions"] == 1
    assert times["seconds"] == round(max(line["at"] for line in lines), 2)
