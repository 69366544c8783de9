"""The title in the head of a page."""

from __future__ import annotations

import html
import re

from headrace.stages.parsing.json_values import mended_text

_TITLE_WITHIN = 1 << 16
_TITLE = re.compile(r"<title[^>]{0,200}>(.{1,1000}?)</title", re.IGNORECASE | re.DOTALL)


def title_of(page: str) -> str | None:
    """Give the title in the head of a page."""
    found = _TITLE.search(page, 0, _TITLE_WITHIN)
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    return mended_text(title) or None
