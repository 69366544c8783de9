"""The policy report of a run: what unsafe, personal and unlicensed documents it lets through, measured on a sample."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headrace import __version__
from headrace.pipeline.committed import Committed, open_committed, where
from headrace.pipeline.json_numbers import finite
from headrace.pipeline.policy.findings import (
    ANY_LEFT,
    ANY_PII,
    ANY_UNSAFE,
    LEFT,
    LISTS,
    PII,
    RIGHTS,
    WORDS,
    Counted,
    Sample,
)
from headrace.pipeline.policy.notes import notes
from headrace.pipeline.policy.page import policy_page
from headrace.pipeline.policy.rates import CONFIDENCE, Rate
from headrace.pipeline.policy.sample import Population, populations, sampled
from headrace.pipeline.policy.words import WordList, counted, read_lists
from headrace.pipeline.report_documents import Row
from headrace.schemas.durable import replace_file
from headrace.schemas.errors import ConfigError
from headrace.stages.privacy.kinds import NAMES
from headrace.stages.writing.files import storage_error

POLICY_JSON, POLICY_HTML = "policy.json", "policy.html"
POLICY_VERSION = 1
SAMPLE = 1000  # documents of each source: of rates near 0 the interval is then 0.4 % wide


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """What to look at: documents of each source, the seed that draws them, the sources (none: all), word lists."""

    sample: int = SAMPLE
    seed: int = 0
    sources: tuple[str, ...] = ()
    words: tuple[Path, ...] = ()


def write_policy(run: Path, request: PolicyRequest) -> Row:
    """Write `policy.json` and `policy.html` into the run folder and give the content.

    Only what is committed is looked at, so it works at any time once a shard is written. ConfigError before that, for
    a source that the run does not have, and for a word list that cannot be read.
    """
    report = policy_data(run, request)
    try:
        text = json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False)
        replace_file(run / POLICY_JSON, text.encode() + b"\n")
        replace_file(run / POLICY_HTML, policy_page(report).encode())
    except OSError as error:
        raise storage_error(run / POLICY_HTML, error) from error
    return report


def policy_data(run: Path, request: PolicyRequest) -> Row:
    """Give everything the report says."""
    committed = open_committed(run)
    if not any(line.documents for line in committed.lines):
        why = "nothing is committed yet: the first shard is not closed" if not committed.ended else "it read nothing"
        remedy = "let `headrace run` go on until its first shard is written"
        raise ConfigError("there are no documents to look at", where=str(run), why=why, remedy=remedy)
    lists = read_lists(request.words)
    found = populations(committed, request.sample, request.seed, request.sources)
    samples = _look(committed, found, counted(lists))
    report: Row = {
        "version": POLICY_VERSION,
        "headrace": __version__,
        "run": run.absolute().name,
        "state": "done" if committed.ended else "unfinished",
        "identity": committed.plan["identity"],
        "sample": request.sample,
        "seed": request.seed,
        "confidence": CONFIDENCE,
        "interval": "Wilson 1927",
        "lists": [one.to_json() for one in lists],
        "notes": notes(committed, found, samples, lists),
        "sources": [_source(one, samples[one.source], lists) for one in found],
    }
    return dict(finite(report))


def _look(committed: Committed, found: Sequence[Population], words: Counted) -> dict[str, Sample]:
    samples = {one.source: Sample() for one in found}
    for table in sampled(committed, (drawn for one in found for drawn in one.drawn)):
        for name, sample in samples.items():
            rows = where(table, "source", name)
            if rows.num_rows:
                sample.add(rows, words)
    return samples


def _source(population: Population, sample: Sample, lists: Sequence[WordList]) -> Row:
    documents = population.documents

    def rates(names: Sequence[str]) -> list[Row]:
        return [sample.rate(name, documents).to_json() for name in names]

    return {
        "source": population.source,
        "documents": documents,
        "forgotten": population.forgotten,
        "sampled": sample.size,
        "with_text": sample.with_text,
        "characters": _characters(sample, documents),
        "characters_sampled": sample.characters,
        "unsafe": _optional(sample.rate(ANY_UNSAFE, documents)),
        "words": rates([*sample.names(WORDS), *(f"{LISTS}{one.name}" for one in lists)]),
        "personal_data": {
            "before": _optional(sample.rate(ANY_PII, documents)),
            "left": _optional(sample.rate(ANY_LEFT, documents)),
            "kinds": [_kind(name, sample, documents) for name in NAMES],
        },
        "rights": rates([name for name in RIGHTS if sample.looked[name]]),
        "licences": population.licences.to_json(),
    }


def _kind(name: str, sample: Sample, documents: int) -> Row:
    before, left = sample.rate(f"{PII}{name}", documents), sample.rate(f"{LEFT}{name}", documents)
    shown = sample.shown(f"{LEFT}{name}")
    return {"kind": name, "before": _optional(before), "left": _optional(left), "places": shown}


def _optional(rate: Rate) -> Row | None:
    return rate.to_json() if rate.of else None


def _characters(sample: Sample, documents: int) -> int | None:
    """Give the characters of all documents, by the mean of the sample; exact where that is all of them."""
    return round(sample.characters * documents / sample.with_text) if sample.with_text else None
