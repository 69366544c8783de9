"""Runs peers over pages, one at a time, as it is asked: `python extraction_pages.py`, JSON lines in, JSON lines out.

The first line gives all pages; the answer names the peers that are installed, with their versions. Each further line
asks one peer for one page; the answer is its text and the seconds that this took.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from importlib import metadata

Peer = Callable[[str], str]


def trafilatura_fast() -> Peer:
    import trafilatura

    return lambda page: trafilatura.extract(page, fast=True) or ""


def trafilatura_without_comments() -> Peer:
    """Do what the others do: comments under a text are no part of it."""
    import trafilatura

    return lambda page: trafilatura.extract(page, fast=True, include_comments=False) or ""


def trafilatura_default() -> Peer:
    import trafilatura

    return lambda page: trafilatura.extract(page) or ""


def resiliparse_main() -> Peer:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: extract_plain_text(page, main_content=True, alt_texts=False, comments=False) or ""


def readability_lxml() -> Peer:
    import lxml.html
    from readability import Document

    return lambda page: lxml.html.fromstring(Document(page).summary()).text_content()


def justext_auto() -> Peer:
    """Choose the list of stop words by the page's own language, as far as it says one and there is a list."""
    import re

    import justext

    lists = {"en": "English", "de": "German", "es": "Spanish", "fr": "French", "it": "Italian", "pl": "Polish"}
    stops = {code: justext.get_stoplist(name) for code, name in lists.items()}

    def extract(page: str) -> str:
        said = re.search(r"<html[^>]*\blang=[\"']?([a-z]{2})", page, re.IGNORECASE)
        words = stops.get(said[1].lower() if said else "en", stops["en"])
        return "\n".join(part.text for part in justext.justext(page.encode(), words) if not part.is_boilerplate)

    return extract


def selectolax_text() -> Peer:
    """Give all text: selectolax has no main content, only the fastest parser."""
    from selectolax.lexbor import LexborHTMLParser

    def extract(page: str) -> str:
        tree = LexborHTMLParser(page)
        tree.strip_tags(["head", "script", "style", "noscript", "template"])
        return tree.text(separator="\n")

    return extract


PEERS: dict[str, tuple[Callable[[], Peer], str]] = {
    "trafilatura fast": (trafilatura_fast, "trafilatura"),
    "trafilatura fast, text": (trafilatura_without_comments, "trafilatura"),
    "trafilatura": (trafilatura_default, "trafilatura"),
    "readability-lxml": (readability_lxml, "readability-lxml"),
    "resiliparse": (resiliparse_main, "resiliparse"),
    "jusText": (justext_auto, "justext"),
    "selectolax, all text": (selectolax_text, "selectolax"),
}


def installed() -> tuple[dict[str, Peer], dict[str, str]]:
    found: dict[str, Peer] = {}
    versions: dict[str, str] = {}
    for name, (load, package) in PEERS.items():
        try:
            found[name] = load()
        except ImportError:
            continue
        versions[name] = metadata.version(package)
    return found, versions


def main() -> None:
    logging.disable(logging.CRITICAL)
    pages = json.loads(sys.stdin.readline())
    peers, versions = installed()
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        name, number = json.loads(line)
        start = time.perf_counter()
        try:
            text = peers[name](pages[number])
        except Exception:  # noqa: BLE001 - a peer that fails on a page has found nothing on it
            text = ""
        seconds = time.perf_counter() - start
        print(json.dumps([seconds, text]), flush=True)


if __name__ == "__main__":
    main()
