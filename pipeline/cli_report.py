"""The closing table of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headrace.pipeline.cli_output import near_path, print_table
from headrace.pipeline.report import REPORT_HTML
from headrace.pipeline.wording import cell, size_words

_REASONS_SHOWN = 12


def print_report(run: Path, report: dict[str, Any]) -> None:
    """Print the funnel, the drop reasons and what came out, and where the report is."""
    from headrace.pipeline.report_html import reasons

    rows = [
        (r["stage"], r["received"] + r["added"], r["kept"], sum(r["dropped"].values()), sum(r["quarantined"].values()))
        for r in report["funnel"]
    ]
    print_table("funnel", ["stage", "documents in", "kept", "dropped", "quarantined"], rows)
    for verdict in ("dropped", "quarantined"):
        found = list(reasons(report, verdict).items())
        if found:
            print_table(verdict, ["reason", "documents"], found[:_REASONS_SHOWN])
        if len(found) > _REASONS_SHOWN:
            click.echo(f"and {len(found) - _REASONS_SHOWN} more reasons, in the report\n")
    for name, value in _closing(report):
        click.echo(f"{name:<12}{value}")
    click.echo(f"{'report':<12}{near_path(run / REPORT_HTML)}")


def _closing(report: dict[str, Any]) -> list[tuple[str, str]]:
    totals, times, trainer, files = report["totals"], report["times"], report["trainer"], report["files"]
    lines = [
        ("state", report["state"]),
        ("input", f"{totals['files']:,} files, {size_words(totals['bytes'])}; {files['with_text']:,} gave text"),
        ("output", f"{totals['shards']:,} shards of {totals['units']:,} units, {size_words(totals['shard_bytes'])}"),
    ]
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
    if report["struck"]:
        lines.append(("struck", f"{len(report['struck'])} documents, by a deadline or a dead worker: see the report"))
    return lines
