"""What happens during a run, as events for the progress display, the log and the report; never part of the output."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVENTS = "events.jsonl"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: its kind, when, and its data.

    started: executor, workers, resumed_at, groups, bytes, pid. host: role (worker, or the ordered stage), pid.
    admitted: unit, lane, in_flight. group: unit, group, seconds {stage: s}, counts {stage: [received, kept, dropped,
    quarantined]}, bytes (in the first group). tokenizer: file, seconds. committed: line, shard, first, last,
    sequences, tokens, written, acknowledged. strike: unit, group, cause, strikes. isolated: unit, group. quarantined:
    unit, doc_id, stage, cause. replayed: unit, cause. rollback: cause, unit (first again). pass: number (of two).
    barrier: stage. settling: doing, done, of (parts of what a barrier does). trainer: state (started | ended | died),
    pid or code. watching: bands, documents, on. drop_band: a rule outside its band (unit, on, stage, rule, documents,
    dropped, share, low, high, words, examples). warning: words. ended: state, units, shards, summary.
    """

    kind: str
    seconds: float  # since the process started the run
    data: Mapping[str, Any] = field(default_factory=dict)


Watcher = Callable[[Event], None]


class EventLog:
    """Appends every event to `events.jsonl` and hands it to the watchers."""

    def __init__(self, run: Path, watchers: tuple[Watcher, ...] = ()) -> None:
        self._start = time.monotonic()
        self._file = (run / EVENTS).open("a", encoding="utf-8", buffering=1)
        if _torn(run / EVENTS):
            self._file.write("\n")
        self._watchers = watchers

    def emit(self, kind: str, **data: Any) -> None:
        """Record one event."""
        event = Event(kind, round(time.monotonic() - self._start, 4), data)
        self._file.write(json.dumps({"kind": kind, "at": event.seconds, **data}, ensure_ascii=False) + "\n")
        for watch in self._watchers:
            watch(event)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_events(run: Path) -> list[dict[str, Any]]:
    """Give the events of all sessions of a run, oldest first; a torn last line is left out."""
    try:
        lines = (run / EVENTS).read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [event for line in lines[:-1] if (event := _event(line))]


def _event(line: bytes) -> dict[str, Any] | None:
    """Read one line; a killed process or a full disk tears lines anywhere in the file."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and {"kind", "at"} <= event.keys() else None


def _torn(path: Path) -> bool:
    """Say whether the last line lacks its end."""
    with path.open("rb") as f:
        size = f.seek(0, 2)
        f.seek(max(0, size - 1))
        return f.read(1) not in (b"", b"\n")
