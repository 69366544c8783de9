"""Real pages of the corpus: reported bugs, faults made on purpose, books beside their text editions, a regression.

The half of the gold pages that benchmarks measure is not opened here, so that no test run is a look at it.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest
from benchmarks import extraction_gold as gold

from headrace.stages.parsing.extraction.engines import by_headrace

_SERVERS = 21
CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"


@pytest.fixture
def pages(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the corpus, and let the readers of gold pages find it."""
    monkeypatch.setenv("HEADRACE_CORPUS", str(corpus))
    return corpus


def page_of(path: Path) -> str:
    return gold.decoded(path.read_bytes())


def test_nested_links_are_given_once(pages: Path) -> None:
    """adbar/trafilatura#146: no text twice, no link lost."""
    text = by_headrace(page_of(pages / "bugs/063-nested-format.html"))
    assert (text.count("请点击"), text.count("反馈页面")) == (1, 1)


def test_the_same_page_ten_times(pages: Path) -> None:
    """adbar/trafilatura#17: ten calls, ten equal texts."""
    page = page_of(pages / "bugs/065-same-page-ten-times.html")
    texts = {by_headrace(page) for _ in range(10)}
    assert len(texts) == 1
    assert texts != {""}


def test_nul_in_an_attribute(pages: Path) -> None:
    """html5lib/html5lib-python#33: the text behind it is there."""
    assert "正文 text" in by_headrace(page_of(pages / "bugs/067-nul-in-attr.html"))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("deep-div.html", CLEAN), ("no-closing.html", CLEAN), ("nul-in-html.html", CLEAN), ("script-only.html", "")],
)
def test_pages_made_with_a_fault(name: str, wanted: str, pages: Path) -> None:
    """Depth, missing ends and NUL lose no text; a page of scripts has none."""
    text = by_headrace(page_of(pages / "bad/made" / name))
    assert wanted in text
    assert bool(text) == bool(wanted)


@pytest.mark.parametrize(
    ("book", "least_precision", "least_share"),
    [("debian-faq-zh-cn", 0.97, 0.95), ("debian-reference-zh-cn", 0.93, 0.93)],
)
def test_books_beside_their_text_editions(book: str, least_precision: float, least_share: float, pages: Path) -> None:
    """In runs of five characters: nearly all that is given is in the edition, and nearly all the pages share with it.

    The corpus holds a part of the chapters, so what the pages as a whole share with the edition is the most there is.
    """
    found, edition = gold.book_pages(book), gold.book_text(book)
    precision, recall = gold.similarity([by_headrace(page) for page in found], edition)
    _, most = gold.similarity([gold.all_text(page) for page in found], edition)
    assert precision > least_precision
    assert recall > least_share * most


def test_pages_with_an_expected_text(pages: Path) -> None:
    """Readability's pages, as far as they were not learnt from, stay as good as they were: a regression, no truth."""
    scores = []
    for folder in sorted((pages / "html/readability").iterdir()):
        source, expected = folder / "source.html", folder / "expected.html"
        if gold.half_of(folder.name) == "measured" and source.exists() and expected.exists():
            precision, recall = gold.similarity([by_headrace(page_of(source))], gold.all_text(page_of(expected)))
            scores.append(2 * precision * recall / (precision + recall))
    assert mean(scores) > 0.95
    assert min(scores) > 0.75


def test_gold_pages_of_the_tuning_half(pages: Path) -> None:
    """On the pages that the weights were fitted to, hand-picked segments are found, and others left out."""
    score = gold.Score()
    for page in gold.gold_pages("tuning"):
        score = score.plus(page, by_headrace(page.page))
    assert score.f1 > 0.94


def test_elements_that_are_rare_or_of_another_vocabulary(pages: Path) -> None:
    """Unknown elements give their text in its place; what a canvas holds is for browsers that cannot draw."""
    colour = ["My favorite color is blue red!"] * 2
    lines = ["Hello", "Teletype text", *colour, "My car is blue.", "My new car is silver."]
    folder = pages / "html/trafilatura-resources"
    text = by_headrace(page_of(folder / "tests__resources__exotic_tags.html"))
    assert text.split("\n") == [*lines, "other tag invalid TEI tag", "invalid TEI tag"]
    text = by_headrace(page_of(folder / "tests__resources__exotic_tags_tei.html"))
    assert text.split("\n") == [*lines, "other tag invalid TEI tag", "tail", "invalid TEI tag"]


def test_a_page_of_data_is_kept(pages: Path) -> None:
    """A server's status is lists and tables without a sentence; every row is a line, with a place for each cell."""
    text = by_headrace(page_of(pages / "html/trafilatura-resources/tests__resources__apache.html"))
    lines = text.split("\n")
    assert lines[0] == "Apache Server Status for ub2fkkeeyl3jgwwz.onion (via 127.0.0.1)"
    assert "Srv | PID | Acc | M | CPU | SS | Req | Conn | Child | Slot | Client | VHost | Request" in lines
    servers = [cells for line in lines if (cells := line.split(" | "))[0].endswith("-0")]
    assert [cells[0] for cells in servers] == [f"{number}-0" for number in range(_SERVERS)]
