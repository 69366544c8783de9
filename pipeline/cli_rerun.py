"""`headrace rerun`: a finished run once more with some options changed, from what its documents were."""

from __future__ import annotations

from pathlib import Path

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN
from headrace.pipeline.cli_output import near_path, users_code
from headrace.pipeline.cli_run import carry_out


@click.command(short_help="Run a run again with other options, without its input.")
@RUN
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="An option to change: clean.max_symbol_share=0.3"
)
@click.option(
    "--from", "first", metavar="STAGE", help="First stage whose verdicts may be others; by default the first changed."
)
@click.option("--keep-tokenizer", is_flag=True, help="Use the tokenizer that RUN trained, instead of training anew.")
@click.option(
    "--run", "folder", type=click.Path(path_type=Path), metavar="NEW_FOLDER", help="RUN-rerun-STAGE by default."
)
@click.option("--executor", type=click.Choice(["ray", "inline"]), help="As the run had it, unless it is named.")
@click.option("--fresh", is_flag=True, help="Remove what an earlier rerun left in its folder, and start over.")
@AS_JSON
@click.pass_context
def rerun(
    ctx: click.Context,
    run: Path,
    *,
    settings: tuple[str, ...],
    first: str | None,
    keep_tokenizer: bool,
    folder: Path | None,
    executor: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Run the finished RUN again with other options, as a new run beside it, byte for byte what `headrace run` gives.

    RUN needs `record: full` in its stage write; its input is not read and may be gone. All stages behind parse work
    again. Those in front of STAGE have to judge as they did, which is checked. A tokenizer is trained anew. What is
    forgotten in RUN stays away. There is no trainer. The same command resumes it.
    """
    from headrace.pipeline.rerun.make import make_rerun
    from headrace.pipeline.rerun.settings import Wanted

    with users_code():
        made = make_rerun(run, Wanted(settings, first, keep_tokenizer), folder, executor, fresh=fresh)
    where = near_path(made.loaded.run_dir)
    units = len(made.plan.splits)
    what = f"{units:,} units" if units != 1 else "the unit"
    go = "go" if units != 1 else "goes"
    click.echo(f"headrace: {what} of {run} {go} to {where}, from {made.first} on", err=True)
    carry_out(ctx, made.loaded, fresh=fresh, as_json=as_json, plan=made.plan)
