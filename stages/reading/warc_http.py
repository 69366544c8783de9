"""Take an HTTP response apart as a crawler stored it (RFC 9112): status, header fields, body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_STATUS = re.compile(rb"HTTP(?:/\d(?:\.\d{1,2})?)?[ \t]+(\d{3})(?!\d)")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)

_RIGHTS = ("tdm-policy", "tdm-reservation", "x-robots-tag")
_LICENCE_LINK = re.compile(r"rel=\"?[^\",;]{0,200}\blicen[sc]e", re.IGNORECASE)
_LONGEST = 1000  # characters of a field that is kept


@dataclass(frozen=True, slots=True)
class Response:
    """One response: `fields` by lower-case name, values of a repeated name joined; `body` as it was sent."""

    status: int
    fields: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """Give the media type with its parameters, empty where the server named none."""
        return self.fields.get("content-type", "")


def response_of(block: bytes) -> Response | None:
    """Read a response; None where the block does not begin with a status line."""
    status = _STATUS.match(block)
    if status is None:
        return None
    end = _HEAD_END.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    return Response(int(status[1]), _fields(head), body)


def rights_headers(fields: Mapping[str, str]) -> dict[str, str] | None:
    """Give the fields that say what may be done with a page, None where there are none."""
    found = {name: fields[name][:_LONGEST] for name in _RIGHTS if name in fields}
    if _LICENCE_LINK.search(fields.get("link", "")):
        found["link"] = fields["link"][:_LONGEST]
    return found or None


def media_type(content_type: str) -> str:
    """Give the media type without its parameters, in lower case."""
    return content_type.partition(";")[0].partition(",")[0].strip().lower()


def charset_of(content_type: str) -> str | None:
    """Give the charset that a Content-Type names."""
    found = _CHARSET.search(content_type)
    return found[1] if found else None


def _fields(head: bytes) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in head.decode("latin-1").split("\n")[1:]:
        if line[:1] in (" ", "\t"):  # a folded line
            fields[name] = f"{fields.get(name, '')} {line.strip()}".strip()
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon:
            joint = "\n" if name == "x-robots-tag" else ", "  # an agent of one field does not rule the next
            fields[name] = f"{fields[name]}{joint}{value.strip()}" if name in fields else value.strip()
    return fields
