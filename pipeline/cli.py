"""The command line: parsing, exit codes, and where an unexpected error is written. The work is done elsewhere."""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path
from typing import Any

import click

from headrace import __version__
from headrace.pipeline.cli_config import check, schema, stages
from headrace.pipeline.cli_look import explain, inspect, verify
from headrace.pipeline.cli_run import run, train
from headrace.schemas.errors import HeadraceError

ERROR_LOG = "error.log"


class Commands(click.Group):
    """Turns errors into one message on stderr: 2 = configuration or arguments, 1 = the run failed, 0 = done."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HeadraceError as error:
            message, code = str(error), error.exit_code
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  # the last resort of the program: nothing is hidden, all is kept
            message, code = _unexpected(error, ctx.find_object(Path)), 1
        click.echo(f"headrace: {message}", err=True)
        return ctx.exit(code)


def _unexpected(error: Exception, run: Path | None) -> str:
    """Keep the traceback where the user finds it, and say so in one line."""
    folder = run if run and run.is_dir() else Path(tempfile.mkdtemp(prefix="headrace-"))
    log = folder / ERROR_LOG
    with log.open("a", encoding="utf-8") as f:
        f.write("".join(traceback.format_exception(error)) + "\n")
    said = " ".join(str(error).split()) or "no message"
    return f"unexpected {type(error).__name__}: {said}. The traceback is in {log}"


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="headrace", message="headrace %(version)s")
def main() -> None:
    """Raw text files in any encoding in, a training run out: one YAML file, one job.

    Exit codes: 0 done (faulty files are counted and named, they are no failure), 1 the run failed or its ledger does
    not balance, 2 the configuration or the arguments are wrong. Data goes to stdout, messages go to stderr.
    """


for command in (run, check, stages, inspect, explain, verify, train, schema):
    main.add_command(command)
