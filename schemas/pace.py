"""What trainer and pipeline tell each other: one launch file, one acknowledgement file per rank.

The launcher writes `pace/launch.json`; every rank of that launch replaces `pace/<launch>/rank-00000.json` atomically.
Only the newest launch counts, a missing file is 0, and the acknowledged count never falls.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import FormatError

PACE_VERSION = 1
LAUNCH = "pace/launch.json"


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of a trainer: an id no other start has, and how many ranks it runs."""

    launch: str
    world: int

    def encode(self) -> bytes:
        """Give the file's bytes."""
        return canonical_json({"version": PACE_VERSION, **asdict(self)})


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What one rank has behind it: `shards` leading shards of the manifest hold nothing it still needs to read.

    `beat` grows with every write, so that a slow rank differs from a dead one; `ended` = the rank will read no more.
    """

    launch: str
    rank: int
    shards: int
    step: int
    beat: int
    ended: bool = False

    def encode(self) -> bytes:
        """Give the file's bytes."""
        return canonical_json({"version": PACE_VERSION, **asdict(self)})


def rank_file(run: Path, launch: str, rank: int) -> Path:
    """Give the path of one rank's acknowledgement file."""
    return run / "pace" / launch / f"rank-{rank:05d}.json"


def read_launch(run: Path) -> Launch | None:
    """Give the newest launch, or None when no trainer was ever started."""
    value = _read(run / LAUNCH)
    return Launch(str(value["launch"]), int(str(value["world"]))) if value else None


def read_acknowledgement(path: Path) -> Acknowledgement | None:
    """Give one rank's acknowledgement, or None when it has not written one."""
    value = _read(path)
    return Acknowledgement(**value) if value else None  # type: ignore[arg-type]


def _read(path: Path) -> dict[str, object] | None:
    try:
        value: dict[str, object] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    if (version := value.pop("version", None)) != PACE_VERSION:
        raise FormatError(
            f"version {version!r} is not known", where=str(path), remedy="start trainer and pipeline from one release"
        )
    return value
