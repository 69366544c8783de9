"""What a run came to, in numbers: the return value of `run_pipeline` and the head of `report.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from headrace.schemas.ledger import StageCounts, total

if TYPE_CHECKING:
    from headrace.pipeline.chain import Tally
    from headrace.pipeline.committer import Committer


@dataclass(frozen=True, slots=True)
class Struck:
    """A document that a deadline, a memory limit or a worker's death took out: it may fare otherwise elsewhere."""

    unit: int
    doc_id: str
    stage: str
    cause: str  # worker_died | deadline | out_of_memory


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Counts, times and incidents of one run, over all its sessions; times are of the last session."""

    state: Literal["done", "stopped"]
    units: int
    shards: int
    sequences: int
    tokens: int
    counts: tuple[StageCounts, ...]
    seconds: float = 0.0
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    waits: Mapping[str, float] = field(default_factory=dict)  # seconds: trainer (pipeline waited for it), workers, ...
    struck: tuple[Struck, ...] = ()
    incidents: Mapping[str, int] = field(default_factory=dict)  # strikes, rollbacks, replays, isolations
    trainer: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return asdict(self)


def summarize(
    committer: Committer,
    tally: Tally,
    state: Literal["done", "stopped"],
    seconds: float,
    trainer: Mapping[str, Any] | None,
) -> RunSummary:
    """Add up what is committed, and what this process saw."""
    shards = [line.shard for line in committer.lines() if line.shard]
    return RunSummary(
        state=state,
        units=committer.first_unit,
        shards=len(shards),
        sequences=sum(shard.sequences for shard in shards),
        tokens=sum(shard.tokens for shard in shards),
        counts=total(committer.ledgers()),
        seconds=round(seconds, 3),
        stage_seconds={stage: round(s, 3) for stage, s in tally.stage_seconds.items()},
        waits={what: round(s, 3) for what, s in tally.waits.items()},
        struck=tuple(dict.fromkeys(tally.struck)),  # a replayed unit strikes its documents again
        incidents=dict(tally.incidents),
        trainer=trainer,
    )
