"""`headrace export`: a run's tokens in the format of another loader."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN
from headrace.pipeline.cli_output import print_json
from headrace.pipeline.wording import percent, size_words

if TYPE_CHECKING:
    from headrace.pipeline.exporting.export import Exported
    from headrace.pipeline.exporting.reading import Grain

_FORMATS = ("megatron", "tfrecord", "mds", "litdata", "npy")


@click.command(short_help="Write a run's tokens for another loader: Megatron, TFRecord, MDS, LitData, NumPy.")
@RUN
@click.option("--to", required=True, type=click.Choice(_FORMATS), help="The format.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="A new or empty folder.")
@click.option(
    "--rows",
    "grain",
    type=click.Choice(["sequences", "documents"]),
    help="Packed sequences as they are, or documents put together again. By default documents for megatron, which "
    "packs by itself, and sequences for the others.",
)
@click.option("--file-bytes", default=1 << 26, show_default=True, metavar="N", help="About how large a file becomes.")
@click.option("--unfinished", is_flag=True, help="Export what is committed of a run that goes on.")
@AS_JSON
def export(
    run: Path, *, to: str, out: Path, grain: Grain | None, file_bytes: int, unfinished: bool, as_json: bool
) -> None:
    """Write the tokens of RUN to DIR in a format that another loader reads.

    Every shard is hashed first. DIR appears when all is there, or not at all; the same run gives the same bytes. What
    is forgotten on request stays away. DIR/headrace.json has the SHA-256 of every file, DIR/rows.parquet where each
    row comes from.
    """
    from headrace.pipeline.exporting.export import Wanted
    from headrace.pipeline.exporting.export import export as write_export

    found = write_export(run, out, Wanted(to, grain, file_bytes, unfinished), _say if sys.stderr.isatty() else None)
    if as_json:
        print_json({"folder": str(out), **found.to_json()})
        return
    for name, text in _lines(found):
        click.echo(f"{name:<10}{text}")


def _say(done: int, shards: int) -> None:
    """Let a person watch."""
    click.echo(f"\r{done:,} of {shards:,} shards", nl=done == shards, err=True)


def _lines(found: Exported) -> Iterator[tuple[str, str]]:
    yield "exported", f"{found.count:,} {found.rows}, {found.tokens:,} tokens, as {found.format} to {found.folder}"
    yield "files", f"{len(found.files):,}, {size_words(sum(ref.bytes for ref in found.files))}"
    if found.padding:
        yield "padding", f"{found.padding:,} ids, {percent(found.padding / (found.tokens + found.padding))}"
    if found.left_out:
        yield "left out", f"{found.left_out:,} {found.rows} with {found.left_out_tokens:,} tokens: forgotten on request"
    if not found.finished:
        yield "so far", "the run is not finished: this is what it had committed"
