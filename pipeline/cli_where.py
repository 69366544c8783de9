"""`headrace where`: from a token of a shard back to the bytes of the file that it was read from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN
from headrace.pipeline.cli_output import print_json
from headrace.pipeline.wording import printable

if TYPE_CHECKING:
    from headrace.pipeline.tracing.source_bytes import SourceBytes
    from headrace.pipeline.tracing.where import Found

_AROUND = 30  # characters that are shown on each side of a token


@click.command(short_help="Say which document and which source bytes a token comes from.")
@RUN
@click.argument("shard")
@click.argument("sequence", type=click.IntRange(min=0))
@click.argument("position", type=click.IntRange(min=0))
@AS_JSON
def where(run: Path, shard: str, sequence: int, position: int, *, as_json: bool) -> None:
    """Trace the token at POSITION of SEQUENCE in SHARD back to its document and to the bytes it was read from.

    SHARD is a manifest line or the name of a file in shards/, as `headrace inspect` shows them, or `run`: then
    sequences are counted through the whole run, as loaders number their samples. All count from 0.
    """
    from headrace.pipeline.tracing.where import where as look_up

    found = look_up(run, shard, sequence, position)
    if as_json:
        print_json(found.to_json())
        return
    for name, text in _lines(found):
        click.echo(f"{name:<10}{printable(text)}")


def _lines(found: Found) -> Iterator[tuple[str, str]]:
    at, document = found.token, found.document
    shard = f"{at.shard.file.name} (manifest line {at.line.index})"
    yield "place", f"{shard}, sequence {at.sequence}, position {at.position}"
    if document is None:
        yield "padding", f"id {at.id}: the sequence has {at.length:,} tokens"
        return
    yield "token", f"id {at.id}" if found.forgotten else f"id {at.id}, '{found.piece}'"
    yield "document", f"{document.doc_id}, token {at.index:,} of {at.tokens:,} (unit {at.unit}, row {at.row})"
    if document.url:
        yield "url", document.url
    yield "text", "(forgotten on request)" if found.forgotten else _in_context(found, document.text)
    record = document.record
    member = f", member {record.member}" if record.member else ""
    yield "source", f"{record.source}: {record.path}{member}, record at byte {record.offset:,}, {record.encoding}"
    if found.bytes:
        yield "bytes", _bytes(found.bytes)


def _in_context(found: Found, text: str | None) -> str:
    if text is None:
        return "(not stored)"
    if found.span is None:
        return "no character: a special id, or the text cannot be told from the ids"
    begin, end = found.span.begin, found.span.end
    before, behind = text[max(0, begin - _AROUND) : begin], text[end : end + _AROUND]
    return f"characters {begin:,} to {end:,}: {before}[{text[begin:end]}]{behind}"


def _bytes(place: SourceBytes) -> str:
    if place.begin is None or place.end is None:
        return f"not known: {place.why}"
    return f"{place.begin:,} to {place.end:,} of the file (unpacked, if it is packed)"
