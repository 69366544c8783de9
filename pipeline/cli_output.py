"""What commands print to stdout: tables for people, JSON for programs."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO

import click

from headrace.pipeline.json_numbers import finite
from headrace.pipeline.wording import cell, printable
from headrace.schemas.errors import HeadraceError


def print_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(finite(value), allow_nan=False, indent=2, ensure_ascii=not _unicode(sys.stdout)))


@contextmanager
def users_code() -> Iterator[None]:
    """Run plug-ins: what they print goes to stderr, and one that ends the process ends it with a message."""
    try:
        with redirect_stdout(_Aside()):
            yield
    except SystemExit as error:
        what, why = "a stage or a plug-in ended the process", f"SystemExit: {error}"
        raise HeadraceError(what, why=why, remedy="raise an exception instead: it costs one document") from error


class _Aside(io.TextIOBase):
    """Standard error as plug-ins may print to it: one whose reader has left must not cost a document."""

    def write(self, text: str) -> int:
        """Write, if anybody reads it."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(text)
        return len(text)


def _unicode(stream: TextIO | None) -> bool:
    """Whether a stream takes every character, as JSON wants it: a replaced one would not be JSON."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, unbroken: Collection[str] = ()
) -> None:
    """Print a table; columns whose every value is a number stand to the right, `unbroken` ones keep their lines."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(columns):
        numeric = bool(rows) and all(_numeric(row[index]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold", no_wrap=name in unbroken)
    for row in rows:
        table.add_row(*(printable(cell(value)) for value in row))
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 120
    console.print(table)


def near_path(path: Path) -> Path:
    """Write a path from the current folder, if it lies in it."""
    path = path.resolve()
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _numeric(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
