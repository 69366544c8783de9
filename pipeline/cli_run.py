"""Commands that work: run a pipeline, train on a run."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_output import print_json, users_code
from headrace.schemas.errors import ConfigError

if TYPE_CHECKING:
    from headrace.pipeline.load import LoadedConfig
    from headrace.pipeline.plan import Plan
    from headrace.pipeline.report_documents import Row

    Tell = Callable[[Path, Row, bool], None]

CONFIG = click.argument("config", type=click.Path(path_type=Path))
OVERRIDES = click.argument("overrides", nargs=-1, metavar="[KEY.SUB=VALUE]...")


@click.command(short_help="Run a pipeline, or go on where it was stopped.")
@CONFIG
@OVERRIDES
@click.option("--executor", type=click.Choice(["ray", "inline"]), help="Actors on all cores, or one process.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after about N documents.")
@click.option("--fresh", is_flag=True, help="Remove what an earlier run left in the run folder, and start over.")
@AS_JSON
@click.pass_context
def run(
    ctx: click.Context,
    config: Path,
    overrides: tuple[str, ...],
    *,
    executor: str | None,
    limit: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Run CONFIG, or go on where it was stopped; the same command resumes it.

    Overrides change single options: engine.workers=2 stages.0.max_damage=0.05
    """
    from headrace.pipeline.load import load_config

    flags = {"engine.executor": executor, "limit": limit}
    changed = [f"{key}={value}" for key, value in flags.items() if value is not None]
    with users_code():
        loaded = load_config(config, [*overrides, *changed])
    carry_out(ctx, loaded, fresh=fresh, as_json=as_json)


def carry_out(
    ctx: click.Context,
    loaded: LoadedConfig,
    *,
    fresh: bool,
    as_json: bool,
    plan: Plan | None = None,
    tell: Tell | None = None,
) -> None:
    """Run a pipeline with its progress on the terminal, tell what came of it, and end with 1 if it was stopped.

    `tell` prints the report of a run, for people or as JSON; by default all of it.
    """
    from headrace.pipeline.drop_bands.bands import DropBandError
    from headrace.pipeline.progress import shown
    from headrace.pipeline.report import write_report
    from headrace.pipeline.run import run_pipeline

    ctx.find_root().obj = loaded.run_dir
    try:
        with shown(loaded.run_dir, sys.stderr or io.StringIO()) as watch, users_code():
            summary = run_pipeline(loaded, fresh=fresh, watchers=(watch,), plan=plan)
    except DropBandError:
        write_report(loaded.run_dir)  # what is committed by then is what one has to look at
        raise
    report = write_report(loaded.run_dir)
    (tell or _print_result)(loaded.run_dir, report, as_json)
    if summary.state != "done":
        click.echo("headrace: stopped before the end; the same command goes on from here", err=True)
        ctx.exit(1)


def _print_result(run_dir: Path, report: Row, as_json: bool) -> None:  # noqa: FBT001  # one signature for all
    from headrace.pipeline.cli_report import print_report

    if as_json:
        print_json(report)
    else:
        print_report(run_dir, report)


@click.command(short_help="Train on a run, finished or still growing.")
@CONFIG
@OVERRIDES
@click.pass_context
def train(ctx: click.Context, config: Path, overrides: tuple[str, ...]) -> None:
    """Train on the run of CONFIG, finished or still growing; goes on from the newest checkpoint.

    The pipeline keeps the pace of the newest trainer, so start this one beside a run whose trainer has `mode: none`.
    """
    from headrace.loader.launch import start_trainer
    from headrace.pipeline.load import load_config
    from headrace.pipeline.run_folder import in_use
    from headrace.schemas.training import LoaderConfig, TrainingConfig

    with users_code():
        loaded = load_config(config, overrides)
    trainer = loaded.config.trainer
    if trainer is None:
        raise ConfigError("there is nothing to train", where=str(config), why="it has no `trainer:`", remedy="add one")
    if not (loaded.run_dir / "plan.json").is_file():
        remedy = f"start it with `headrace run {config}`"
        raise ConfigError("there is no run yet", where=str(loaded.run_dir), remedy=remedy)
    if trainer.mode == "required" and in_use(loaded.run_dir):
        why = "`mode: required` means that the run starts its own, and two would push each other out"
        remedy = "let it train, or set `trainer.mode: none` for runs that you train yourself"
        raise ConfigError("the run has its trainer", where=str(loaded.run_dir), why=why, remedy=remedy)
    ctx.find_root().obj = loaded.run_dir
    training = TrainingConfig(loader=loaded.config.loader or LoaderConfig(), trainer=trainer)
    process = start_trainer(loaded.run_dir, training, foreground=True)
    try:
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    ctx.exit(code if code >= 0 else 1)
