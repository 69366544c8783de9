"""Pages in the stage: what is a document, and what is none though it reads like markup."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stages.parts import a_source, a_split, parts_of

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.decode import Decode
from headrace.stages.parse import Parse
from headrace.stages.parsing.extraction.engines import Engine

DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'
ENTRY = "<url><loc>https://example.com/wells</loc><lastmod>2020-01-01</lastmod></url>"
PROSE = "<p>A site map begins with &lt;urlset&gt;, says the manual, and holds an entry for each page of a site.</p>"


def parsed(folder: Path, name: str, engine: Engine = "headrace") -> tuple[list[str], list[str]]:
    """Give the texts of a file, and the reasons why others of its records are gone."""
    (part,) = parts_of(a_split(folder, name), a_source(name))
    batch = apply("decode", Decode(), UnitBatch(0, part.documents, (), (), part.files))
    batch = apply("parse", Parse(engine=engine), batch)
    reasons = [reason for table in batch.settled for reason in table["reason"].to_pylist()]
    return batch.documents["text"].to_pylist(), reasons


@pytest.mark.parametrize("engine", ["headrace", "trafilatura", "resiliparse"])
@pytest.mark.parametrize(
    "page",
    [
        f"{DECLARED}<urlset>{ENTRY}</urlset>",
        f'{DECLARED}<!-- made today -->\n<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9">{ENTRY}',
        f"{DECLARED}<sitemapindex>{ENTRY}</sitemapindex>",
    ],
)
def test_site_maps_are_no_pages(engine: Engine, page: str, tmp_path: Path) -> None:
    """A list of addresses for crawlers is dropped as empty, whatever the engine."""
    (tmp_path / "map.xml").write_text(page, encoding="utf-8")
    assert parsed(tmp_path, "map.xml", engine) == ([], ["empty"])


def test_a_page_about_site_maps_is_a_page(tmp_path: Path) -> None:
    """The name of the element in a text, and a declaration before a page, take nothing away."""
    (tmp_path / "page.html").write_text(f"{DECLARED}<html><body><h1>Site maps</h1>{PROSE * 3}", encoding="utf-8")
    ((text,), reasons) = parsed(tmp_path, "page.html")
    assert text.count("begins with <urlset>, says") == 3
    assert reasons == []


def test_resources_of_the_corpus(corpus: Path) -> None:
    """Site maps, packed or not, are no text; feeds give the text of their entries."""
    folder = corpus / "html/trafilatura-resources"
    assert parsed(folder, "tests__resources__sitemap.xml") == ([], ["empty"])
    assert parsed(folder, "tests__resources__sitemap.xml.gz") == ([], ["empty"])
    ((atom,), _) = parsed(folder, "tests__resources__feed1.atom")
    assert atom.split("\n").count("Some text.") == 2
    ((rss,), _) = parsed(folder, "tests__resources__feed2.rss")
    assert "Here is some text containing an interesting description." in rss
