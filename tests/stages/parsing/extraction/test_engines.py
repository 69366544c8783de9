"""Engines: each bears hostile pages in bounded time, and is chosen by an option of the stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tests.stages.parsing.extraction.written_pages import NEWS
from tests.stages.parts import a_source, a_split, parts_of

from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.decode import Decode
from headrace.stages.parse import Parse
from headrace.stages.parsing.extraction import engines
from headrace.stages.parsing.extraction.engines import Engine, by_headrace, check_installed, extractor

CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"
ENGINES: tuple[Engine, ...] = ("headrace", "trafilatura", "resiliparse")
SIZE = 10_000_000

HOSTILE = {
    "400 levels": "<div>" * 400 + CLEAN * 4 + "</div>" * 400,
    "5,000 levels": "<div>" * 5000 + CLEAN * 4 + "</div>" * 5000,
    "200,000 levels": "<div>" * 200_000 + CLEAN * 4,
    "nested lists": "<ul><li>" * 20_000 + CLEAN,
    "open formatting": "".join(f"<b a={n}>" for n in range(400)) + f"<p>{CLEAN}" * 2000,
    "formatting left open": "".join(f"<p><b a={n}>{CLEAN}" for n in range(4000)),
    "one attribute many times": "<a " + "x=1 " * 100_000 + f">{CLEAN}</a>",
    "many attributes": "<a " + " ".join(f"x{n}=1" for n in range(30_000)) + f">{CLEAN}</a>",
    "nested tables": "<table><tr><td>" * 3000 + CLEAN,
    "no end of a comment": f"<p>{CLEAN}<!-- " + "x" * 1000,
    "no end of a tag": f"<p>{CLEAN}<a href='" + "x" * 1000,
    "NUL": f"<p class='a\0b'>\0{CLEAN}\0",
    "no body": f"<html><head><title>x</title></head>{CLEAN}",
    "lone surrogate": f"<p>\ud800{CLEAN}",
    "end tags alone": "</p></div>" * 5000 + CLEAN,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("page", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_keep_their_text(engine: Engine, page: str) -> None:
    """Depth, open elements, attributes and NUL cost no text and no exception, and no more than the limit of a test."""
    text = extractor(engine)(page)
    assert CLEAN in text
    text.encode()
    assert "\0" not in text


@pytest.mark.parametrize(
    "unit",
    [
        f"<p>{CLEAN}</p>",
        f"{CLEAN}<br>",
        "<div><div><span>x</span></div></div>",
        "<tr><td>cell<td>value",
        "<a href=x>link</a>",
    ],
)
def test_large_pages_end(unit: str) -> None:
    """Pages of 10 MB are done; in the square of their tags it would be an hour, beyond the limit of a test."""
    by_headrace(unit * (SIZE // len(unit)))


def test_nothing_of_a_large_page_is_lost() -> None:
    """50,000 paragraphs are 50,000 lines, and rows of a table as many."""
    page = "".join(f"<p>Sentence number {n} of many, and none of them is like another." for n in range(50_000))
    assert by_headrace(page).count("\n") == 49_999
    rows = "".join(f"<tr><td>name {n}<td>{n}" for n in range(20_000))
    assert by_headrace(f"<h1>All names</h1><table>{rows}</table>").count(" | ") == 20_000


def documents(folder: Path, page: str, stage: Parse) -> list[dict[str, Any]]:
    """Read a page from a file, decode it, and let the stage parse it."""
    (folder / "page.html").write_text(page, encoding="gb18030")
    (part,) = parts_of(a_split(folder, "page.html"), a_source("page.html"))
    batch = apply("parse", stage, apply("decode", Decode(), UnitBatch(0, part.documents, (), (), part.files)))
    return batch.documents.to_pylist()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_stage_uses_the_engine(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`engine` of the stage decides who extracts; the title is taken the same way."""
    monkeypatch.setattr(engines, f"by_{engine}", lambda page: f"by {engine}")
    (document,) = documents(tmp_path, NEWS.page, Parse(engine=engine))
    assert document["text"] == f"by {engine}"
    assert document["metadata"] == '{"title":"跨江大桥今日合龙 - 江城晚报"}'


def test_our_own_engine_is_the_default(tmp_path: Path) -> None:
    """Without an option, pages go through Headrace's extractor."""
    (document,) = documents(tmp_path, NEWS.page, Parse())
    assert document["text"] == NEWS.text


def test_an_engine_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration is refused with the remedy, before anything runs; other engines need nothing."""
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    with pytest.raises(HeadraceError, match=r"not installed\. Pip install 'headrace\[trafilatura\]'"):
        check_installed("trafilatura")
    with pytest.raises(ValidationError, match="choose the engine headrace"):
        Parse(engine="trafilatura")
    assert Parse(engine="resiliparse").engine == "resiliparse"


def test_an_unknown_engine_is_refused() -> None:
    """The message lists the engines there are."""
    with pytest.raises(ValidationError, match="'headrace', 'trafilatura' or 'resiliparse'"):
        Parse.model_validate({"engine": "boilerpipe"})
