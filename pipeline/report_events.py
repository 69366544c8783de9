"""What the event log says of a run's time, over all its sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

INCIDENTS = ("strike", "isolated", "replayed", "rollback")


@dataclass(slots=True)
class Times:
    """Seconds and incidents of all sessions; `commits` is (running seconds, shards written, shards trained on)."""

    sessions: int = 0
    seconds: float = 0.0
    executor: str = ""
    workers: int | None = None
    bytes: int = 0
    state: str = "unfinished"
    stage_seconds: Counter[str] = field(default_factory=Counter)
    waits: Counter[str] = field(
        default_factory=Counter
    )  # seconds the supervisor had nothing to do, by what it waited for
    incidents: Counter[str] = field(default_factory=Counter)
    causes: list[dict[str, Any]] = field(default_factory=list)
    struck: list[dict[str, Any]] = field(default_factory=list)
    commits: list[tuple[float, int, int]] = field(default_factory=list)


def read_times(events: Iterable[dict[str, Any]]) -> Times:
    """Sum the events up; every session's clock starts at zero, so each one is put behind the one before it."""
    times = Times()
    size: dict[int, int] = {}
    before = now = 0.0
    begun = False  # a session watches before it starts, and of two passes it starts the second
    for event in events:
        kind = event["kind"]
        if kind == "watching" or (kind == "started" and not begun) or event["at"] < now:
            before = times.seconds
        begun = kind == "watching" or (begun and kind != "started")
        now = event["at"]
        times.seconds = max(times.seconds, before + now)
        if event["kind"] == "group" and event.get("bytes"):
            size[event["unit"]] = event["bytes"]
        _take(times, event)
    times.bytes = sum(size.values())
    return times


def seconds_by_stage(group: Mapping[str, Any]) -> dict[str, float]:
    """Give the seconds of a `group` event; what an ordered state did is called by its method there."""
    return {group["group"] if name == "accept" else name: spent for name, spent in group["seconds"].items()}


def _take(times: Times, event: dict[str, Any]) -> None:
    kind = event["kind"]
    match kind:
        case "started":
            times.sessions, times.state = times.sessions + 1, "unfinished"
            times.executor, times.workers = str(event.get("executor", "")), event.get("workers")
        case "group":
            times.stage_seconds.update(seconds_by_stage(event))
        case "committed":
            times.commits.append((round(times.seconds, 3), event["written"], event["acknowledged"]))
        case "quarantined":
            times.struck.append({name: event.get(name) for name in ("unit", "doc_id", "stage", "cause")})
        case "ended":
            times.state = event["state"]
            times.waits.update(event["summary"]["waits"])
    if kind in INCIDENTS:
        times.incidents[kind] += 1
        times.causes.append({"kind": kind, "unit": event.get("unit"), "cause": event.get("cause")})
