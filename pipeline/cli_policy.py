"""The report of a run on the terminal, by itself: the funnel, or what it lets through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_output import near_path, print_json, print_table
from headrace.schemas.errors import ConfigError

if TYPE_CHECKING:
    from headrace.pipeline.report_documents import Row

_SHOWN = 20  # findings
_MOST = 1_000_000  # documents of a source; their texts are held one unit at a time
_POLICY_ONLY = ("sample", "seed", "source", "words")


@click.command(short_help="Write a run's report again; --policy: what unsafe, personal, unlicensed text it holds.")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--policy", is_flag=True, help="Sample every source: unsafe documents, personal data, hints, licences.")
@click.option(
    "--sample", type=click.IntRange(1, _MOST), default=1000, metavar="N", help="Documents of each source (1000)."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=0, metavar="N", help="Which documents are drawn (0)."
)
@click.option("--source", multiple=True, metavar="NAME", help="Only this source; may be given several times.")
@click.option(
    "--words",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="LISTFILE",
    help="A list of words that make a document unsafe; may be given several times.",
)
@AS_JSON
@click.pass_context
def report(
    ctx: click.Context,
    run: Path,
    *,
    policy: bool,
    sample: int,
    seed: int,
    source: tuple[str, ...],
    words: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Write the report of RUN again: report.json, report.html.

    With --policy: policy.json and policy.html, from a sample of the kept documents of every source.
    """
    if not policy:
        _refuse_policy_options(ctx)
        _plain(run, as_json=as_json)
        return
    from headrace.pipeline.policy.report import PolicyRequest, write_policy

    found = write_policy(run, PolicyRequest(sample, seed, source, words))
    if as_json:
        print_json(found)
    else:
        print_policy(run, found)


def _refuse_policy_options(ctx: click.Context) -> None:
    for name in _POLICY_ONLY:
        given = ctx.get_parameter_source(name)
        if given is not None and given.name == "COMMANDLINE":
            what, why = f"--{name} belongs to --policy", "the report of the run counts all documents"
            raise ConfigError(what, where="headrace report", why=why, remedy=f"add --policy, or leave --{name} out")


def _plain(run: Path, *, as_json: bool) -> None:
    from headrace.pipeline.cli_report import print_report
    from headrace.pipeline.report import write_report

    found = write_report(run)
    if as_json:
        print_json(found)
    else:
        print_report(run, found)


def print_policy(run: Path, found: Row) -> None:
    """Print a line for each source and each finding, what is not known, and where the page is."""
    from headrace.pipeline.policy.report import POLICY_HTML
    from headrace.pipeline.policy.tables import FINDINGS, OVERVIEW, findings, overview

    print_table("policy: rates with 95 % intervals", OVERVIEW, overview(found))
    rows = findings(found)
    if rows:
        print_table("found", FINDINGS, rows[:_SHOWN])
    if len(rows) > _SHOWN:
        click.echo(f"and {len(rows) - _SHOWN} more, in the report\n")
    for note in found["notes"]:
        click.echo(f"{'note':<12}{note}")
    click.echo(f"{'report':<12}{near_path(run / POLICY_HTML)}")
