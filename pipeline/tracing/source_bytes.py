"""From characters of a document's text to the bytes of the file that it was read from."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.pipeline.committed import Committed
from headrace.pipeline.tracing.finding import find
from headrace.pipeline.tracing.record import Stored
from headrace.pipeline.tracing.span import Span
from headrace.schemas.errors import HeadraceError
from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.content import open_content
from headrace.stages.reading.stream import StreamFaultError


@dataclass(frozen=True, slots=True)
class SourceBytes:
    """Bytes [begin, end) of the unpacked content of a file, compared with the token; or why they are not known."""

    begin: int | None = None
    end: int | None = None
    why: str = ""


def source_bytes(committed: Committed, document: Stored, text: str, span: Span) -> SourceBytes:
    """Find the bytes of some characters of a document.

    A text may have been changed on its way: markup taken out, mojibake repaired, numbers masked. Then its bytes are
    known where enough around them is as it was.
    """
    record = document.record
    if document.doc_id.startswith(f"{record.source}:{record.path}!"):
        return SourceBytes(why="it is a member of an archive: offsets count in the member")
    if committed.plan["recipe"].get("rerun") or "places" not in committed.plan:
        return SourceBytes(why="the run began with what another run had stored: ask that one")
    try:
        content = _content(committed, document)
    except (HeadraceError, StreamFaultError, OSError) as error:
        return SourceBytes(why=f"the file cannot be read as it was: {error}")
    found = find(content, text, span, record.encoding or "utf-8")
    if found is None:
        return SourceBytes(why="the text around it was changed on its way, or does not tell which bytes of several")
    return SourceBytes(record.offset + found[0], record.offset + found[1])


def _content(committed: Committed, document: Stored) -> bytes:
    """Read the bytes of the record; the file must be the one that the plan lists."""
    record = document.record
    places, recipe = committed.plan["places"], committed.plan["recipe"]
    listed = {(name, path): InputFile(path, size, mtime) for name, path, size, mtime, *_ in committed.plan["inputs"]}
    sources = {source.name: source for source in map(Source.model_validate, recipe["sources"])}
    source, file = sources[record.source], listed[record.source, record.path]
    content = open_content(places["roots"].get(record.source, ""), file, source)
    try:
        content.move_to(record.offset)
        size = source.max_record_bytes if record.following is None else record.following - record.offset
        return content.read(size)
    finally:
        content.close()
