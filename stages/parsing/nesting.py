"""Pages nested so deeply that extractors take quadratic time or memory: how to know them, and how to read them."""

from __future__ import annotations

import html
import re
from collections import Counter

# Measured with resiliparse 2.0: 10,000 nested <div> take 7 s, 5,000 nested <ul> give 25 MB of indentation, and each
# paragraph repeats every formatting element that is open.
_FEW_TAGS = 1000
_MAX_OPEN = 500
_MAX_OPEN_FORMATTING = 50

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
_NEVER_NESTED = frozenset(  # no content, or closed by the next of their kind
    (
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup", "html", "body"),
    )
)
_HIDDEN = re.compile(r"<(script|style|noscript|template|head)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<[a-zA-Z/!?][^>]*(?:>|\Z)", re.DOTALL)
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


def too_deep(page: str) -> bool:
    """Say whether too many elements are open at once somewhere in the page."""
    if page.count("<") <= _FEW_TAGS:
        return False
    opened: Counter[str] = Counter()
    elements = formatting = 0
    for closing, tag in _TAG.findall(page):
        name = tag.lower()
        if name in _NEVER_NESTED or (closing and not opened[name]):
            continue
        step = -1 if closing else 1
        opened[name] += step
        elements += step
        formatting += step * (name in _FORMATTING)
        if elements > _MAX_OPEN or formatting > _MAX_OPEN_FORMATTING:
            return True
    return False


def without_markup(page: str) -> str:
    """Give all text of a page, a line for each stretch between tags."""
    text = html.unescape(_MARKUP.sub("\n", _HIDDEN.sub("\n", page)))
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()
