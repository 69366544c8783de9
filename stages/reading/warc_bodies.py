"""The bytes of a page as a browser would see them, out of an HTTP response whose header need not be true.

Crawlers store bodies as they came or unpacked, and leave the header as it was in both cases.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headrace.stages.reading.formats import packing
from headrace.stages.reading.warc_chunks import unchunked
from headrace.stages.reading.warc_codings import unpacked
from headrace.stages.reading.warc_http import Response

_MOST_CODINGS = 4
_NAMES = {"x-gzip": "gzip", "gzip": "gzip", "deflate": "deflate", "br": "br", "zstd": "zstd"}
_MARKED = frozenset(("gzip", "zstd"))  # they begin with a magic number
_LOOKED_AT = 1 << 10
_TAG = re.compile(rb"\s*<[A-Za-z!?]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Body:
    """A page's bytes; `faults` names what was wrong and could be mended. Over the limit `data` is its beginning."""

    data: bytes
    faults: tuple[str, ...] = ()


def body_of(response: Response, most: int) -> Body:
    """Give a response's body without chunks and content codings; more than `most` bytes say that it is longer."""
    plain = unchunked(response.body, announced="chunked" in response.fields.get("transfer-encoding", "").lower())
    faults = [name for name, holds in (("chunks_cut", plain.cut), ("chunk_size_wrong", plain.wrong)) if holds]
    data = plain.body
    for coding in _codings(response, data):
        if coding in _MARKED and packing(data[:4]) != coding:
            continue  # it was undone before
        output = unpacked(data, coding, most)
        if not output.whole and coding not in _MARKED and looks_like_text(data):
            continue
        if not output.data and data:
            return Body(data, (*faults, f"{coding}_unreadable"))
        if not output.whole and len(output.data) <= most:
            faults.append(f"{coding}_cut")
        data = output.data
    return Body(data, tuple(faults))


def _codings(response: Response, data: bytes) -> list[str]:
    """Give the codings in the order they are undone in; one that no header announced is told by its magic number."""
    announced = response.fields.get("content-encoding", "").lower().replace(" ", "").split(",")
    known = [_NAMES[name] for name in reversed(announced) if name in _NAMES][:_MOST_CODINGS]
    found = packing(data[:4])
    return known if known or found is None else [found]


def looks_like_text(data: bytes) -> bool:
    """Say whether data begins with a tag, or with 1 KiB that no packed data has: no control character in it."""
    head = data[:_LOOKED_AT]
    return _TAG.match(head) is not None or _CONTROL.search(head) is None
