"""The commit: all files of a shard's units are durable, then one manifest line names them, then readers are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from headrace.pipeline.committed import index_runs_of, read_ledger
from headrace.pipeline.events import EventLog
from headrace.pipeline.lanes import Lanes
from headrace.pipeline.manifest_log import ManifestLog
from headrace.pipeline.pace import Pace
from headrace.schemas.index import EarlierRun
from headrace.schemas.ledger import UnitLedger
from headrace.schemas.manifest import ManifestLine
from headrace.schemas.source import LanePosition
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.write import ShardClosed

Flush = Callable[[int], tuple[FileRef, ...]]


class Committer:
    """Appends manifest lines, and knows where the next session starts."""

    def __init__(
        self,
        run: Path,
        manifest: ManifestLog,
        log: EventLog,
        pace: Pace,
        tokenizer: FileRef | None,
        earlier: Mapping[str, tuple[EarlierRun, ...]] | None = None,
    ) -> None:
        self._run, self._manifest, self._log, self._pace = run, manifest, log, pace
        self._earlier = earlier or {}
        self.tokenizer = tokenizer
        self.settled: dict[str, FileRef] = {}  # verdicts of a first pass, by stage

    @property
    def first_unit(self) -> int:
        """The first unit that is not committed."""
        return self._manifest.last.last + 1 if self._manifest.last else 0

    @property
    def written(self) -> int:
        """Committed shards."""
        return self._manifest.shards

    @property
    def positions(self) -> tuple[LanePosition, ...]:
        """Where every lane reads on; empty before the first commit."""
        return self._manifest.last.lanes if self._manifest.last else ()

    @property
    def turn(self) -> int:
        """The lane whose turn it is."""
        return self._manifest.last.turn if self._manifest.last else 0

    def records(self) -> int:
        """Give how many records the committed units read."""
        return sum(ledger.stages[0].received for ledger in self.ledgers())

    def lines(self) -> Iterator[ManifestLine]:
        """Go through all committed lines."""
        return self._manifest.lines()

    def ledgers(self) -> Iterator[UnitLedger]:
        """Read the ledgers of all committed units, in order."""
        return (read_ledger(self._run, ref) for line in self.lines() for ref in line.ledgers)

    def context(self, stage: str) -> RunContext:
        """Say to an ordered stage what of its state is committed."""
        runs, earlier = index_runs_of(stage, self._manifest.index_runs), self._earlier.get(stage, ())
        known, settled = (self.first_unit, self.written, self.tokenizer), self.settled.get(stage)
        return RunContext(self._run, stage, runs, *known, earlier=earlier, settled=settled)

    def commit(self, closed: ShardClosed, lanes: Lanes, flush: Flush) -> None:
        """Append the line of a closed shard, once the index of its units is durable too."""
        self._append(closed, lanes, flush(closed.last), end=False)
        shard = closed.shard
        self._log.emit(
            "committed",
            line=self._manifest.count - 1,
            shard=shard.file.name if shard else None,
            first=closed.first,
            last=closed.last,
            sequences=shard.sequences if shard else 0,
            tokens=shard.tokens if shard else 0,
            written=self.written,
            acknowledged=self._pace.acknowledged(self.written),
        )

    def end(self, rest: ShardClosed | None, lanes: Lanes, flush: Flush) -> None:
        """Append the `end` line: the set will never grow again. It covers trailing units without tokens."""
        if rest is None:
            rest = ShardClosed(self.first_unit, self.first_unit - 1, None, (), (), ())
        self._append(rest, lanes, flush(rest.last), end=True)

    def _append(self, closed: ShardClosed, lanes: Lanes, runs: tuple[FileRef, ...], *, end: bool) -> None:
        positions, turn = lanes.commit(closed.last)
        self._manifest.append(
            ManifestLine(
                index=self._manifest.count,
                first=closed.first,
                last=closed.last,
                shard=closed.shard,
                documents=closed.documents,
                ledgers=closed.ledgers,
                quarantine=closed.quarantine,
                index_runs=runs,
                lanes=positions,
                turn=turn,
                tokenizer=self.tokenizer,
                end=end,
            )
        )
