"""What takes the main text out of a page: Headrace's own extractor, or one of two libraries."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import Literal

from headrace.schemas.errors import HeadraceError
from headrace.stages.parsing.json_values import mended_text
from headrace.stages.parsing.nesting import LENIENT, STRICT, too_deep, without_markup

Engine = Literal["headrace", "trafilatura", "resiliparse"]
Extractor = Callable[[str], str]

# docs/decisions/0011-html-extraction.md has the figures behind these numbers.
_CAREFUL_CHARACTERS, _CAREFUL_TAGS = 1_000_000, 20_000  # beyond, trafilatura takes seconds a page
_LEAST_SHARE = 0.1  # of resiliparse's text: less means that trafilatura lost the page


def extractor(engine: Engine) -> Extractor:
    """Give the function from a page to its main text, which is empty if the page shows none."""
    match engine:
        case "headrace":
            return by_headrace
        case "resiliparse":
            return by_resiliparse
        case "trafilatura":
            return by_trafilatura


def check_installed(engine: Engine) -> None:
    """Refuse an engine whose library is not there."""
    if engine == "trafilatura" and find_spec("trafilatura") is None:
        remedy = "pip install 'headrace[trafilatura]', or choose the engine headrace"
        raise HeadraceError("the engine trafilatura needs a library that is not installed", remedy=remedy)


def by_headrace(page: str) -> str:
    """Give the main text by Headrace's own extractor."""
    from headrace.stages.parsing.extraction.headrace import main_text

    page = mended_text(page).replace("\0", "")
    return without_markup(page) if too_deep(page, LENIENT) else main_text(page)


def by_resiliparse(page: str) -> str:
    """Give the main text by resiliparse; all text of a page in which it finds none."""
    page = mended_text(page).replace("\0", "")
    if too_deep(page, STRICT):
        return without_markup(page)
    return _quick(page, main=True) or _quick(page, main=False)


def by_trafilatura(page: str) -> str:
    """Give the main text by trafilatura; by resiliparse where that loses the page, or would take seconds."""
    page = mended_text(page).replace("\0", "")
    if too_deep(page, STRICT):
        return without_markup(page)
    whole = _quick(page, main=False)
    if not whole:  # trafilatura would keep a <noscript>
        return ""
    quick = _quick(page, main=True)
    careful = _careful()(page) if len(page) <= _CAREFUL_CHARACTERS and page.count("<") <= _CAREFUL_TAGS else ""
    if careful and len(careful) >= _LEAST_SHARE * len(quick):
        return careful
    return quick or whole


def _quick(page: str, *, main: bool) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(
        page, main_content=main, alt_texts=False, links=False, form_fields=False, noscript=False, comments=not main
    )
    return text.strip()


@functools.cache
def _careful() -> Extractor:
    check_installed("trafilatura")
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)  # its messages do not name the document

    def extract(page: str) -> str:
        text = trafilatura.extract(page, fast=True, include_comments=False)
        return (text or "").strip()

    return extract
