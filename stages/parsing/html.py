"""Web pages: the main text of each, its title, and what it says about licences and robots."""

from __future__ import annotations

import re

import pyarrow as pa

from headrace.stages.licensing.pages import KEY, rights_of
from headrace.stages.parsing.extraction.engines import Engine, extractor
from headrace.stages.parsing.extraction.titles import title_of
from headrace.stages.parsing.json_values import spelled
from headrace.stages.parsing.outcomes import Outcomes
from headrace.stages.reading.columns import strings

# The root of a site map (sitemaps.org, protocol 0.9): a list of addresses for crawlers, which no reader sees.
_SITE_MAP = re.compile(r"<(?:\w{1,20}:)?(?:urlset|sitemapindex)[\s>]")
_ROOT_WITHIN = 2048


def parse_pages(records: pa.Table, engine: Engine) -> pa.Table:
    """Make a document of each page that has a main text."""
    outcomes, main_text = Outcomes(records, placed=False), extractor(engine)
    for row, page in enumerate(strings(records["text"])):
        text = "" if _is_site_map(page) else main_text(page)
        if text:
            said = {"title": title_of(page), KEY: rights_of(page)}
            known = {name: value for name, value in said.items() if value}
            outcomes.keep(row, text, None, spelled(known) if known else None)
        else:
            outcomes.refuse(row, "empty", "the page has no main text", None)
    return outcomes.table()


def _is_site_map(page: str) -> bool:
    head = page[:_ROOT_WITHIN].lstrip("\ufeff \r\n\t")
    return head.startswith(("<?xml", "<urlset", "<sitemapindex")) and _SITE_MAP.search(head) is not None
