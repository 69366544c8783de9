"""The command line: parsing, exit codes, and where an unexpected error is written. The work is done elsewhere."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import click

from headrace import __version__
from headrace.pipeline.cli_config import check, schema, stages
from headrace.pipeline.cli_dedup import dedup
from headrace.pipeline.cli_dups import dups
from headrace.pipeline.cli_export import export
from headrace.pipeline.cli_forget import forget
from headrace.pipeline.cli_look import explain, inspect, verify
from headrace.pipeline.cli_output import print_json
from headrace.pipeline.cli_policy import report
from headrace.pipeline.cli_read import read
from headrace.pipeline.cli_replay import replay
from headrace.pipeline.cli_rerun import rerun
from headrace.pipeline.cli_run import run, train
from headrace.pipeline.cli_what_if import what_if
from headrace.pipeline.cli_where import where
from headrace.schemas.errors import HeadraceError

ERROR_LOG = "error.log"
_AS_JSON = "headrace.json"
_HELP_WIDTH = 80


class Commands(click.Group):
    """Turns errors into one message on stderr: 2 = configuration or arguments, 1 = the run failed, 0 = done."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Start the program; a terminal that cannot show a character shows its number instead."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().main(*arguments, **options)
        finally:
            _let_go_of_stderr()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note whether a program reads the output, which failures are written for, too."""
        ctx.meta[_AS_JSON] = "--json" in args
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for."""
        for title, commands in _GROUPS.items():
            rows = [(str(command.name), command.get_short_help_str(_HELP_WIDTH)) for command in commands]
            with formatter.section(title):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HeadraceError as error:
            message, code = str(error), error.exit_code
            parts = {"what": error.what, "where": error.where, "why": error.why, "remedy": error.remedy}
        except click.ClickException as error:
            _print_failure(ctx, {"what": error.format_message()}, error.exit_code)
            raise
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  # the last resort of the program: nothing is hidden, all is kept
            message, code = _unexpected(error, ctx.find_object(Path)), 1
            parts = {"what": message}
        click.echo(f"headrace: {message}", err=True)
        _print_failure(ctx, parts, code)
        return ctx.exit(code)


def _let_go_of_stderr() -> None:
    """Drop what nobody reads any more: Python's last flush would else turn exit code 0 into 120."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _print_failure(ctx: click.Context, parts: dict[str, str], code: int) -> None:
    """Give a program that asked for JSON the failure as JSON."""
    if ctx.meta[_AS_JSON]:
        with contextlib.suppress(OSError):  # a full disk may be what failed
            print_json({"error": parts, "exit_code": code})


def _unexpected(error: Exception, run: Path | None) -> str:
    """Keep the traceback where the user finds it, and say so in one line."""
    said = " ".join(str(error).split()) or "no message"
    for place in (_own_folder, _new_folder):
        with contextlib.suppress(OSError, ValueError):
            log = place(run) / ERROR_LOG
            with log.open("a", encoding="utf-8", errors="backslashreplace") as f:
                f.write("".join(traceback.format_exception(error)) + "\n")
            return f"unexpected {type(error).__name__}: {said}. The traceback is in {log}"
    return f"unexpected {type(error).__name__}: {said}. The traceback could not be kept anywhere"


def _own_folder(run: Path | None) -> Path:
    """Give the run's folder if it is one by now: nothing is written into somebody else's."""
    if run is None or not (run / "plan.json").is_file():
        raise FileNotFoundError(run)
    return run


def _new_folder(run: Path | None) -> Path:
    return Path(tempfile.mkdtemp(prefix="headrace-"))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="headrace", message="headrace %(version)s")
def main() -> None:
    """Raw text files in any encoding in, a training run out: one YAML file, one job.

    Exit codes: 0 done (faulty files are counted and named, they are no failure), 1 the run failed or its ledger does
    not balance, 2 the configuration or the arguments are wrong. Data goes to stdout, messages go to stderr.
    """


_GROUPS = {
    "Work": (run, dedup, read, train),
    "Look at a run": (inspect, report, explain, where, dups, verify),
    "Try again, take back": (what_if, rerun, replay, forget),
    "Take along": (export,),
    "Configurations": (check, stages, schema),
}
for commands in _GROUPS.values():
    for command in commands:
        main.add_command(command)
