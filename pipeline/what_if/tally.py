"""What would change, counted unit by unit: memory holds counts by source and rule, and some examples of each change."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from headrace.pipeline.what_if.deciding import ONWARD, Decided
from headrace.pipeline.what_if.fates import KEPT, Fate, Fates, encoded
from headrace.pipeline.what_if.units import ROW, TOKENS, UnitRows
from headrace.schemas.arrays import Counts, Flags, floats

# In the order in which they are told.
DROPS, GOES_ON, OTHER_RULE, REGRADED = "would_be_dropped", "would_go_on", "other_rule", "other_grade"
KINDS = (DROPS, GOES_ON, OTHER_RULE, REGRADED)


class Change(NamedTuple):
    """A kind of change: what became of the documents and what would; grades only where nothing else changes."""

    was: Fate
    would: Fate
    grade_was: str = ""
    grade_would: str = ""

    @property
    def kind(self) -> str:
        """One word for it."""
        if self.grade_would:
            return REGRADED
        return DROPS if self.was == Fate() else OTHER_RULE if self.would.rule else GOES_ON


class Changed(NamedTuple):
    """One document that would fare otherwise."""

    doc_id: str
    source: str
    change: Change
    was_value: float | None
    was_threshold: float | None
    would_value: float | None
    would_threshold: float | None
    grade_was: str | None
    grade_would: str | None
    unit: int
    row: int


@dataclass(slots=True)
class Tally:
    """Counts of a run's documents; `examples` holds, of each change, the documents whose ids hash lowest."""

    shown: int
    fates: Fates = field(default_factory=Fates)
    documents: int = 0
    forgotten: int = 0
    contradicted: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    moves: Counter[tuple[int, int, int]] = field(default_factory=Counter)  # source, was, would
    regraded: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # source, letter, letter
    tokens: int = 0
    tokens_dropped: int = 0
    examples: defaultdict[Change, list[tuple[bytes, Changed]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, rows: UnitRows, decided: Decided, *, every: bool) -> Iterator[Changed]:
        """Count a unit; gives the documents that change, if `every` one is asked for or examples are."""
        self.documents += rows.table.num_rows
        self.forgotten += rows.forgotten
        self.contradicted += int(decided.contradicted.sum())
        before = rows.table["grade"].to_numpy()
        kept = (decided.was == KEPT) & (decided.would == KEPT)
        regraded = np.asarray(kept & (before != decided.grade))
        self._count(rows.table, decided, regraded)
        changed = np.flatnonzero((decided.was != decided.would) | regraded)
        if every or self.shown:
            for each in _changed(rows, decided, changed, regraded, self.fates.by_number()):
                self._keep(each)
                yield each

    def _count(self, table: pa.Table, decided: Decided, regraded: Flags) -> None:
        names, at = encoded(table["source"])
        source = np.array([self.sources.setdefault(str(name), len(self.sources)) for name in names], np.int64)[at]
        keys, counts = np.unique(np.stack([source, decided.was, decided.would], 1), axis=0, return_counts=True)
        self.moves.update(dict(zip(map(tuple, keys.tolist()), counts.tolist(), strict=True)))
        other = np.flatnonzero(regraded)
        owners, before = (table[name].take(other).to_pylist() for name in ("source", "grade"))
        self.regraded.update(zip(map(str, owners), map(str, before), map(str, decided.grade[other]), strict=True))
        tokens, kept = np.nan_to_num(floats(table, TOKENS)), decided.was == KEPT
        self.tokens += int(tokens[kept].sum())
        self.tokens_dropped += int(tokens[kept & (decided.would != KEPT)].sum())

    def _keep(self, each: Changed) -> None:
        examples = self.examples[each.change]
        ranked = (hashlib.blake2b(each.doc_id.encode(), digest_size=8).digest(), each)
        if len(examples) < self.shown or (examples and ranked[0] < examples[-1][0]):
            self.examples[each.change] = heapq.nsmallest(self.shown, [*examples, ranked], key=lambda item: item[0])


def _changed(rows: UnitRows, decided: Decided, at: Counts, regraded: Flags, fates: list[Fate]) -> Iterator[Changed]:
    columns = ("doc_id", "source", "value", "threshold", "grade", ROW)
    taken = rows.table.select(columns).take(at)
    would = zip(decided.value[at].tolist(), decided.threshold[at].tolist(), decided.grade[at].tolist(), strict=True)
    numbers = zip(decided.was[at].tolist(), decided.would[at].tolist(), regraded[at].tolist(), strict=True)
    for row, (value, threshold, grade), (was, now, letter) in zip(taken.to_pylist(), would, numbers, strict=True):
        letters = (str(row["grade"]), str(grade)) if letter else ("", "")
        measured = (row["value"], row["threshold"], _known(value), _known(threshold), row["grade"], grade)
        change = Change(fates[was], fates[now], *letters)
        yield Changed(row["doc_id"], row["source"], change, *measured, rows.unit, row[ROW])


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def gone_before(decided: Decided) -> Flags:
    """Tell which documents would leave at an earlier stage than they did."""
    return np.asarray((decided.leaves < decided.left) & (decided.leaves != ONWARD))
