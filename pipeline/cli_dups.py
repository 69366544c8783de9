"""`headrace dups`: which documents of a run repeat which, and in what they differ."""

from __future__ import annotations

from pathlib import Path

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN

_SHOWN, _MEMBERS = 10, 10  # clusters, and members of each, unless more are asked for
_SHARE = click.FloatRange(0, 1)


@click.command(short_help="Show which documents of a run repeat which, and in what they differ.")
@RUN
@click.option("--of", "document", metavar="DOC_ID", help="Only what this document repeats, and what repeats it.")
@click.option("--stage", metavar="NAME", help="Only what this stage dropped: dedup, urls, dedup.2 ...")
@click.option("--near-only", is_flag=True, help="Only near duplicates, no exact ones.")
@click.option(
    "--similarity", nargs=2, type=_SHARE, metavar="LOW HIGH", help="Only documents this similar to the one that stays."
)
@click.option(
    "--least", type=click.IntRange(min=2), default=2, metavar="N", help="Only clusters of at least N documents."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Clusters shown: 10, with --json all.")
@click.option("--members", type=click.IntRange(min=1), metavar="N", help="Members shown of each: 10, with --json all.")
@click.option("--diff", is_flag=True, help="Show what is different in each member.")
@AS_JSON
def dups(
    run: Path,
    *,
    document: str | None,
    stage: str | None,
    near_only: bool,
    similarity: tuple[float, float] | None,
    least: int,
    limit: int | None,
    members: int | None,
    diff: bool,
    as_json: bool,
) -> None:
    """Show the clusters of RUN, finished or not: documents that repeat the same one, and which one stays.

    The largest come first. Stages whose verdicts name a survivor count: `dedup`, and `urls` for repeated addresses.
    With --diff the members' texts are compared with the text that stays; those that the run has not stored are read
    again from its input. --json prints a line for each cluster (`"role": "stays"`) and each member behind it.
    """
    from headrace.pipeline.cli_dups_rows import Clusters, ClustersAsJson
    from headrace.pipeline.dups.asked import Asked, look
    from headrace.pipeline.dups.compared import compared

    shown = limit if limit or as_json else _SHOWN
    most = members if members or as_json else _MEMBERS
    answer = look(run, Asked(stage, document, near_only, similarity, least, shown))
    out = ClustersAsJson(run) if as_json else Clusters(run, answer)
    out.begin()
    for part in compared(answer.reader, most, diff=diff, excerpts=not as_json):
        out.print(part)
    out.end()
