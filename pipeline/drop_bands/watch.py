"""The watch during a run: it follows the counts unit by unit, in order, and warns or stops where a band is left.

What it decides on are the counts of the committed units and of those that the writer has taken since, in unit order:
the same at every parallelism, and the same again after a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from headrace.pipeline.committed import read_columns, read_ledger, where
from headrace.pipeline.committer import Committer
from headrace.pipeline.drop_bands.bands import EXAMPLES, Bands, DropBandError, DropShare, OnBand
from headrace.pipeline.drop_bands.totals import Totals
from headrace.pipeline.dropped_examples import Example, Examples, examples_words
from headrace.pipeline.events import EventLog
from headrace.pipeline.host import Done
from headrace.schemas.document import DROPPED
from headrace.schemas.ledger import UnitLedger, total
from headrace.stages.write import ShardClosed

_NAMES = ["doc_id", "source", "verdict", "stage", "reason", "value", "threshold"]


class DropWatch:
    """Knows what the rules took out so far; warns once of each rule, or raises DropBandError."""

    def __init__(self, bands: Bands, on: OnBand, committer: Committer, run: Path, log: EventLog) -> None:
        self._bands, self._on, self._committer, self._run, self._log = bands, on, committer, run, log
        self._committed = Totals()
        self._next = committer.first_unit
        self._so_far = Totals()
        self._open: defaultdict[int, dict[str, Done]] = defaultdict(dict)
        self._examples: defaultdict[tuple[str, str, str], list[Example]] = defaultdict(list)
        self._said: set[tuple[str, str, str, bool]] = set()

    def start(self) -> None:
        """Say what is watched, and judge what earlier sessions committed."""
        self._log.emit("watching", bands=self._bands.own, documents=self._bands.documents, on=self._on)
        if self._on != "ignore":
            self._committed = Totals().with_ledgers(self._committer.ledgers())
            self.begin()
            self._judge(self._next - 1)

    def begin(self) -> None:
        """Forget what is not committed: a chain starts behind the last commit."""
        self._so_far, self._next = self._committed, self._committer.first_unit
        self._open.clear()
        self._examples.clear()

    def note(self, group: str, done: Done) -> None:
        """Hear what a group of stages did to a unit; groups of several units come in any order, and some twice."""
        if self._on != "ignore":
            self._open[done.unit][group] = done

    def committed(self, closed: ShardClosed) -> None:
        """Take over the ledgers of a shard whose line is in the manifest."""
        if self._on == "ignore":
            return
        ledgers = (read_ledger(self._run, ref) for ref in closed.ledgers)
        self._committed = self._committed.with_ledgers(ledgers)

    def taken(self, unit: int, source: str) -> None:
        """Judge, now that the writer has taken a unit of a source; units come in order here."""
        if self._on == "ignore":
            return
        done = self._open.pop(unit, {}).values()
        if unit < self._committer.first_unit:
            self._so_far = self._committed
        else:
            counts = total(UnitLedger(unit, one.counts, ()) for one in done)
            self._so_far = self._so_far.plus(source, counts)
        for one in done:
            self._keep(source, one.examples)
        self._judge(unit)

    def _keep(self, source: str, examples: Examples) -> None:
        for (stage, rule), rows in examples.items():
            for key in product((source, ""), (stage,), (rule, "")):
                self._examples[key] += rows[: EXAMPLES - len(self._examples[key])]

    def _judge(self, unit: int) -> None:
        for share in self._so_far.shares(self._bands):
            key = (share.source, share.stage, share.rule, share.too_much)
            if share.outside and key not in self._said:
                self._said.add(key)
                self._say(share, unit)

    def _say(self, share: DropShare, unit: int) -> None:
        rows = self._some(share)
        self._log.emit("drop_band", unit=unit, on=self._on, **share.to_json(), words=share.words, examples=rows)
        if self._on == "stop":
            why, remedy = examples_words(rows), share.remedy("RUN")
            raise DropBandError(share.words, where=str(self._run), why=why, remedy=remedy)

    def _some(self, share: DropShare) -> list[Example]:
        rows = self._examples[share.source, share.stage, share.rule]
        missing = EXAMPLES - len(rows)
        if missing and share.too_much:
            known = {row[0] for row in rows}
            earlier = (row for row in self._earlier(share) if row[0] not in known)
            rows = [*rows, *(row for row, _ in zip(earlier, range(missing), strict=False))]
        return rows

    def _earlier(self, share: DropShare) -> Iterator[Example]:
        """Go through what is committed for documents that a rule dropped."""
        for line in self._committer.lines():
            for ref in line.documents:
                table = where(read_columns(self._run / ref.name, _NAMES), "verdict", DROPPED)
                of_stage = where(table, "stage", share.stage)
                of_rule = where(of_stage, "reason", share.rule) if share.rule else of_stage
                of_rule = where(of_rule, "source", share.source) if share.source else of_rule
                columns = (of_rule[name].to_pylist() for name in ("doc_id", "value", "threshold"))
                yield from ((str(doc_id), value, bar) for doc_id, value, bar in zip(*columns, strict=True))
