"""Pages with known main text: hand-picked segments, halves for tuning and for measuring, books with a text edition."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.text import corpus_folder

from headrace.stages.parsing.extraction.pages import blocks_of

Half = Literal["tuning", "measured"]
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")
_SPACE_OR_RULE = re.compile(r"[\s|*_=+-]+")
_GRAM = 5
BOOKS = {"debian-faq-zh-cn": "debian-faq.zh-cn.txt", "debian-reference-zh-cn": "debian-reference.zh-cn.txt"}


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page with segments that its main text must hold, and others that it must not."""

    name: str
    page: str
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Segments that were found and missed, and unwanted ones that were kept and left out."""

    found: int = 0
    missed: int = 0
    kept: int = 0
    left_out: int = 0

    def plus(self, page: GoldPage, text: str) -> Score:
        """Count what an extractor gave for one more page."""
        found = sum(segment in text for segment in page.wanted)
        kept = sum(segment in text for segment in page.unwanted)
        return Score(
            self.found + found,
            self.missed + len(page.wanted) - found,
            self.kept + kept,
            self.left_out + len(page.unwanted) - kept,
        )

    @property
    def precision(self) -> float:
        """Give the share of the kept segments that were wanted."""
        return self.found / max(self.found + self.kept, 1)

    @property
    def recall(self) -> float:
        """Give the share of the wanted segments that were found."""
        return self.found / max(self.found + self.missed, 1)

    @property
    def f1(self) -> float:
        """Give the harmonic mean of both."""
        return 2 * self.precision * self.recall / max(self.precision + self.recall, 1e-9)


def half_of(name: str) -> Half:
    """Say which half a page belongs to: by the MD5 of its name, once for all.

    >>> half_of("lemire.me.json.html"), half_of("anchor.ch.lanka.html")
    ('measured', 'tuning')
    """
    return "measured" if int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) % 2 else "tuning"


def gold_pages(half: Half) -> list[GoldPage]:
    """Give the pages of one half."""
    folder = html_folder() / "trafilatura-eval"
    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    return [
        GoldPage(name, decoded((folder / name).read_bytes()), tuple(segments["with"]), tuple(segments["without"]))
        for name, segments in sorted(gold.items())
        if half_of(name) == half and (folder / name).exists()
    ]


def html_folder() -> Path:
    """Give the folder of pages, which is never part of the repository."""
    corpus = corpus_folder()
    if corpus is None or not (corpus / "html" / "trafilatura-eval" / "gold.json").exists():
        raise SystemExit("the pages of this benchmark lie in the corpus: set HEADRACE_CORPUS")
    return corpus / "html"


def decoded(data: bytes) -> str:
    """Give a page's text by its mark, as UTF-8, or by what it declares; these pages need no more."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    declared = _CHARSET.search(data[:4096])
    for name in ("utf-8-sig", declared[1].decode() if declared else "cp1252"):
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("cp1252", "replace")


def book_pages(book: str) -> list[str]:
    """Give the pages of a book without its index."""
    paths = sorted((html_folder() / book).glob("*.html"))
    return [decoded(path.read_bytes()) for path in paths if not path.name.startswith("index")]


def book_text(book: str) -> str:
    """Give the text edition of a book."""
    return decoded((html_folder() / book / BOOKS[book]).read_bytes())


def all_text(page: str) -> str:
    """Give all text of a page, block by block."""
    blocks = blocks_of(page)
    return "\n".join(blocks.text_of(number) for number in range(len(blocks)))


def similarity(texts: Iterable[str], edition: str) -> tuple[float, float]:
    """Give precision and recall of texts against an edition, counted in runs of five characters.

    White space and the rules that text editions draw are left out; each run counts as often as it occurs.
    """
    ours = sum((_grams(text) for text in texts), Counter[str]())
    theirs = _grams(edition)
    shared = (ours & theirs).total()
    return shared / max(ours.total(), 1), shared / max(theirs.total(), 1)


def _grams(text: str) -> Counter[str]:
    bare = _SPACE_OR_RULE.sub("", text)
    return Counter(bare[at : at + _GRAM] for at in range(len(bare) - _GRAM + 1))
