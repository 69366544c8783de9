"""Undo chunked transfer (RFC 9112, 7.1) by what a body is, not by what its header says.

Some crawlers keep the chunks, some store the body without them and leave the header as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIZE_LINE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_NEXT_SIZE_LINE = re.compile(rb"\r?\n(?=[0-9A-Fa-f]{1,8}[ \t]*(?:;[^\r\n]{0,1000})?\r?\n)")
_LINE_END = re.compile(rb"\r?\n")
_END = re.compile(rb"[\r\n]*\Z")


@dataclass(frozen=True, slots=True)
class Unchunked:
    """A body without its chunk sizes. `cut`: it ended before its last chunk; `wrong`: a size was a wrong one."""

    body: bytes
    cut: bool = False
    wrong: bool = False


def unchunked(body: bytes, *, announced: bool) -> Unchunked:
    """Give a body without chunk sizes, or as it is where it has none; unannounced ones must be faultless."""
    first = _SIZE_LINE.match(body)
    if first is None or (not announced and not _faultless(body)):
        return Unchunked(body)
    return _taken_apart(body)


def _faultless(body: bytes) -> bool:
    at = 0
    while line := _SIZE_LINE.match(body, at):
        size = int(line[1], 16)
        if not size:
            return at > 0
        end = _LINE_END.match(body, line.end() + size)
        if end is None:
            return False
        at = end.end()
    return False


def _taken_apart(body: bytes) -> Unchunked:
    pieces: list[bytes] = []
    at, wrong = 0, False
    while line := _SIZE_LINE.match(body, at):
        size = int(line[1], 16)
        if not size:
            return Unchunked(b"".join(pieces), wrong=wrong)
        end = _end_of_chunk(body, line.end(), size)
        if end is None and line.end() + size < len(body):
            if not pieces:
                return Unchunked(body)  # a text whose first line is a hexadecimal number
            break
        stop, at = end or (len(body), len(body))
        pieces.append(body[line.end() : stop])
        wrong |= end is not None and stop - line.end() != size
    return Unchunked(b"".join((*pieces, body[at:])), cut=at == len(body), wrong=wrong or at < len(body))


def _end_of_chunk(body: bytes, begin: int, size: int) -> tuple[int, int] | None:
    """Give where a chunk ends and the next size line begins; where the size is wrong, before the next size that is not.

    None: no chunk follows.
    """
    end = _LINE_END.match(body, begin + size)
    if end is not None:
        return end.span()
    return next((m.span() for m in _NEXT_SIZE_LINE.finditer(body, begin) if _is_size(body, m.end())), None)


def _is_size(body: bytes, at: int) -> bool:
    line = _SIZE_LINE.match(body, at)
    if line is None:
        return False
    size = int(line[1], 16)
    return _LINE_END.match(body, line.end() + size) is not None if size else _END.match(body, line.end()) is not None
