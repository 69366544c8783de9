"""What a web page says about its own charset, in its first bytes."""

from __future__ import annotations

import re

_LOOKED_AT = 4096
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{2,40})[\"']", re.IGNORECASE)


def declared_in(page: bytes) -> str | None:
    """Give the charset of the XML declaration or of the first <meta> that names one."""
    head = page[:_LOOKED_AT]
    found = _XML.search(head) or _META.search(head)
    return found[1].decode() if found else None
