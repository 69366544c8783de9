"""Where a piece of a text lies in the bytes that the text was read from, though it may be written otherwise there.

Bytes are never calculated: the token is looked for with the text around it, and a place counts only if the bytes hold
that stretch as often as the text does. Then the first one belongs to the first one, the second to the second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html.entities import codepoint2name
from typing import TypeVar

from headrace.pipeline.tracing.span import Span

# Characters before and behind the token, most first: as many as are there unchanged. In markup a tag may be near.
_AROUND = tuple((n, n) for n in (1 << 30, 1024, 256, 64, 32, 16))
_AROUND_IN_MARKUP = ((64, 64), (32, 32), (16, 16), (8, 8), (24, 0), (0, 24), (12, 0), (0, 12))
_FEWEST = 8  # characters in all: fewer may be there by chance, unless they are the whole text
_SPACES = rb"(?:\s|&nbsp;|&#160;)+"
_ENTITY = re.compile(rb"(?:#\w+|\w+);")
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def find(content: bytes, text: str, span: Span, encoding: str) -> tuple[int, int] | None:
    """Give where the bytes of some characters of a text begin and end in the content of its record, if that is sure."""
    for before, token, behind in _stretches(text, span, _AROUND):
        found = _as_written(content, text, span.begin - len(before), (before, token, behind), encoding)
        if found:
            return found
    if _is_narrow(encoding) and not _splits_space(text, span):
        for before, token, behind in _stretches(text, span, _AROUND_IN_MARKUP):
            found = _in_markup(content, text, span.begin - len(before), (before, token, behind), encoding)
            if found:
                return found
    return None


S = TypeVar("S", str, bytes)
_Parts = tuple[str, str, str]  # what stands before the token, the token, what stands behind it


def _stretches(text: str, span: Span, widths: Sequence[tuple[int, int]]) -> Iterator[_Parts]:
    for left, right in widths:
        parts = text[max(0, span.begin - left) : span.begin], text[span.begin : span.end], text[span.end :][:right]
        if sum(map(len, parts)) >= min(_FEWEST, len(text)):
            yield parts


def _as_written(content: bytes, text: str, at: int, parts: _Parts, encoding: str) -> tuple[int, int] | None:
    """Look for the stretch as it is, and as JSON writes it."""
    places = _places(text, "".join(parts))
    if at not in places:
        return None
    for write in _WRITERS:
        try:
            before, token, behind = (_encoded(part, encoding, write) for part in parts)
        except (UnicodeError, LookupError):
            continue
        found = _places(content, before + token + behind)
        if len(found) == len(places):
            begin = found[places.index(at)] + len(before)
            end = begin + len(token)
            return None if _cuts_entity(content, end) else (begin, end)
    return None


def _cuts_entity(content: bytes, end: int) -> bool:
    """Whether an ampersand that ends here begins an entity."""
    return content[:end].endswith(b"&") and _ENTITY.match(content, end) is not None


def _encoded(part: str, encoding: str, write: Callable[[str], str]) -> bytes:
    return write(part).encode(encoding)


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _in_ascii_json(text: str) -> str:
    return json.dumps(text)[1:-1]


# What is escaped comes first: it may hold the other one, from its second half on.
_WRITERS: tuple[Callable[[str], str], ...] = (_in_ascii_json, _in_json, str)


def _places(whole: S, part: S) -> list[int]:
    """Give where a stretch begins, each time after the end of the one before."""
    found, at = [], whole.find(part)
    while at >= 0:
        found.append(at)
        at = whole.find(part, at + len(part))
    return found


def _in_markup(content: bytes, text: str, at: int, parts: _Parts, encoding: str) -> tuple[int, int] | None:
    """Look for the stretch with any white space where it has some, and with entities for characters."""
    places = [match.start() for match in re.finditer(_any_space("".join(parts)), text)]
    if at not in places:
        return None
    try:
        before, token, behind = (_markup(part, encoding) for part in parts)
    except (UnicodeError, LookupError):
        return None
    found = [match.span(1) for match in re.finditer(before + b"(" + token + b")" + behind, content)]
    return found[places.index(at)] if len(found) == len(places) else None


def _splits_space(text: str, span: Span) -> bool:
    """Whether the token begins or ends within white space: which part of what is there is then not known."""
    return any(
        text[max(0, border - 1) : border + 1].isspace() and 0 < border < len(text) for border in (span.begin, span.end)
    )


def _any_space(text: str) -> str:
    return "".join(r"\s+" if word.isspace() else re.escape(word) for word in _WORDS.findall(text))


def _markup(text: str, encoding: str) -> bytes:
    return b"".join(
        _SPACES if word.isspace() else b"".join(_sign(s, encoding) for s in word) for word in _WORDS.findall(text)
    )


def _sign(sign: str, encoding: str) -> bytes:
    """Give the ways to write a character in markup: as it is, by its name, by its number."""
    if sign.isascii() and sign.isalnum():
        return sign.encode()
    number = ord(sign)
    ways = [b"&#0*%d;" % number, b"&#[xX]0*(?i:%x);" % number]
    if name := codepoint2name.get(number):
        ways.append(b"&%s;" % name.encode())
    return b"(?:" + b"|".join([*ways, re.escape(sign.encode(encoding))]) + b")"


def _is_narrow(encoding: str) -> bool:
    """Whether ASCII is written as ASCII, as patterns of bytes expect."""
    try:
        return "a<".encode(encoding) == b"a<"
    except LookupError:
        return False
