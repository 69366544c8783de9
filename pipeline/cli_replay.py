"""`headrace replay`: records of a run once more, by another charset, as a run of their own."""

from __future__ import annotations

from pathlib import Path

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN
from headrace.pipeline.cli_output import near_path, users_code
from headrace.pipeline.cli_run import carry_out


@click.command(short_help="Take records of a run up again, by another charset.")
@RUN
@click.option(
    "--encoding", required=True, metavar="CHARSET", help="What the records are decoded by, whatever they look like."
)
@click.option("--path", metavar="GLOB", help="Only records of these files; paths as in doc_ids, ** crosses folders.")
@click.option("--reason", metavar="REASON", help="Only records that were quarantined for this reason.")
@click.option("--kept", is_flag=True, help="Also what was kept or dropped, of the files that --path names.")
@click.option(
    "--run", "folder", type=click.Path(path_type=Path), metavar="NEW_FOLDER", help="RUN-replay-CHARSET by default."
)
@click.option("--executor", type=click.Choice(["ray", "inline"]), help="As the run had it, unless it is named.")
@click.option("--fresh", is_flag=True, help="Remove what an earlier replay left in its folder, and start over.")
@AS_JSON
@click.pass_context
def replay(
    ctx: click.Context,
    run: Path,
    *,
    encoding: str,
    path: str | None,
    reason: str | None,
    kept: bool,
    folder: Path | None,
    executor: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Take quarantined records of the finished RUN up again, decoded as CHARSET, as a new run beside it.

    RUN's configuration and tokenizer, RUN's doc_ids, its input as it was; RUN itself is not touched. A record is the
    least that is taken: a line, a row, a page, of a JSON array the whole file. There is no trainer. The new run does
    not know what RUN kept: a record that repeats one of RUN's documents is not dropped as a duplicate. The same command
    resumes it. With --kept the new documents stand in place of RUN's of the same doc_id, which `headrace forget` takes
    out of RUN.
    """
    from headrace.pipeline.replay import make_replay
    from headrace.pipeline.replay_choice import Wanted

    with users_code():
        made = make_replay(run, Wanted(encoding, path, reason, kept), folder, executor)
    where = near_path(made.loaded.run_dir)
    click.echo(f"headrace: {made.records:,} records of {made.files:,} files of {run} go to {where}", err=True)
    carry_out(ctx, made.loaded, fresh=fresh, as_json=as_json, plan=made.plan)
