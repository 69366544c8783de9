"""What `headrace forget` says, for people and programs: what was found, what is skipped, and where it still is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from headrace.pipeline.committed import Committed, unit_of
from headrace.pipeline.explain import near_ids
from headrace.pipeline.forgetting.forget import Found, Outcome, forget
from headrace.pipeline.forgetting.sequences import Sequences, held
from headrace.pipeline.forgetting.steps import Trained, trained
from headrace.pipeline.policy.report import POLICY_HTML, POLICY_JSON
from headrace.pipeline.report import REPORT_HTML, REPORT_JSON
from headrace.pipeline.run_folder import in_use
from headrace.schemas.document import QUARANTINED
from headrace.schemas.forgetting import Request
from headrace.schemas.tombstones import TOMBSTONES, Tombstones, read_tombstones

_SUGGESTED = 10  # unknown doc_ids; each costs a pass over the ledgers


@dataclass(frozen=True, slots=True)
class Account:
    """What was asked to be forgotten (all that ever was, if nothing is asked), and what follows from it."""

    run: Path
    ended: bool
    tombstones: Tombstones
    written: bool
    found: Found
    sequences: Sequences
    training: Trained | None
    remains: tuple[str, ...]  # files that hold texts or tokens of these documents
    reports: tuple[str, ...]  # files from before the request, which may quote them
    suggestions: dict[str, list[str]]  # for the first unknown doc_ids
    in_use: bool

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        kept, s = self.tombstones, self.sequences
        return {
            "run": str(self.run),
            "written": self.written,
            "revision": kept.revision,
            "forgotten": {"requests": len(kept.requests), "documents": len(kept.documents)},
            "requests": [{"kind": r.kind, "value": r.value} for r in self.found.requests],
            "documents": [asdict(d) for d in self.found.documents],
            "without_tokens": [asdict(d) for d in self.found.gone],
            "repeats": [asdict(d) for d in self.found.repeats],
            "unknown": [{"doc_id": doc_id, "near": self.suggestions.get(doc_id, [])} for doc_id in self.found.unknown],
            "sequences": {"numbers": s.numbers.tolist(), "of": s.of, "tokens": s.tokens},
            "tokens_of_others": s.others,
            "training": self.training and _training(self.training),
            "remains": list(self.remains),
            "reports": list(self.reports),
        }


def account(run: Path, asked: Sequence[Request], *, repeats: bool = False, dry_run: bool = False) -> Account:
    """Forget what is asked for (nothing: look only) and say all that follows."""
    outcome = forget(run, asked, repeats=repeats, dry_run=dry_run)
    committed, kept = outcome.committed, outcome.tombstones
    sequences = _sequences(committed, outcome)
    return Account(
        run=run,
        ended=committed.ended,
        tombstones=kept,
        written=outcome.written,
        found=outcome.found,
        sequences=sequences,
        training=trained(committed, sequences),
        remains=(*sequences.shards, *_stored(outcome)),
        reports=_reports(outcome),
        suggestions={doc_id: near_ids(committed, doc_id) for doc_id in outcome.found.unknown[:_SUGGESTED]},
        in_use=in_use(run),
    )


def _sequences(committed: Committed, outcome: Outcome) -> Sequences:
    """Give the sequences of what was asked for; one that holds an earlier request's document is skipped since then."""
    own = held(committed, outcome.found.documents)
    if len(outcome.found.documents) == len(outcome.tombstones.documents):
        return own
    every = held(committed, outcome.tombstones.documents)
    return replace(own, revisions=every.revisions[np.searchsorted(every.numbers, own.numbers)])


def _stored(outcome: Outcome) -> list[str]:
    """Give the documents and quarantine files with rows of forgotten documents."""
    found, committed = outcome.found, outcome.committed
    units = {d.unit for d in found.documents} | {d.unit for d in found.gone}
    quarantined = {d.unit for d in found.gone if d.verdict == QUARANTINED}
    return [*_files(committed, "documents", units), *_files(committed, "quarantine", quarantined)]


def _reports(outcome: Outcome) -> tuple[str, ...]:
    """Give the reports that were not written since the last request: those show no text of forgotten documents."""
    found, run = outcome.found, outcome.committed.run
    if not (found.documents or found.gone):
        return ()
    there = [run / name for name in (REPORT_HTML, REPORT_JSON, POLICY_HTML, POLICY_JSON) if (run / name).is_file()]
    if outcome.written or not (run / TOMBSTONES).is_file() or outcome.tombstones != read_tombstones(run):
        return tuple(path.name for path in there)
    last = (run / TOMBSTONES).stat().st_mtime_ns
    return tuple(path.name for path in there if path.stat().st_mtime_ns <= last)


def _files(committed: Committed, kind: str, units: set[int]) -> list[str]:
    refs = [ref for line in committed.lines for ref in (line.documents if kind == "documents" else line.quarantine)]
    return [ref.name for ref in refs if unit_of(ref) in units]


def _training(found: Trained) -> dict[str, Any]:
    return {
        "steps": found.steps,
        "used": [{"epoch": epoch, "steps": list(steps)} for epoch, steps in found.used.items()],
        "checkpoints": {"clean": list(found.clean), "tainted": list(found.tainted)},
    }
