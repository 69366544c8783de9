"""Whatever the schedule and whatever dies: a finished run is the one that a clean inline run gives, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.protocol.fault_executors import HarshExecutor, Rates
from tests.protocol.small_runs import (
    TRAINED,
    Case,
    check_run,
    differences,
    documents,
    ledger_totals,
    outcome,
    some_files,
    stages,
)

MIXES: dict[str, Callable[[], Rates]] = {
    "nothing dies": Rates,
    "workers": lambda: Rates(worker=0.12, start=0.03, left=12),
    "states": lambda: Rates(state=0.06, start=0.02),
    "objects": lambda: Rates(lost=0.15, left=12),
    "everything": lambda: Rates(worker=0.06, state=0.03, lost=0.06, start=0.02, left=8),
}
CASES = {
    "bytes": {"stages": stages()},
    "trained": {"stages": stages(tokenize=TRAINED)},
    "large units": {"stages": stages(shard_tokens=4000), "engine": {"unit_bytes": 3000, "lanes": 2}},
    "limit": {"stages": stages(tokenize=TRAINED), "plain": {"limit": 150}},
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Give a case with a clean run in it."""
    settings = CASES[request.param]
    made = Case(tmp_path_factory.mktemp("case"), some_files(len(request.param)), **settings).prepare()  # type: ignore[arg-type]
    made.run("clean")
    return made


def test_the_clean_run_is_worth_comparing_with(case: Case) -> None:
    """It has several shards, dropped repeats, empty files, balanced ledgers, and a row for every document."""
    lines = check_run(case.folder / "clean")
    totals = ledger_totals(case.folder / "clean")
    assert len(lines) > 2
    assert totals["dropped"] > 3
    assert totals["received"] == totals["kept"] + totals["dropped"] + totals["quarantined"]
    assert len(documents(case.folder / "clean")) == totals["received"]


def same_as_clean(case: Case, name: str, seed: int, rates: Rates) -> None:
    """Run with faults and hold the outcome against the clean run's."""
    run = f"{name.replace(' ', '-')}-{seed}"
    window = 1 + seed * 5 % 6  # 6, 5, 4, ...: more than there are lanes, then fewer
    summary = case.run(run, f"engine.window={window}", executor=HarshExecutor(seed, rates), workers=1 + seed % 4)
    found = differences(case.outcome("clean"), outcome(case.folder / run))
    assert found == [], f"window {window}, seed {seed}, faults {rates.seen}, {dict(summary.incidents)}"


@pytest.mark.parametrize("mix", MIXES)
def test_a_run_in_which_things_die_is_the_clean_run(case: Case, mix: str) -> None:
    """`order_admit`, `rollback`, `leaf3`, `spool_slots`, `spool_reset`, `cursors`: same bytes, nothing quarantined."""
    for seed in (1, 2):
        same_as_clean(case, mix, seed, MIXES[mix]())


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3, 60))
def test_many_runs_in_which_things_die_are_the_clean_run(case: Case, seed: int) -> None:
    """The same from many seeds."""
    for mix, rates in MIXES.items():
        same_as_clean(case, mix, seed, rates())
