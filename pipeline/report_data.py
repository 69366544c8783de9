"""The numbers of a run's report, from what is committed and from the event log: the content of `report.json`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace import __version__
from headrace.pipeline.committed import Committed, open_committed
from headrace.pipeline.drop_bands.report import bands_report
from headrace.pipeline.drop_bands.totals import WHOLE, Totals
from headrace.pipeline.dups.report import duplicates_report
from headrace.pipeline.events import read_events
from headrace.pipeline.report_documents import DocumentFacts, Row, read_facts
from headrace.pipeline.report_events import Times, read_times
from headrace.pipeline.standing import all_metrics
from headrace.pipeline.two_pass.report import policies_report, struck_before
from headrace.schemas.document import DROPPED, KEPT, QUARANTINED
from headrace.schemas.ledger import StageCounts, UnitLedger
from headrace.schemas.tombstones import read_tombstones

REPORT_VERSION = 1
_NAMED = 1000  # entries of a list that names files; what is left out is counted beside it
_CURVE = 400  # points of a curve


@dataclass(slots=True)
class FileAccount:
    """How the input files fared: records read from each, what was noted, and what else was counted in all of them."""

    records: Counter[str]
    notes: dict[str, str]
    counts: Counter[str]

    def take(self, ledger: UnitLedger) -> None:
        """Count the files of a unit."""
        for f in ledger.files:
            self.records[f.path] += f.records
            self.counts.update(f.counts)
            if f.note:
                self.notes[f.path] = f.note


def report_data(run: Path) -> Row:
    """Give everything the report says; the run may be finished, stopped, or still going on."""
    committed = open_committed(run)
    totals, account = _read_ledgers(committed)
    counts = totals.counts.get(WHOLE, ())
    facts = read_facts(committed)
    events = read_events(run)
    times = read_times(events)
    return {
        "version": REPORT_VERSION,
        "headrace": __version__,
        "run": run.absolute().name,
        "state": _state(committed, times),
        "identity": committed.plan["identity"],
        "parent": committed.parent,
        "replay": committed.plan["recipe"].get("replay"),
        "rerun": committed.plan["recipe"].get("rerun"),
        "totals": _totals(committed, counts),
        "funnel": [_funnel_row(c) for c in counts],
        "duplicates": duplicates_report(committed, facts.repetitions.found()),
        "repeated_lines": {u: {"taken": n, "documents": facts.shortened[u]} for u, n in facts.taken.items()},
        "drop_bands": bands_report(committed.plan["recipe"]["stages"], events, totals, facts.of_sources),
        "sources": _sources(facts),
        "times": _times(committed, times),
        "incidents": {"counts": dict(times.incidents), "causes": _capped(times.causes)},
        "struck": [*struck_before(run), *times.struck],
        "dedup": policies_report(committed),
        "files": _files(committed, account, facts),
        "faults": _faults(facts),
        "charsets": _charsets(facts),
        "languages": dict(facts.languages.most_common()),
        "grades": dict(sorted(facts.grades.items())),
        "histograms": [spread.to_json() for spread in facts.histograms.values()],
        "examples": [row for key in sorted(facts.examples) for row in facts.examples[key]],
        "tokenizer": _tokenizer(committed),
        "trainer": _trainer(run),
        "forgotten": _forgotten(run),
    }


def _read_ledgers(committed: Committed) -> tuple[Totals, FileAccount]:
    account = FileAccount(Counter(), {}, Counter())

    def heard() -> Iterator[UnitLedger]:
        for ledger in committed.ledgers():
            account.take(ledger)
            yield ledger

    return Totals().with_ledgers(heard()), account


def _state(committed: Committed, times: Times) -> str:
    """Say `done`, `stopped` (in order, to be resumed) or `unfinished` (killed, failed, or still going on)."""
    if times.state == "stopped":
        return "stopped"
    return "done" if committed.ended else "unfinished"


def _totals(committed: Committed, counts: tuple[StageCounts, ...]) -> Row:
    shards = [line.shard for line in committed.lines if line.shard]
    tokens, sequences = sum(s.tokens for s in shards), sum(s.sequences for s in shards)
    room = sequences * int(committed.stage("write").get("sequence_length", 0))
    return {
        "units": committed.units,
        "shards": len(shards),
        "shard_bytes": sum(s.file.bytes for s in shards),
        "sequences": sequences,
        "tokens": tokens,
        "padding_share": 1 - tokens / room if tokens and room else None,
        "records": counts[0].received if counts else 0,
        "documents": counts[0].received + sum(c.added for c in counts) if counts else 0,
        "kept": counts[-1].kept if counts else 0,
        "dropped": sum(sum(c.dropped.values()) for c in counts),
        "quarantined": sum(sum(c.quarantined.values()) for c in counts),
        "files": len(committed.plan["inputs"]),
        "bytes": sum(size for _, _, size, *_ in committed.plan["inputs"]),
    }


def _funnel_row(counts: StageCounts) -> Row:
    return {
        "stage": counts.stage,
        "received": counts.received,
        "added": counts.added,
        "kept": counts.kept,
        "dropped": dict(counts.dropped),
        "quarantined": dict(counts.quarantined),
    }


def _sources(facts: DocumentFacts) -> list[Row]:
    names = sorted({source for source, _ in facts.verdicts})
    verdicts = (KEPT, DROPPED, QUARANTINED)
    return [{"source": name, **{verdict: facts.verdicts[name, verdict] for verdict in verdicts}} for name in names]


def _times(committed: Committed, times: Times) -> Row:
    seconds = times.seconds
    tokens = sum(line.shard.tokens for line in committed.lines if line.shard)
    return {
        "sessions": times.sessions,
        "executor": times.executor,
        "workers": times.workers,
        "seconds": round(seconds, 2),
        "bytes_read": times.bytes,
        "megabytes_per_second": times.bytes / 1e6 / seconds if seconds else None,
        "tokens_per_second": tokens / seconds if seconds else None,
        "stage_seconds": {name: round(times.stage_seconds[name], 3) for name in _in_order(committed, times)},
        "waits": {name: round(spent, 3) for name, spent in sorted(times.waits.items())},
        "commits": [list(point) for point in _thinned(times.commits)],
    }


def _in_order(committed: Committed, times: Times) -> list[str]:
    """Give the names of the stages that took time, in the order of the chain."""
    chain = [stage for group in committed.plan["groups"] for stage in [*group["stages"], group["name"]]]
    return [name for name in dict.fromkeys([*chain, *times.stage_seconds]) if name in times.stage_seconds]


def _files(committed: Committed, account: FileAccount, facts: DocumentFacts) -> Row:
    """Account for every input file: those that gave text are counted, the others are named with the reason."""
    listed = [f"{source}:{path}" for source, path, *_ in committed.plan["inputs"]]
    silent = [(name, _silence(name, account, facts)) for name in listed if name not in facts.with_text]
    reasons = Counter(why for _, why in silent)
    return {
        "listed": len(listed),
        "with_text": len(listed) - len(silent),
        "without_text": dict(reasons.most_common()),
        "named": _capped([{"file": name, "why": why} for name, why in silent]),
        "counts": dict(sorted(account.counts.items())),
    }


def _silence(name: str, account: FileAccount, facts: DocumentFacts) -> str:
    if name not in account.records:
        return "not read yet"
    return account.notes.get(name) or facts.excluded.get(name) or "no records"


def _faults(facts: DocumentFacts) -> Row:
    rows = [
        {"file": file, "stage": stage, "reason": reason, **fault}
        for (file, stage, reason), fault in sorted(facts.faults.items())
    ]
    return {"documents": sum(row["documents"] for row in rows), **_capped(rows)}


def _charsets(facts: DocumentFacts) -> list[Row]:
    return [
        {"encoding": encoding, "method": method, "documents": n, "damaged": facts.damaged[encoding, method]}
        for (encoding, method), n in facts.charsets.most_common()
    ]


def _tokenizer(committed: Committed) -> Row | None:
    ref = next((line.tokenizer for line in reversed(committed.lines) if line.tokenizer), None)
    if ref is None:
        return None
    folder = committed.run / "tokenizer"
    notes = {name: _json_object(folder / f"{name}.json") for name in ("tokenizer", "report")}
    return {**ref.to_json(), "options": notes["tokenizer"].get("options", {}), **notes["report"]}


def _json_object(path: Path) -> Row:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):  # `verify` says what is wrong with it
        return {}
    return value if isinstance(value, dict) else {}


def _trainer(run: Path) -> Row | None:
    metrics = all_metrics(run)
    if not metrics:
        return None
    return {"steps": metrics[-1]["step"], "first": metrics[0], "last": metrics[-1], "curve": _thinned(metrics)}


def _forgotten(run: Path) -> dict[str, int] | None:
    """Count what is forgotten on request; the rest of the report is what the run was, and does not change by it."""
    found = read_tombstones(run)
    return {"requests": len(found.requests), "documents": len(found.documents)} if found else None


def _capped(rows: list[Any]) -> Row:
    return {"rows": rows[:_NAMED], "left_out": max(0, len(rows) - _NAMED)}


def _thinned(points: list[Any]) -> list[Any]:
    """Give at most `_CURVE` points, the first and the last among them."""
    if len(points) <= _CURVE:
        return points
    last = len(points) - 1
    return [points[round(index * last / (_CURVE - 1))] for index in range(_CURVE)]
