"""Pages nested so deeply that parsers take quadratic time or memory: how to know them, and how to read them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from headrace.schemas.arrays import read_only
from headrace.stages.kernels.extraction_model import Numbers
from headrace.stages.kernels.extraction_nesting import (
    ATTRIBUTES,
    FORMATS,
    NESTS,
    NEVER_NESTS,
    OPEN_ELEMENTS,
    REOPENED,
    TEXT_ONLY,
    nesting,
)
from headrace.stages.parsing.extraction.markup import automata
from headrace.stages.parsing.extraction.tags import TAGS

_FORMATTING = "b big code em font i s small strike strong tt u"
_TEXT_ONLY = "script style textarea title iframe noembed noframes xmp"
_NEVER_NESTED = """a area base basefont bgsound body br col dd dt embed frame hr html img input keygen li link meta nobr
    optgroup option p param source tbody td tfoot th thead tr track wbr"""  # empty, or closed by the next of their kind

_HIDDEN = re.compile(r"<(script|style|noscript|template|head)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<[a-zA-Z/!?][^>]*(?:>|\Z)", re.DOTALL)
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much nesting an extractor bears. Counts decide, never seconds, so that they decide alike everywhere."""

    open_elements: int
    reopened: int = 100_000  # 4.5 million of them take 11 s and 2 GB (resiliparse 2.0)
    attributes: int = 10_000  # in one tag; unlike names are compared with one another, 30,000 take 1.3 s


LENIENT = Limits(open_elements=100_000)  # where all is linear in the depth
STRICT = Limits(
    open_elements=500
)  # where 10,000 nested <div> take 7 s, and 5,000 nested <ul> give 25 MB of indentation


def too_deep(page: str, limits: Limits) -> bool:
    """Say whether a page nests more than an extractor bears."""
    found = nesting(np.frombuffer(page.encode(), np.uint8), automata(), _kinds())
    return bool(
        found[OPEN_ELEMENTS] > limits.open_elements
        or found[REOPENED] > limits.reopened
        or found[ATTRIBUTES] > limits.attributes
    )


@cache
def _kinds() -> Numbers:
    listed = {NEVER_NESTS: _NEVER_NESTED, FORMATS: _FORMATTING, TEXT_ONLY: _TEXT_ONLY}
    kinds = {name: kind for kind, names in listed.items() for name in names.split()}
    return read_only(np.array([kinds.get(name, NESTS) for name in TAGS], np.int32))


def without_markup(page: str) -> str:
    """Give all text of a page, a line for each stretch between tags."""
    text = html.unescape(_MARKUP.sub("\n", _HIDDEN.sub("\n", page)))
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()
