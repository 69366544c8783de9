"""Admission and the window: strictly in order, never more than `window` units, and the spool in slots of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.protocol.fault_executors import HarshExecutor, Rates
from tests.protocol.small_runs import Case, differences, outcome, some_files, stages


def in_flight(events: list[dict[str, Any]]) -> list[int]:
    """Recount the units in flight after every event: from admission to the writer, or to the spool."""
    units: set[int] = set()
    counts = []
    for event in events:
        if event["kind"] == "rollback":
            units.clear()
        elif event["kind"] == "admitted":
            units.add(event["unit"])
        elif event["kind"] == "group" and event["group"] in {"write", "tokenizer"}:
            units.discard(event["unit"])
        counts.append(len(units))
    return counts


@pytest.mark.parametrize("window", [1, 2, 3, 6])
def test_no_more_than_window_units_are_in_flight(case: Case, window: int) -> None:
    """`order_admit`: units are admitted one by one in global order, whatever dies; `window` bounds them at any time."""
    for seed in (1, 2):
        run = f"window-{window}-{seed}"
        rates = Rates(worker=0.05, state=0.02, lost=0.08)
        case.run(run, f"engine.window={window}", executor=HarshExecutor(seed, rates), workers=4)
        events = case.events(run)
        assert max(in_flight(events)) <= window
        assert max(event["in_flight"] for event in events if event["kind"] == "admitted") <= window
        expected = 0
        for event in events:
            if event["kind"] == "rollback":
                expected = event["unit"]
            elif event["kind"] == "admitted":
                assert event["unit"] == expected
                expected += 1
        assert differences(case.outcome("clean"), outcome(case.folder / run)) == []


def test_the_window_is_used(case: Case) -> None:
    """With room and workers enough, several units are in flight at once."""
    case.run("wide", "engine.window=6", executor=HarshExecutor(3, Rates()), workers=4)
    assert max(in_flight(case.events("wide"))) > 2


def test_a_full_window_does_not_stop_spooled_units(tmp_path: Path) -> None:
    """`spool_slots`: the window is full of later units while the spooled ones still have to come back."""
    trained = {"kind": "tokenize", "train": {"vocab_size": 320, "sample_bytes": 2500, "threads": 1}}
    case = Case(tmp_path, some_files(4), stages(tokenize=trained), engine={"window": 1}).prepare()
    case.run("clean")
    for seed in range(4):
        rates = Rates(lost=0.1)
        case.run(f"run-{seed}", executor=HarshExecutor(seed, rates), workers=2)
        assert differences(case.outcome("clean"), case.outcome(f"run-{seed}")) == [], rates.seen


@pytest.mark.parametrize("settings", [{"window": 1}, {"window": 6}, {"workers": 1}, {"lanes": 3}], ids=str)
def test_neither_window_nor_workers_are_part_of_the_output(case: Case, settings: dict[str, int]) -> None:
    """Same bytes for every window and number of workers; they may change from one session to the next."""
    overrides = [f"engine.{key}={value}" for key, value in settings.items()]
    run = "-".join(f"{key}{value}" for key, value in settings.items())
    case.run(run, *overrides)
    assert differences(case.outcome("clean"), outcome(case.folder / run)) == []


def test_other_lanes_and_units_are_another_run(case: Case) -> None:
    """They decide the order, so they are part of the identity: the shards differ, and the plan says so beforehand."""
    case.run("lanes", "engine.lanes=2")
    case.run("units", "engine.unit_bytes=2500")
    for run in ("lanes", "units"):
        assert differences(case.outcome("clean"), outcome(case.folder / run)) != []
