"""What a page is: by its media type first, then by its first bytes, since servers call anything text/html."""

from __future__ import annotations

from headrace.stages.reading.formats import HEAD_BYTES, foreign, is_html, is_text, packing
from headrace.stages.reading.wide import bom_of, wide_by_zeros

_HTML = frozenset(("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "text/vnd.wap.wml"))
_XML = frozenset(("application/xml", "text/xml"))
_JSON = frozenset(("application/json", "text/json"))
_UNTOLD = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown", "*/*"))
_PARTS = frozenset(  # of pages: nobody means them when they say text
    (
        *("text/css", "text/javascript", "text/ecmascript", "text/x-javascript", "text/js", "text/dns"),
        *("application/javascript", "application/x-javascript", "application/ecmascript"),
        *("text/calendar", "text/vcard", "text/x-vcard", "text/x-component", "text/cache-manifest"),
        *("text/vnd.wap.wmlscript", "image/svg+xml"),
    )
)
_TEXT = frozenset(("application/text", "application/txt", "application/markdown", "application/x-ndjson"))


def promised(media_type: str) -> str | None:
    """Name the format that a media type promises; `unknown` where it promises nothing, None where it is no text."""
    if media_type in _HTML:
        return "html"
    if media_type in _JSON or media_type.endswith("+json"):
        return "json"
    if media_type in _PARTS:
        return None
    if media_type in _XML or media_type.endswith("+xml"):
        return "xml"
    if media_type.startswith("text/") or media_type in _TEXT:
        return "text"
    return "unknown" if media_type in _UNTOLD or "/" not in media_type else None


def found(promise: str, data: bytes) -> tuple[str | None, str]:
    """Give the format of a page and what it seems to be; None where it is no text."""
    head = data[:HEAD_BYTES]
    other = foreign(head) or packing(head) or ("zip" if head.startswith(b"PK\x03\x04") else None)
    if other:
        return None, other
    if not head or bom_of(head) or wide_by_zeros(head):
        return ("text" if promise == "unknown" else promise), "text"
    if not is_text(head):
        return None, "binary"
    if promise in ("text", "unknown"):
        return ("html" if is_html(head) else "text"), "text"
    return promise, promise
