"""The ledger: counts that must balance per unit, stage and run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from headrace.schemas.errors import FormatError, HeadraceError

LEDGER_VERSION = 1


@dataclass(frozen=True, slots=True)
class StageCounts:
    """What one stage did to one unit: received + added = kept + dropped + quarantined.

    `added` counts documents that a record was parsed into beyond the first.
    """

    stage: str
    received: int
    added: int
    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    quarantined: Mapping[str, int] = field(default_factory=dict)

    @property
    def outcome(self) -> tuple[int, int, int, int]:
        """Documents that came in, went on, were dropped, were quarantined."""
        gone = (sum(self.dropped.values()), sum(self.quarantined.values()))
        return self.received + self.added, self.kept, *gone

    @property
    def balance(self) -> int:
        """Zero, or the number of documents that came from nowhere (negative) or were lost (positive)."""
        came, *went = self.outcome
        return came - sum(went)


@dataclass(frozen=True, slots=True)
class FileCount:
    """How one input file fared in one unit: records that were read from it, and its state when it gave none."""

    path: str  # source:relative/path
    records: int
    note: str = ""  # "empty" for a file without content
    counts: Mapping[str, int] = field(default_factory=dict)  # records that are no documents, mended faults

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        value: dict[str, Any] = {"path": self.path, "records": self.records, "note": self.note}
        return {**value, "counts": dict(sorted(self.counts.items()))} if self.counts else value


@dataclass(frozen=True, slots=True)
class UnitLedger:
    """The counts of one unit, stage by stage in chain order, and of the files it was read from."""

    unit: int
    stages: tuple[StageCounts, ...]
    files: tuple[FileCount, ...]

    def check(self) -> None:
        """Raise HeadraceError naming the stage where documents were lost or doubled."""
        expected: int | None = None
        for counts in self.stages:
            doubled_or_lost = counts.balance or counts.added < 0  # fewer rows than came in are lost rows
            if doubled_or_lost or (expected is not None and counts.received != expected):
                raise HeadraceError(
                    f"the ledger of unit {self.unit} does not balance",
                    where=f"stage {counts.stage}",
                    why=f"{counts}, the stage before it kept {expected}",
                    remedy="this is a bug of the stage: run `headrace explain` on a document of the unit and report it",
                )
            expected = counts.kept

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form of one ledger file."""
        return {
            "version": LEDGER_VERSION,
            "unit": self.unit,
            "stages": [
                {
                    "stage": s.stage,
                    "received": s.received,
                    "added": s.added,
                    "kept": s.kept,
                    "dropped": dict(sorted(s.dropped.items())),
                    "quarantined": dict(sorted(s.quarantined.items())),
                }
                for s in self.stages
            ],
            "files": [f.to_json() for f in self.files],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> UnitLedger:
        """Read a ledger back; refuses other versions."""
        if value.get("version") != LEDGER_VERSION:
            raise FormatError(
                f"ledger version {value.get('version')!r} is not known",
                why=f"this Headrace reads version {LEDGER_VERSION}",
                remedy="use the release that wrote the run",
            )
        stages = tuple(StageCounts(**s) for s in value["stages"])
        return cls(value["unit"], stages, tuple(FileCount(**f) for f in value["files"]))


def total(ledgers: Iterable[UnitLedger]) -> tuple[StageCounts, ...]:
    """Sum the counts of units stage by stage, in chain order."""
    sums: dict[str, StageCounts] = {}
    for ledger in ledgers:
        for c in ledger.stages:
            sums[c.stage] = _plus(sums[c.stage], c) if c.stage in sums else c
    return tuple(sums.values())


def appended(counts: tuple[StageCounts, ...], more: StageCounts) -> tuple[StageCounts, ...]:
    """Put a stage's counts behind those before it; the two halves of an ordered stage are counted as one."""
    if counts and counts[-1].stage == more.stage:
        return (*counts[:-1], _plus(counts[-1], more))
    return (*counts, more)


def _plus(a: StageCounts, b: StageCounts) -> StageCounts:
    return StageCounts(
        a.stage,
        a.received + b.received,
        a.added + b.added,
        a.kept + b.kept,
        _merged(a.dropped, b.dropped),
        _merged(a.quarantined, b.quarantined),
    )


def _merged(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return {reason: a.get(reason, 0) + b.get(reason, 0) for reason in sorted({*a, *b})}
