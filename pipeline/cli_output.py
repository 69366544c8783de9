"""What commands print to stdout: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from headrace.pipeline.wording import cell


def print_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; columns whose every value is a number stand to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(columns):
        numeric = bool(rows) and all(_numeric(row[index]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell(value) for value in row))
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
