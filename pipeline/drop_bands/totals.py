"""What stages did to the whole run and to each source: a rule may ruin one among others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from headrace.pipeline.drop_bands.bands import Bands, DropShare
from headrace.schemas.ledger import StageCounts, UnitLedger, total

Counts = tuple[StageCounts, ...]
WHOLE = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts in chain order, by source; those of all sources are under ""."""

    counts: Mapping[str, Counts] = field(default_factory=dict)

    def plus(self, source: str, counts: Counts) -> Totals:
        """Give the totals with those of a unit, all of whose documents are of one source."""
        more = {name: _sum(self.counts.get(name, ()), counts) for name in {WHOLE, source}}
        return Totals({**self.counts, **more})

    def with_ledgers(self, ledgers: Iterable[UnitLedger]) -> Totals:
        """Give the totals with those of committed units."""
        totals = dict(self.counts)
        for ledger in ledgers:
            for name in {WHOLE, _source(ledger)}:
                totals[name] = _sum(totals.get(name, ()), ledger.stages)
        return Totals(totals)

    def shares(self, bands: Bands) -> list[DropShare]:
        """Give what the rules dropped of all documents and, where there are several sources, of those of each."""
        sources = sorted(name for name in self.counts if name != WHOLE)
        shares = bands.shares(self.counts.get(WHOLE, ()))
        for name in sources if len(sources) > 1 else []:
            shares += [replace(share, source=name) for share in bands.shares(self.counts[name])]
        return shares


def _source(ledger: UnitLedger) -> str:
    """Give the source of a unit: all its files are of one, and a source's name has no colon."""
    return ledger.files[0].path.partition(":")[0] if ledger.files else WHOLE


def _sum(counts: Counts, more: Counts) -> Counts:
    return total([UnitLedger(0, counts, ()), UnitLedger(0, more, ())])
