"""From characters of a document's text to the bytes of the file that it was read from.

A text may have been changed on its way (markup taken out, mojibake repaired, numbers masked). So the bytes are not
calculated but looked for: the token with what stands around it, in the bytes of its record, which must hold it once.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from headrace.pipeline.committed import Committed
from headrace.pipeline.tracing.record import Record
from headrace.pipeline.tracing.span import Span
from headrace.schemas.errors import HeadraceError
from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.content import open_content
from headrace.stages.reading.stream import StreamFaultError

_AROUND = (1 << 30, 1024, 256, 64, 32, 16)  # characters on each side: the most that the record holds as they are
_FEWEST = 8  # characters in all: fewer may be there by chance, unless they are the whole text
_CHANGED = "the text was changed on its way, or is in the record more than once"


@dataclass(frozen=True, slots=True)
class SourceBytes:
    """Bytes [begin, end) of the unpacked content of a file, compared with the token; or why they are not known."""

    begin: int | None = None
    end: int | None = None
    why: str = ""


def source_bytes(committed: Committed, record: Record, text: str, span: Span) -> SourceBytes:
    """Find the bytes of some characters of a document."""
    if record.member is not None:
        return SourceBytes(why="it is a member of an archive or of a WARC file: offsets count in its own content")
    if committed.plan["recipe"].get("rerun") or "places" not in committed.plan:
        return SourceBytes(why="the run began with what another run had stored: ask that one")
    try:
        content = _content(committed, record)
    except (HeadraceError, StreamFaultError, OSError) as error:
        return SourceBytes(why=f"the file cannot be read as it was: {error}")
    for looked_for, before, size in _spellings(text, span, record.encoding or "utf-8"):
        at = content.find(looked_for)
        if at >= 0 and content.find(looked_for, at + 1) < 0:
            begin = record.offset + at + before
            return SourceBytes(begin, begin + size)
    return SourceBytes(why=_CHANGED)


def _content(committed: Committed, record: Record) -> bytes:
    """Read the bytes of the record; the file must be the one that the plan lists."""
    places, recipe = committed.plan["places"], committed.plan["recipe"]
    listed = {(name, path): InputFile(path, size, mtime) for name, path, size, mtime, *_ in committed.plan["inputs"]}
    sources = {source.name: source for source in map(Source.model_validate, recipe["sources"])}
    source = sources[record.source]
    file = listed[record.source, record.path]
    content = open_content(places["roots"].get(record.source, ""), file, source)
    try:
        content.move_to(record.offset)
        size = source.max_record_bytes if record.following is None else record.following - record.offset
        return content.read(size)
    finally:
        content.close()


def _spellings(text: str, span: Span, encoding: str) -> Iterator[tuple[bytes, int, int]]:
    """Give what to look for, widest first: the bytes, how many stand before the token's, and how many it has."""
    for around in _AROUND:
        parts = text[max(0, span.begin - around) : span.begin], text[span.begin : span.end], text[span.end :][:around]
        if sum(map(len, parts)) < min(_FEWEST, len(text)):
            return
        for written in _WRITTEN.values():
            try:
                before, token, behind = (written(part).encode(encoding) for part in parts)
            except (UnicodeError, LookupError):
                continue
            yield before + token + behind, len(before), len(token)


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _in_ascii_json(text: str) -> str:
    return json.dumps(text)[1:-1]


# How a character may be written in a record: as it is, escaped in JSON, escaped in markup.
_WRITTEN: Mapping[str, Callable[[str], str]] = {
    "plain": str,
    "json": _in_json,
    "ascii": _in_ascii_json,
    "markup": html.escape,
}
