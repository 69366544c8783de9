"""`headrace read`: files as decoded and repaired text, for people who want only that."""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import click

from headrace.pipeline.cli_rows import Rows, RowsAsJson, RowsAsText
from headrace.schemas.errors import ConfigError, HeadraceError

if TYPE_CHECKING:
    from headrace.pipeline.read_files import Row
    from headrace.schemas.source import Source
    from headrace.stages.base import Stage

T = TypeVar("T")
_STDIN = "-"


@click.command(short_help="Print files as decoded, parsed and repaired text.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--decode-only", is_flag=True, help="Print what was decoded, to the character: no parsing, no repair.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON line for each document and each fault.")
@click.option("-q", "--quiet", is_flag=True, help="Beside the text, say only what is wrong.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after N documents.")
@click.option("--format", metavar="FORMAT", help="Read as text, json, jsonl, csv or html, whatever it looks like.")
@click.option("--records", metavar="UNIT", help="A document of plain text is a file, lines or paragraphs.")
@click.option("--text-field", metavar="NAME", help="Field or column that holds the text.")
@click.option("--encoding", metavar="CHARSET", help="What the files are said to be in: a prior beside the detector.")
@click.option("--force-encoding", metavar="CHARSET", help="Decode with this charset, whatever the bytes look like.")
@click.option("--max-damage", type=click.FloatRange(0, 1), metavar="SHARE", help="Largest share that may be lost.")
@click.pass_context
def read(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    *,
    decode_only: bool,
    as_json: bool,
    quiet: bool,
    limit: int | None,
    force_encoding: str | None,
    max_damage: float | None,
    **described: str | None,
) -> None:
    """Print FILE... as text: files, folders, globs, archives, s3:// addresses, - for standard input.

    The text alone goes to standard output, as UTF-8; charsets, repairs and faults go to standard error. What cannot be
    read or decoded is named, the rest is printed, and the exit code is 1.
    """
    from headrace.pipeline.charset_names import check_charset

    if max_damage is not None and math.isnan(max_damage):
        raise click.BadParameter("a share is a number from 0 to 1.", param_hint="'--max-damage'")
    if sys.stdout is None:
        raise HeadraceError("there is nowhere to print to", why="standard output is closed")
    for charset in (described["encoding"], force_encoding):
        if charset is not None:
            check_charset(charset)
    source = _source(_given(described))
    stages = _stages(_given({"encoding": force_encoding, "max_damage": max_damage}), decode_only=decode_only)
    rows: Rows = RowsAsJson() if as_json else RowsAsText(verbatim=decode_only, quiet=quiet)
    found = chain.from_iterable(_rows(name, source, stages) for name in files)
    for row in found:
        rows.print(row)
        if rows.documents == limit:
            break
    rows.end()
    if rows.faults:
        ctx.exit(1)


def _rows(name: str, source: Source, stages: list[Stage]) -> Iterator[Row]:
    from headrace.pipeline.read_files import read_rows

    if name != _STDIN and not Path(name).is_fifo():  # <(command) is a pipe
        yield from read_rows(name, source, stages)
        return
    with _pipe(name) as pipe, tempfile.NamedTemporaryFile(prefix="headrace-") as spooled:
        shutil.copyfileobj(pipe, spooled)  # readers look at the beginning first
        spooled.flush()
        for row in read_rows(spooled.name, source, stages):
            yield {**row, "path": name}


def _pipe(name: str) -> AbstractContextManager[BinaryIO]:
    if name != _STDIN:
        return Path(name).open("rb")
    if sys.stdin is None:
        raise HeadraceError("standard input cannot be read", why="it is closed", remedy="name files")
    return nullcontext(sys.stdin.buffer)


def _given(options: Mapping[str, T | None]) -> dict[str, T]:
    return {name: value for name, value in options.items() if value is not None}


def _source(options: dict[str, str]) -> Source:
    from pydantic import ValidationError

    from headrace.schemas.source import Source

    try:
        return Source.model_validate({"name": "read", "paths": [_STDIN], **options})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option, said = str(first["loc"][-1]).replace("_", "-"), first["msg"].removeprefix("Value error, ")
        remedy = "see `headrace read --help`"
        raise ConfigError(f"--{option} {first['input']!r} cannot be", why=said, remedy=remedy) from error


def _stages(decoding: dict[str, object], *, decode_only: bool) -> list[Stage]:
    from headrace.pipeline.read_files import stage

    decode = stage("decode", **decoding)
    return [decode] if decode_only else [decode, stage("parse"), stage("repair")]
