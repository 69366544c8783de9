"""Kills between any two steps, lost states, half-done --fresh, and where a restart goes on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.driver_kills import COMMIT_STEPS, dying_at
from tests.protocol.fault_executors import DriverKilled, MortalExecutor, RandomKills, StateDies, lost
from tests.protocol.small_runs import (
    CHAINS,
    Case,
    check_run,
    differences,
    documents,
    same_as_clean,
    some_files,
    stages,
)

from headrace.pipeline.committed import FOLDERS
from headrace.pipeline.executor import Call
from headrace.pipeline.host import Job
from headrace.schemas.errors import HeadraceError
from headrace.stages.tokenizing.published import publish_model

MODEL_STEPS = ("model.temporary.written", "model.renamed")
KILLS = [
    *(("bytes", step, count) for step in COMMIT_STEPS for count in (1, 2)),
    *(("trained", step, 1) for step in (*MODEL_STEPS, *COMMIT_STEPS)),
]


@pytest.mark.parametrize(("chain", "step", "count"), KILLS)
def test_a_kill_at_any_step_changes_nothing(cases: dict[str, Case], chain: str, step: str, count: int) -> None:
    """`cursors`, `rollback`, `index_sync`: the next session goes on behind the last commit, into the same bytes."""
    case, run = cases[chain], f"{step}-{count}"
    with dying_at(step, count), pytest.raises(DriverKilled):
        case.run(run)
    case.run(run)
    same_as_clean(case, run)


@pytest.mark.parametrize("every", [1, 2])
def test_a_kill_at_every_commit_changes_nothing(case: Case, every: int) -> None:
    """A run that never gets further than one commit a session ends all the same; lanes go on where they stood."""
    run = f"each-{every}"
    sessions = 0
    while True:
        sessions += 1
        try:
            with dying_at("manifest.published", every):
                case.run(run, f"engine.window={1 + sessions % 4}")  # may change from one session to the next
        except DriverKilled:
            continue
        break
    assert sessions > 2
    same_as_clean(case, run)


# Lost states


@pytest.mark.parametrize("stage", ["dedup", "write", "tokenize"])
def test_a_lost_state_is_a_resume_inside_the_run(case: Case, stage: str) -> None:
    """`rollback`: every unit may lose the state once, at most three times without a commit in between."""
    for unit in (0, 3, 8):
        run = f"lost-{stage}-{unit}"
        executor = StateDies(stage, unit, times=3)
        summary = case.run(run, executor=executor)
        assert summary.incidents.get("rollbacks", 0) == 3 - executor.times
        same_as_clean(case, run)


@pytest.mark.parametrize("unit", [0, 5, 9])
def test_rollbacks_without_progress_end_with_a_message(plain: Case, unit: int) -> None:
    """Three times in a row is bad luck; the fourth ends the run, which goes on from there when it is started again."""
    case, run = plain, f"loop-{unit}"
    with pytest.raises(
        HeadraceError, match=f"an ordered stage dies again and again: unit {unit}: the state of dedup is gone"
    ) as error:
        case.run(run, executor=StateDies("dedup", unit))
    assert "run the same command again" in str(error.value)
    rollbacks = [event for event in case.events(run) if event["kind"] == "rollback"]
    assert [event["unit"] for event in rollbacks].count(rollbacks[-1]["unit"]) == 4
    case.run(run)
    same_as_clean(case, run)


class LosesOnce(MortalExecutor):
    """The data of unit 0 is lost when it is to be tokenized, once; `kills` may strike before that, or after it."""

    def __init__(self, kills: RandomKills, *, first: bool) -> None:
        super().__init__(lambda job, seen: self.lost != first and kills(job, seen))
        self.lost = False

    def run(self, worker: Any, job: Job, payload: Any) -> Call:
        if not self.lost and job.unit == 0 and job.stages[-1] == "tokenize":
            self.lost = True
            return lost(worker)
        return super().run(worker, job, payload)


@pytest.mark.parametrize("first", [True, False], ids=["quarantined, then kept", "kept, then quarantined"])
def test_a_replay_that_comes_out_differently_is_a_rollback(tmp_path: Path, *, first: bool) -> None:
    """`rollback`: a document dies in one pass alone; later repeats of it are judged by what was written in the end."""
    text = "the very same line of quite some words in every file"
    files = {f"in/{n}.txt": f"{text}\nline {n} of its own, and of no other file\n" for n in range(4)}
    case = Case(tmp_path, files, stages(), engine={"lanes": 4}).prepare()
    case.run("clean")
    kills = RandomKills("parse", "a:0.txt#0", 50 if first else 12)
    summary = case.run("run", executor=LosesOnce(kills, first=first))
    check_run(tmp_path / "run")
    assert summary.incidents["rollbacks"] == 1
    rows = {row["doc_id"]: row["verdict"] for row in documents(tmp_path / "run")}
    if first:
        assert differences(case.outcome("clean"), case.outcome("run")) == []
    else:
        same = [rows[f"a:{n}.txt#0"] for n in range(4)]
        assert same in (["kept", "dropped", "dropped", "dropped"], ["quarantined", "kept", "dropped", "dropped"])


# --fresh


def test_a_kill_during_fresh_never_mixes_two_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was deleted by then, the old run is whole or gone: no manifest is left whose files are not."""
    case = Case(tmp_path, some_files(4, files=3, lines=3), CHAINS["bytes"]).prepare()
    case.run("clean")
    old = "stages.2.minhash=null"
    for cut in range(1, 40):
        run = f"fresh-{cut}"
        case.run(run, old)
        with monkeypatch.context() as patch:
            patch_removals(patch, cut)
            try:
                case.run(run, fresh=True)
                break
            except DriverKilled:
                pass
        resumes(case, run, old)
        case.run(run, fresh=True)
        same_as_clean(case, run)
    assert cut > len(FOLDERS) + 3


def resumes(case: Case, run: str, old: str) -> None:
    """The old configuration goes on with a run that ends whole, unless the folder is the new one's already."""
    try:
        case.run(run, old)
    except HeadraceError as error:
        assert "not the run that was started here" in str(error)  # noqa: PT017  # both ends are right
    else:
        check_run(case.folder / run)


def patch_removals(patch: pytest.MonkeyPatch, cut: int) -> None:
    """Let the driver die before the `cut`-th file or folder is removed from the run folder itself."""
    left = [cut]
    unlink, rmtree = Path.unlink, shutil.rmtree

    def count_down(path: Path) -> None:
        left[0] -= path.parent.name.startswith("fresh-") and path.suffix != ".tmp"
        if not left[0]:
            raise DriverKilled

    def counted_unlink(self: Path, *, missing_ok: bool = False) -> None:
        count_down(self)
        unlink(self, missing_ok=missing_ok)

    def counted_rmtree(path: Path, *, ignore_errors: bool = False) -> None:
        count_down(path)
        rmtree(path, ignore_errors=ignore_errors)

    patch.setattr(Path, "unlink", counted_unlink)
    patch.setattr(shutil, "rmtree", counted_rmtree)


# The tokenizer


def test_a_late_model_of_a_dead_session_is_not_used(tmp_path: Path) -> None:
    """A zombie that publishes another model after the first commit changes nothing: the manifest names the one used."""
    case = Case(tmp_path, some_files(4), CHAINS["trained"]).prepare()
    case.run("clean")
    with pytest.raises(DriverKilled):
        case.run("run", watchers=(_dies_at_commit,))
    model = next((tmp_path / "run" / "tokenizer").glob("*.model")).read_bytes()
    publish_model(tmp_path / "run", model + b"other", {}, {})
    case.run("run")
    same_as_clean(case, "run")


def _dies_at_commit(event: Any) -> None:
    if event.kind == "committed":
        raise DriverKilled


def test_an_altered_model_that_lines_name_is_not_trained_anew(tmp_path: Path) -> None:
    """Shards of one run never come from two models: the run says what is missing."""
    case = Case(tmp_path, some_files(4), CHAINS["trained"]).prepare()
    with pytest.raises(DriverKilled):
        case.run("run", watchers=(_dies_at_commit,))
    model = next((tmp_path / "run" / "tokenizer").glob("*.model"))
    model.write_bytes(bytes(len(model.read_bytes())))
    with pytest.raises(HeadraceError, match="the tokenizer model was altered"):
        case.run("run")
