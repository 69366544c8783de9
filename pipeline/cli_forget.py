"""`headrace forget`: documents are served no more, steps that used them are named, later runs leave them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN
from headrace.pipeline.cli_output import print_json
from headrace.pipeline.wording import printable

if TYPE_CHECKING:
    from headrace.pipeline.forgetting.account import Account
    from headrace.pipeline.forgetting.steps import Trained

_SHOWN = 10  # documents; ranges of steps, files


@click.command(short_help="Forget documents: never served again, and which training steps used them.")
@RUN
@click.option("--doc", "docs", multiple=True, metavar="ID", help="A document by its doc_id.")
@click.option("--url", "urls", multiple=True, metavar="PATTERN", help="A URL, or a glob: * within a path, ** across.")
@click.option("--domain", "domains", multiple=True, metavar="NAME", help="All of a domain, its subdomains included.")
@click.option("--repeats", is_flag=True, help="Also documents that were dropped because they repeat forgotten ones.")
@click.option("--dry-run", is_flag=True, help="Say what would be forgotten; write nothing.")
@AS_JSON
@click.pass_context
def forget(
    ctx: click.Context,
    run: Path,
    *,
    docs: tuple[str, ...],
    urls: tuple[str, ...],
    domains: tuple[str, ...],
    repeats: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Forget documents of RUN, which may be running, being trained on, or finished.

    From the next batch on no loader serves a sequence that holds a token of them. Says which training steps already
    used them, which checkpoints are clean, and where the text still is. Each option may be given several times; without
    any it says what is forgotten so far. Exit code 1: a finished RUN has no document of a given ID.
    """
    from headrace.pipeline.forgetting.account import account
    from headrace.schemas.forgetting import DOC, DOMAIN, URL, request

    asked = [request(kind, value) for kind, given in ((DOC, docs), (URL, urls), (DOMAIN, domains)) for value in given]
    found = account(run, asked, repeats=repeats, dry_run=dry_run)
    if as_json:
        print_json(found.to_json())
    else:
        for name, text in _lines(found, dry_run=dry_run):
            click.echo(f"{name:<12}{printable(text)}")
    mistyped = [r.value for r in asked if r.kind == DOC and r.value in found.found.unknown] if found.ended else []
    for doc_id in mistyped[:_SHOWN]:
        near = " or ".join(found.suggestions.get(doc_id, []))
        remedy = f". Did you mean {near}?" if near else ". A doc_id is source:path#offset, as in documents/"
        click.echo(printable(f"headrace: {run}: no document has the id '{doc_id}'{remedy}"), err=True)
    if len(mistyped) > _SHOWN:
        click.echo(f"headrace: and {len(mistyped) - _SHOWN:,} more such ids, `unknown` in --json", err=True)
    if mistyped:
        ctx.exit(1)


def _lines(found: Account, *, dry_run: bool) -> Iterator[tuple[str, str]]:
    """Give the account line by line: a word in front, what it says behind it."""
    documents, s = found.found.documents, found.sequences
    if not found.found.requests:
        yield "forgotten", "nothing"
        return
    yield "forgotten" if not dry_run else "would be", f"{_count(len(documents), 'document')} by {_requests(found)}"
    yield from (("", d.doc_id) for d in documents[:_SHOWN])
    if len(documents) > _SHOWN:
        yield "", f"and {len(documents) - _SHOWN:,} more, in --json"
    yield from _without_tokens(found)
    if s.of:
        lost = f"{s.tokens:,} tokens of these documents, and with them {s.others:,} of others"
        yield "skipped", f"{s.numbers.size:,} of {_count(s.of, 'sequence')} ({s.numbers.size / s.of:.2%}): {lost}"
        yield from _training(found.training, beside=found.in_use)
    elif s.shards:
        yield "not skipped", "the run is of texts: whoever reads its Parquet shards has to leave these doc_ids out"
    yield from _remains(found)
    if len(every := found.tombstones.requests) > len(found.found.requests):
        total = _count(len(found.tombstones.documents), "document")
        yield "in all", f"{total} by {_count(len(every), 'request')}: `headrace forget {found.run}`"


def _requests(found: Account) -> str:
    kinds = Counter(r.kind for r in found.found.requests)
    names = [str(r) for r in found.found.requests]
    return ", ".join(names) if len(names) <= 3 else ", ".join(f"{_count(n, kind)}" for kind, n in kinds.items())


def _without_tokens(found: Account) -> Iterator[tuple[str, str]]:
    """Say which documents need no tombstone today, and would in a run that judges otherwise."""
    reasons = Counter(f"{d.verdict} by {d.stage}: {d.reason}" for d in found.found.gone)
    yield from (("no tokens", f"{_count(n, 'document')}, {reason}") for reason, n in reasons.most_common(_SHOWN))
    if again := found.found.repeats:
        kept = f"{_count(len(again), 'document')} dropped as repeats of these, such as {again[0].doc_id}"
        yield "repeats", f"{kept}: a later run may keep them instead; --repeats forgets them, too"
    if found.found.unknown and not found.ended:
        yield "not yet", f"{_count(len(found.found.unknown), 'doc_id')} that no committed unit holds so far"


def _training(training: Trained | None, *, beside: bool) -> Iterator[tuple[str, str]]:
    if training is None:
        yield "training", "no step was taken on this run"
        return
    used = sum(map(len, training.used.values()))
    running = "; a step under way is not among them, ask again for it" if beside else ""
    yield "training", f"{used:,} of {_count(training.steps, 'step')} so far used them{running}"
    for epoch, steps in training.used.items():
        yield "", f"epoch {epoch}: {_ranges(steps)}"
    if used:
        first = min(steps[0] for steps in training.used.values())
        yield "checkpoints", f"{_steps(training.tainted)}, trained on them (from step {first} on)"
        clean = f"step {training.clean[-1]}" if training.clean else "none is kept"
        yield "clean", f"{clean}: remove the later ones to go on from there" if training.clean else f"{clean}: {_ANEW}"


_ANEW = "remove RUN/trainer to train anew without them"


def _steps(saved: Sequence[int]) -> str:
    return f"step {', '.join(map(str, saved))}" if saved else "none is kept"


def _ranges(steps: Sequence[int]) -> str:
    """Write ascending numbers, neighbours as a range.

    >>> _ranges([1, 2, 3, 7, 9, 10])
    'steps 1 to 3, 7, 9, 10'
    """
    runs: list[list[int]] = []
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1][1:] = [step]
        else:
            runs.append([step])
    words = [w for run in runs for w in ([str(s) for s in run] if run[-1] - run[0] < 2 else [f"{run[0]} to {run[-1]}"])]
    more = f" and {len(words) - _SHOWN} more, in --json" if len(words) > _SHOWN else ""
    return f"step{'s' * (len(steps) > 1)} {', '.join(words[:_SHOWN])}{more}"


def _remains(found: Account) -> Iterator[tuple[str, str]]:
    if not found.remains:
        return
    folders = Counter(name.partition("/")[0] for name in found.remains)
    files = [f"{_count(n, 'file')} of {folder}/" for folder, n in sorted(folders.items())]
    places = ", ".join([*files, *found.reports])
    yield "still in", f"{places}, in the input, and in what was trained: nothing is erased from files"
    if found.reports:
        anew = " and ".join(f"`headrace report {found.run}{option}`" for option in _written_by(found.reports))
        yield (
            "may quote",
            f"{', '.join(found.reports)}: from before the request; {anew} writes them without these texts",
        )
    yield "to erase", "run again into another folder, `- {kind: forget, lists: [RUN]}` behind parse, then delete RUN"


def _written_by(reports: Sequence[str]) -> list[str]:
    """Give the options of `headrace report` that write reports anew."""
    return sorted({" --policy" if name.startswith("policy") else "" for name in reports})


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
