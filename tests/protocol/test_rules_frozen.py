"""A run that is compared with an earlier one is judged by what that one had when it began, however far it has come."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.driver_kills import dying_at
from tests.protocol.fault_executors import DriverKilled, StateDies
from tests.protocol.small_runs import BYTES, DEDUP, Case, differences, documents, same_as_clean, some_files

from headrace.schemas.manifest import read_published

EARLIER = 2  # lines of the earlier run when the other one begins


@dataclass(frozen=True)
class Pair:
    """A run in progress, and a case whose runs are compared with it."""

    earlier: Case
    case: Case

    def advance(self) -> None:
        """Let the earlier run commit one line more, and die."""
        with suppress(DriverKilled), dying_at("manifest.published"):
            self.earlier.run()

    @property
    def lines(self) -> int:
        """Committed lines of the earlier run."""
        return read_published(self.earlier.folder / "run")


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Give a run that has two lines of many, and the clean run of a case that repeats much of all its input."""
    texts = some_files(9)
    write = {"kind": "write", "sequence_length": 64, "shard_tokens": 900}
    chain = ({"kind": "decode"}, {"kind": "parse"}, DEDUP, BYTES, write)
    compared = ({"kind": "decode"}, {"kind": "parse"}, {**DEDUP, "against": ["../earlier/run"]}, BYTES, write)
    again = {name: text + "one more line, of its own\n" for name, text in reversed(texts.items())}
    folders = tmp_path / "earlier", tmp_path / "later"
    for folder in folders:
        folder.mkdir()
    made = Pair(Case(folders[0], texts, chain).prepare(), Case(folders[1], again, compared).prepare())
    for _ in range(EARLIER):
        made.advance()
    made.case.run("clean")
    return made


def test_the_earlier_run_decides_as_far_as_it_was_frozen(pair: Pair) -> None:
    """Documents repeat some of its first lines, and none of what it commits later, until a run is begun anew."""
    assert pair.lines == EARLIER
    repeated = {row["survivor"] for row in documents(pair.case.folder / "clean") if row["detail"]}
    pair.earlier.run()
    had = [row["doc_id"] for row in documents(pair.earlier.folder / "run") if row["verdict"] == "kept"]
    assert 0 < len(repeated) < len(had)
    pair.case.run("later")
    now = {row["survivor"] for row in documents(pair.case.folder / "later") if row["detail"]}
    assert repeated < now <= set(had)
    pair.case.run("clean", fresh=True)
    assert differences(pair.case.outcome("clean"), pair.case.outcome("later")) == []


def test_an_earlier_run_that_commits_between_all_sessions_changes_nothing(pair: Pair) -> None:
    """`frozen`: each session gets one commit further, and so does the earlier run, until both have ended."""
    sessions = 0
    while True:
        sessions += 1
        try:
            with dying_at("manifest.published"):
                pair.case.run()
        except DriverKilled:
            pair.advance()
            continue
        break
    assert sessions > EARLIER
    assert pair.lines > EARLIER
    same_as_clean(pair.case, "run")


@pytest.mark.parametrize("unit", [0, 4])
def test_an_earlier_run_that_commits_while_a_state_is_gone_changes_nothing(pair: Pair, unit: int) -> None:
    """`frozen`: the state that is opened after a rollback knows of the earlier run what the lost one knew."""

    def moves_on(event: Any) -> None:
        if event.kind == "rollback":
            pair.advance()

    summary = pair.case.run(executor=StateDies("dedup", unit, times=2), watchers=(moves_on,))
    assert summary.incidents["rollbacks"] == 2
    assert pair.lines == EARLIER + 2
    same_as_clean(pair.case, "run")


@pytest.mark.parametrize("step", ["unit.ledger.written", "shard.renamed", "index.renamed", "manifest.synced"])
def test_a_kill_at_any_step_changes_nothing(pair: Pair, step: str) -> None:
    """`frozen`: the next session reads the plan of the first, and not the earlier run, for what counts."""
    with dying_at(step, 2), pytest.raises(DriverKilled):
        pair.case.run()
    pair.earlier.run()
    pair.case.run()
    same_as_clean(pair.case, "run")
