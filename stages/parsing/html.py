"""The main text of a web page, and its title."""

from __future__ import annotations

import functools
import html
import logging
import re
from collections.abc import Callable

import pyarrow as pa

from headrace.stages.parsing.json_values import mended_text, spelled
from headrace.stages.parsing.nesting import too_deep, without_markup
from headrace.stages.parsing.outcomes import Outcomes
from headrace.stages.reading.columns import strings

# docs/decisions/0011-html-extraction.md has the figures behind the choice and these numbers.
_CAREFUL_CHARACTERS, _CAREFUL_TAGS = 1_000_000, 20_000  # beyond, the careful extractor takes seconds a page
_LEAST_SHARE = 0.1  # of the quick extractor's text: less means that the careful one lost the page
_TITLE_WITHIN = 1 << 16
_TITLE = re.compile(r"<title[^>]{0,200}>(.{1,1000}?)</title", re.IGNORECASE | re.DOTALL)


def parse_pages(records: pa.Table) -> pa.Table:
    """Make a document of each page that has a main text."""
    outcomes = Outcomes(records, placed=False)
    for row, page in enumerate(strings(records["text"])):
        text = main_text(page)
        if text:
            title = _title(page)
            outcomes.keep(row, text, None, spelled({"title": title}) if title else None)
        else:
            outcomes.refuse(row, "empty", "the page has no main text", None)
    return outcomes.table()


def main_text(page: str) -> str:
    """Give the main text of a page, empty if it shows none."""
    page = page.replace("\0", "")
    if too_deep(page):
        return without_markup(page)
    whole = _quick(page, main=False)
    if not whole:
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
    return mended_text(text.strip())


@functools.cache
def _careful() -> Callable[[str], str]:
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)  # its messages do not name the document

    def extract(page: str) -> str:
        text = trafilatura.extract(page, fast=True, include_comments=False)
        return mended_text((text or "").strip())

    return extract


def _title(page: str) -> str | None:
    found = _TITLE.search(page, 0, _TITLE_WITHIN)
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    return mended_text(title) or None
