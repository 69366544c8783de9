from __future__ import annotations

import io
import json
import threading
from pathlib import Path

import pytest
from rich.console import Console

from headrace.pipeline.events import Event
from headrace.pipeline.progress import LiveTable, PlainLines, Progress, line, shown
from headrace.pipeline.standing import Standing, last_metrics
from headrace.schemas.pace import LAUNCH, Acknowledgement, Launch, rank_file

STARTED = Event(
    "started", 0.0, {"executor": "inline", "workers": 2, "resumed_at": 4, "bytes": 8_000_000, "groups": ["g", "write"]}
)


def group(unit: int, at: float, received: int = 10, kept: int = 7) -> Event:
    counts = {"read": [received, received, 0, 0], "clean": [received, kept, received - kept, 0]}
    seconds = {"read": 0.5, "clean": 1.0}
    return Event("group", at, {"unit": unit, "group": "g", "seconds": seconds, "counts": counts, "bytes": 1_000_000})


def committed(last: int, at: float, written: int, acknowledged: int) -> Event:
    data = {"line": written - 1, "first": 0, "last": last, "sequences": 3, "tokens": 100}
    return Event("committed", at, {**data, "written": written, "acknowledged": acknowledged})


def after(*events: Event) -> Standing:
    standing = Standing()
    for event in events:
        standing.take(event)
    return standing


def test_numbers_are_summed_over_committed_and_open_units() -> None:
    """A unit counts as soon as it was worked on."""
    stages, size = after(STARTED, group(4, 1.0), committed(4, 2.0, 1, 0), group(5, 3.0)).current()
    assert (stages["clean"].units, stages["clean"].received, stages["clean"].kept, stages["clean"].dropped) == (
        2,
        20,
        14,
        6,
    )
    assert (size, stages["clean"].seconds) == (2_000_000, 2.0)


def test_a_unit_that_is_done_again_counts_once() -> None:
    """After a replay or a rollback nothing is counted twice."""
    replayed = after(STARTED, group(4, 1.0), group(4, 2.0, kept=6)).current()[0]
    assert (replayed["clean"].received, replayed["clean"].kept) == (10, 6)
    rollback = Event("rollback", 3.0, {"cause": "x", "unit": 5})
    back = after(STARTED, group(4, 1.0), committed(4, 2.0, 1, 0), group(5, 2.5), rollback, group(5, 4.0)).current()[0]
    assert back["clean"].received == 20


def test_one_line_says_how_far_everything_is() -> None:
    """Documents, bytes, speed, shards, the trainer's step and loss."""
    standing = after(
        STARTED, Event("admitted", 0.1, {"unit": 4, "in_flight": 1}), group(4, 2.0), committed(4, 2.0, 1, 0)
    )
    text = line(standing, 2.0, {"step": 7, "loss": 3.25})
    assert text == (
        "unit 5; 1 in flight; 1.0 MB read, 0.5 MB/s; 10 documents in, 3 dropped; shards 1 written, 0 trained on; "
        "100 tokens; step 7, loss 3.250"
    )


def test_a_run_without_a_trainer_or_tokens_does_not_speak_of_them() -> None:
    """Nobody trains on Parquet shards, and pace counts them as done: "trained on" would be false."""
    data = {"line": 0, "first": 4, "last": 4, "written": 1, "acknowledged": 1}
    text = line(after(STARTED, group(4, 2.0), Event("committed", 2.0, data)), 2.0, None)
    assert text.endswith("10 documents in, 3 dropped; shards 1 written")


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_plain_lines_come_every_few_seconds_and_one_at_the_end(tmp_path: Path) -> None:
    """A thousand events in ten seconds give a handful of lines."""
    out, clock = io.StringIO(), Clock()
    progress = Progress(tmp_path, PlainLines(out), 5.0, clock)
    progress.watch(STARTED)
    for number in range(1000):
        clock.now = 100.0 + number / 100
        progress.watch(group(number, number / 100))
    progress.watch(Event("ended", 10.0, {"state": "done"}))
    lines = out.getvalue().splitlines()
    assert lines[0] == "[    0.0 s] started on the inline executor, going on after unit 3"
    assert len(lines) == 3
    assert lines[1].startswith("[    5.0 s] ")
    assert "10,000 documents in" in lines[-1]


def test_a_run_that_waits_for_its_trainer_still_shows_steps_and_shards(tmp_path: Path) -> None:
    """Without any event the line is written again, with what the trainer has done in the meantime."""
    out, clock = io.StringIO(), Clock()
    progress = Progress(tmp_path, PlainLines(out), 5.0, clock)
    progress.watch(STARTED)
    progress.watch(committed(4, 1.0, 8, 0))
    (tmp_path / "trainer").mkdir()
    (tmp_path / "trainer" / "metrics.jsonl").write_text('{"step": 9, "loss": 2.5}\n')
    (tmp_path / "pace" / "b1").mkdir(parents=True)
    (tmp_path / LAUNCH).write_bytes(Launch("b1", 1).encode())
    rank_file(tmp_path, "b1", 0).write_bytes(Acknowledgement("b1", 0, 3, 9, 1).encode())
    progress.tick()
    assert "step 9" not in out.getvalue()
    clock.now += 6.0
    progress.tick()
    last = out.getvalue().splitlines()[-1]
    assert last.startswith("[    7.0 s] ")
    assert last.endswith("shards 8 written, 3 trained on; 100 tokens; step 9, loss 2.500")


def test_a_run_that_was_done_before_says_that_nothing_is_left(tmp_path: Path) -> None:
    """Zeros in the line of progress would look like a run that lost everything."""
    out = io.StringIO()
    Progress(tmp_path, PlainLines(out), 5.0).watch(Event("ended", 0.0, {"state": "done"}))
    assert out.getvalue() == "[    0.0 s] the run is finished: nothing was left to do (--fresh starts over)\n"


def test_incidents_are_written_at_once_and_name_the_document(tmp_path: Path) -> None:
    """A strike or a quarantined document does not wait for the next line."""
    out = io.StringIO()
    progress = Progress(tmp_path, PlainLines(out), 1e9)
    progress.watch(Event("strike", 1.0, {"unit": 3, "group": "g", "cause": "worker_died", "strikes": 1}))
    progress.watch(Event("quarantined", 2.0, {"unit": 3, "doc_id": "a:b#0", "stage": "clean", "cause": "deadline"}))
    assert "unit 3 struck: worker_died" in out.getvalue()
    assert "quarantined a:b#0 in clean: deadline" in out.getvalue()


def test_a_terminal_gets_a_table_of_the_stages(tmp_path: Path) -> None:
    """One row a stage, with the line of the whole run under it."""
    out = io.StringIO()
    with LiveTable(Console(file=out, force_terminal=True, width=200)) as table:
        progress = Progress(tmp_path, table, 0.0)
        progress.watch(STARTED)
        progress.watch(group(4, 1.0))
    text = out.getvalue()
    assert all(word in text for word in ("stage", "read", "clean", "quarantined", "1.0 MB read"))


def test_the_thread_ends_with_the_block(tmp_path: Path) -> None:
    """Nothing is written after the run."""
    out = io.StringIO()
    with shown(tmp_path, out) as watch:
        watch(STARTED)
    assert out.getvalue() == "[    0.0 s] started on the inline executor, going on after unit 3\n"
    assert "progress" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.parametrize("torn", ["", '{"step": 3, "lo'])
def test_the_newest_whole_line_of_metrics_is_shown(tmp_path: Path, torn: str) -> None:
    """The trainer may be writing its next line at that moment."""
    assert last_metrics(tmp_path) is None
    (tmp_path / "trainer").mkdir()
    lines = [json.dumps({"step": step, "loss": 1.0, "filler": "x" * 500}) + "\n" for step in range(20)]
    (tmp_path / "trainer" / "metrics.jsonl").write_text("".join(lines) + torn)
    metrics = last_metrics(tmp_path)
    assert metrics is not None
    assert metrics["step"] == 19


class Broken:
    """A terminal that was closed."""

    def note(self, text: str) -> None:
        raise BrokenPipeError(text)

    def draw(self, standing: Standing, text: str) -> None:
        raise OSError(5, "Input/output error")


def test_a_display_that_breaks_is_left_alone(tmp_path: Path) -> None:
    """The run is what counts: events go on being taken when nobody can see them."""
    progress = Progress(tmp_path, Broken(), 0.0)
    data = {"executor": "inline", "workers": 1, "resumed_at": 0, "groups": ["read"], "bytes": 1, "pid": 1}
    progress.watch(Event("started", 0.0, data))
    progress.tick()
    progress.watch(Event("ended", 1.0, {}))
