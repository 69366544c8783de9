"""Running numbers of a run, summed up from its events: for the progress display, never for the output."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headrace.pipeline.dropped_examples import with_examples
from headrace.pipeline.events import Event
from headrace.pipeline.report_events import seconds_by_stage
from headrace.pipeline.wording import printable
from headrace.schemas.pace import rank_file, read_acknowledgement, read_launch
from headrace.schemas.training import TRAINER_FOLDER

METRICS = f"{TRAINER_FOLDER}/metrics.jsonl"
_TAIL_BYTES = 4096  # more than one line of metrics


@dataclass(slots=True)
class StageTally:
    """What one stage did so far: units seen, documents in, kept, dropped and quarantined, and its seconds."""

    units: int = 0
    received: int = 0
    kept: int = 0
    dropped: int = 0
    quarantined: int = 0
    seconds: float = 0.0

    def add(self, counts: list[int]) -> None:
        """Count one unit: received, kept, dropped, quarantined."""
        self.units += 1
        self.received += counts[0]
        self.kept += counts[1]
        self.dropped += counts[2]
        self.quarantined += counts[3]


@dataclass(slots=True)
class Standing:
    """The numbers of this session. A unit that is done again counts once: uncommitted units are kept apart."""

    stages: dict[str, StageTally] = field(default_factory=dict)
    seconds: float = 0.0
    bytes: int = 0
    units: int = 0  # admitted in this session
    in_flight: int = 0
    shards: int = 0
    acknowledged: int = 0
    tokens: int = 0
    executor: str = ""
    resumed_at: int = 0
    nothing_left: bool = False  # the run was done before this session began
    last_group: str = ""  # a unit that it has done has left the window
    settling: str = ""  # what is done between two passes
    notes: list[str] = field(default_factory=list)  # incidents, for the display to print once
    _open: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    _open_bytes: dict[int, int] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Count one event."""
        self.seconds = max(self.seconds, event.seconds)
        data = event.data
        match event.kind:
            case "started":
                self.executor, self.resumed_at = str(data["executor"]), int(data["resumed_at"])
                self.last_group = str(data["groups"][-1])
            case "admitted":
                self.units, self.in_flight = self.units + 1, int(data.get("in_flight", 0))
            case "group":
                self._unit(data)
            case "committed":
                self._commit(data)
            case "pass":
                self._pass(int(data["number"]))
            case "barrier":
                self.notes.append(f"every document is signed: {data['stage']} looks at all of them")
            case "settling":
                self.settling = f"all documents: {data['doing']}, {data['done']} of {data['of']}"
            case "ended":
                self.nothing_left = data.get("state") == "done" and not self.executor
            case "rollback":
                self._open.clear()
                self._open_bytes.clear()
                self.notes.append(f"back to unit {data.get('unit')}: {data.get('cause')}")
            case "strike" | "quarantined" | "replayed" | "trainer" | "tokenizer" | "drop_band" | "warning":
                self.notes.append(_note(event))

    def current(self) -> tuple[dict[str, StageTally], int]:
        """Give the stages with the uncommitted units, and the bytes read."""
        whole = {name: StageTally(*(getattr(t, f) for f in t.__slots__)) for name, t in self.stages.items()}
        for unit in self._open.values():
            for name, counts in unit.items():
                whole.setdefault(name, StageTally()).add(counts)
        return whole, self.bytes + sum(self._open_bytes.values())

    def _pass(self, number: int) -> None:
        """Count anew: every document comes twice."""
        self.stages, self._open, self._open_bytes, self.settling = {}, {}, {}, ""
        self.bytes = self.units = self.shards = self.tokens = 0
        what = "all documents are signed" if number == 1 else "the run itself"
        self.notes.append(f"pass {number} of 2: {what}")

    def _unit(self, data: Any) -> None:
        unit = int(data["unit"])
        if data["group"] == self.last_group:
            self.in_flight = max(0, self.in_flight - 1)
        self._open.setdefault(unit, {}).update(data.get("counts", {}))
        if data.get("bytes"):
            self._open_bytes[unit] = int(data["bytes"])
        for name, seconds in seconds_by_stage(data).items():
            self.stages.setdefault(name, StageTally()).seconds += seconds

    def _commit(self, data: Any) -> None:
        for unit in sorted(u for u in self._open if u <= data["last"]):
            for name, counts in self._open.pop(unit).items():
                self.stages.setdefault(name, StageTally()).add(counts)
            self.bytes += self._open_bytes.pop(unit, 0)
        self.tokens += int(data.get("tokens") or 0)
        self.shards = int(data.get("written", self.shards))
        self.acknowledged = int(data.get("acknowledged", self.acknowledged))


def _note(event: Event) -> str:
    data = event.data
    match event.kind:
        case "strike":
            return f"unit {data.get('unit')} struck: {data.get('cause')}"
        case "quarantined":
            return f"quarantined {data.get('doc_id')} in {data.get('stage')}: {data.get('cause')}"
        case "replayed":
            return f"unit {data.get('unit')} is read again: {data.get('cause')}"
        case "drop_band":
            return printable(with_examples(data.get("words"), data.get("examples", [])))
        case "warning":
            return printable(str(data.get("words")))
        case "trainer":
            return f"trainer {data.get('state')}"
        case _:
            return f"tokenizer ready: {data.get('file')}"


def trained_on(run: Path) -> int:
    """Give how many leading shards the newest trainer has behind it."""
    launch = read_launch(run)
    if launch is None:
        return 0
    ranks = (read_acknowledgement(rank_file(run, launch.launch, rank)) for rank in range(launch.world))
    return min((rank.shards if rank else 0 for rank in ranks), default=0)


def last_metrics(run: Path) -> dict[str, Any] | None:
    """Give the trainer's newest line of metrics, or None when it has not written one."""
    try:
        with (run / METRICS).open("rb") as f:
            size = f.seek(0, 2)
            f.seek(max(0, size - _TAIL_BYTES))
            lines = f.read().split(b"\n")
    except FileNotFoundError:
        return None
    for line in reversed(lines[:-1]):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and "loss" in value:
            return value
    return None


def all_metrics(run: Path) -> list[dict[str, Any]]:
    """Give the trainer's metrics step by step; a step that was done again after a restart counts once."""
    try:
        lines = (run / METRICS).read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    by_step: dict[int, dict[str, Any]] = {}
    for line in lines:
        try:
            value = json.loads(line, parse_constant=lambda _: None)  # a loss that is no number
        except ValueError:  # torn by a kill or a full disk
            continue
        if isinstance(value, dict) and "loss" in value and "step" in value:
            by_step[value["step"]] = value
    return [by_step[step] for step in sorted(by_step)]
