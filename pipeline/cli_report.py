"""The closing table of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_output import near_path, print_table
from headrace.pipeline.dropped_examples import with_examples
from headrace.pipeline.report import REPORT_HTML
from headrace.pipeline.wording import cell, printable, size_words

if TYPE_CHECKING:
    from headrace.pipeline.report_documents import Row

_REASONS_SHOWN = 12


def print_report(run: Path, report: Row) -> None:
    """Print the funnel, the drop reasons and what came out, and where the report is."""
    from headrace.pipeline.report_html import reasons

    rows = [
        (r["stage"], r["received"] + r["added"], r["kept"], sum(r["dropped"].values()), sum(r["quarantined"].values()))
        for r in report["funnel"]
    ]
    if not rows:
        click.echo("nothing is committed yet\n")
    else:
        print_table("funnel", ["stage", "documents in", "kept", "dropped", "quarantined"], rows)
    for verdict in ("dropped", "quarantined"):
        found = list(reasons(report, verdict).items())
        if found:
            examples = _examples(report)
            shown = [(why, count, examples.get(why, "")) for why, count in found[:_REASONS_SHOWN]]
            print_table(verdict, ["reason", "documents", "one of them (headrace explain)"], shown)
        if len(found) > _REASONS_SHOWN:
            more = len(found) - _REASONS_SHOWN
            click.echo(f"and {more} more reason{'s' * (more != 1)}, in the report\n")
    if found := report["dedup"]:
        print_table(f"which one stays, at {found['stage']}", ["keep", "kept", "dropped"], list(_policies(found)))
    for line in _outside(report):
        click.echo(line)
    for name, value in _closing(report):
        click.echo(f"{name:<12}{value}")
    click.echo(f"{'report':<12}{near_path(run / REPORT_HTML)}")


def _policies(found: Row) -> Iterator[tuple[str, int, int]]:
    """Give what each policy of dedup keeps of the documents that reach it, where that was counted."""
    counts = found["policies"]
    for name in ("first_seen", "components", "best"):
        if counts[name] is not None:
            yield name, counts[name], counts["documents"] - counts[name]


def _examples(report: Row) -> dict[str, str]:
    """Give a doc_id for each reason, to begin with when one asks why."""
    return {f"{row['stage']}: {row['reason']}": row["doc_id"] for row in reversed(report["examples"])}


def _outside(report: Row) -> Iterator[str]:
    """Say which rules took out more or fewer documents than expected."""
    for row in report["drop_bands"]["rows"]:
        if row["outside"]:
            words = printable(with_examples(row["words"], row["examples"]))
            yield f"{'drop band':<12}{words}\n{'':<12}{row['remedy']}\n"


def _closing(report: Row) -> list[tuple[str, str]]:
    from headrace.pipeline.report_html import taken_words

    totals, times, trainer, files = report["totals"], report["times"], report["trainer"], report["files"]
    output = f"{_count(totals['shards'], 'shard')} of {_count(totals['units'], 'unit')}"
    lines = [
        ("state", report["state"]),
        ("input", f"{totals['files']:,} files, {size_words(totals['bytes'])}; {files['with_text']:,} gave text"),
        ("output", f"{output}, {size_words(totals['shard_bytes'])}"),
    ]
    lines += [("repeated", words) for words in taken_words(report)]
    if files["counts"]:
        lines.append(("beside it", ", ".join(f"{count:,} {name}" for name, count in files["counts"].items())))
    if replay := report["replay"]:
        what = "record" if replay.get("kept") else "quarantined record"
        lines.insert(1, ("replays", f"{_count(replay['records'], what)} as {replay['encoding']}"))
    if again := report["rerun"]:
        settings = "".join(f", {text}" for text in again["settings"])
        lines.insert(1, ("rerun of", f"{report['parent']} from {again['first']} on{settings}"))
    if totals["tokens"]:
        padding = f"{totals['padding_share']:.2%} padding"
        lines.append(("tokens", f"{totals['tokens']:,} in {totals['sequences']:,} sequences, {padding}"))
    if times["seconds"]:
        speed = f", {cell(times['tokens_per_second'])} tokens/s" if totals["tokens"] else ""
        lines.append(("time", f"{times['seconds']:,.1f} s, {cell(times['megabytes_per_second'])} MB/s{speed}"))
    waits = ", ".join(f"{name} {spent:,.1f} s" for name, spent in times["waits"].items())
    if waits:
        lines.append(("waited for", waits))
    if trainer:
        loss = f"loss {cell(trainer['first']['loss'])} at first, {cell(trainer['last']['loss'])} at last"
        lines.append(("training", f"{trainer['steps']:,} steps, {loss}"))
    if asked := report["forgotten"]:
        what = f"{_count(asked['documents'], 'document')} on request: `headrace forget` on the run says which"
        lines.append(("forgotten", what))
    if report["struck"]:
        lines.append(("struck", f"{len(report['struck'])} documents, by a deadline or a dead worker: see the report"))
    return lines


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
