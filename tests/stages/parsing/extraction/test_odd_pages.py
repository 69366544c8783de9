"""Pages as old sites, broken generators and other kinds of documents have them: their text, or a verdict."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.stages.parts import a_source, a_split, parts_of

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.decode import Decode
from headrace.stages.parse import Parse
from headrace.stages.parsing.extraction.engines import Engine, by_headrace, extractor

ENGINES: tuple[Engine, ...] = ("headrace", "trafilatura", "resiliparse")
DAWN = "清晨，村里的老井旁已经排起了长队。大家提着水桶，一边聊天一边等着打水，太阳慢慢升了起来。"
NOON = "到了中午，天气热得厉害，井边的人都散了。只有几个孩子还在树下玩耍，他们的笑声传得很远。"
BOTH = f"{DAWN}\n{NOON}"
WITH_TEXT = {
    "layout of tables": (
        "<table><tr><td width=150><table><tr><td><a href=a>首页</a></td></tr></table></td><td><table><tr><td>"
        f"<table><tr><td>{DAWN}</td></tr><tr><td>{NOON}</td></tr></table></td></tr></table></td></tr></table>"
    ),
    "font and center": f"<center><font face=宋体>{DAWN}</font></center><center><font size=2>{NOON}</font></center>",
    "line breaks alone": f"<body>{DAWN}<br><br>　　{NOON}<BR/>",
    "preformatted": f"<body><pre>{DAWN}\n{NOON}</pre></body>",
    "capitals": f"<HTML><BODY><P>{DAWN}<P>{NOON}</BODY></HTML>",
    "behind the end": f"<html><body><p>{DAWN}</p></body></html><p>{NOON}</p>",
    "XHTML": f"<?xml version='1.0'?><html xmlns=x><head><script>//<![CDATA[\na<b//]]></script></head><body>"
    f"<p>{DAWN}</p><p>{NOON}</p><br/></body></html>",
    "comments with markup": f"<!-- <p>隐</p> --><p>{DAWN}</p><!--[if IE]><p>隐</p><![endif]--><p>{NOON}</p><!-->",
    "picture in the page": f"<p>{DAWN}</p><img src='data:image/png;base64,{'iVBORw0KGgo' * 100_000}'><p>{NOON}</p>",
    "plaintext": f"<p>{DAWN}</p><plaintext>{NOON}",
    "xmp": f"<p>{DAWN}</p><xmp>{NOON}</xmp>",
    "AMP": f"<html ⚡><body><article><p>{DAWN}</p><amp-img src=x></amp-img><p>{NOON}</p></article></body></html>",
    "drawings": f"<p>{DAWN}</p><svg><title>隐</title><text>隐</text></svg><p>{NOON}</p>",
}
WITHOUT_TEXT = {
    "frames": "<html><frameset cols='20%,80%'><frame src=a><frame src=b></frameset></html>",
    "scripts": f"<body><script>var a='<p>{DAWN}</p>';</script><script>document.write(a)</script></body>",
    "no body": "<html><head><title>井</title></head></html>",
    "blanks": "<p>　　</p><p>&nbsp;</p>",
}
ENTITIES = "&#x; &#xZZ; &#99999999; &#xD800; &#0; &#150; &notanentity; &#20320;&#x597d;"
LINKS = "".join(f"<li><a href=/{number}>第{number}篇文章的标题在这里</a></li>" for number in range(50))


@pytest.mark.parametrize("page", WITH_TEXT.values(), ids=WITH_TEXT)
def test_the_text_of_odd_pages(page: str) -> None:
    """The paragraphs, each a line, and nothing else."""
    assert by_headrace(page) == BOTH


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("page", WITH_TEXT.values(), ids=WITH_TEXT)
def test_every_engine_bears_odd_pages(engine: Engine, page: str) -> None:
    """The libraries may lose the second paragraph, but not the first; the same page gives the same text."""
    text = extractor(engine)(page)
    assert DAWN in text
    assert extractor(engine)(page) == text


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("page", WITHOUT_TEXT.values(), ids=WITHOUT_TEXT)
def test_a_page_without_text_is_dropped_as_empty(engine: Engine, page: str, tmp_path: Path) -> None:
    """That nothing is kept is a verdict, with whatever engine."""
    (tmp_path / "page.html").write_text(page)
    (part,) = parts_of(a_split(tmp_path, "page.html"), a_source("page.html"))
    decoded = apply("decode", Decode(), UnitBatch(0, part.documents, (), (), part.files))
    batch = apply("parse", Parse(engine=engine), decoded)
    assert (batch.documents.num_rows, batch.settled[-1]["reason"].to_pylist()) == (0, ["empty"])


@pytest.mark.parametrize("box", ["<ul>{}</ul>", "<div class=list>{}</div>", "<body>{}", "<table><td>{}</table>"])
def test_a_page_of_links_has_no_text(box: str) -> None:
    """One link of fifty is no main text."""
    assert by_headrace(box.format(LINKS)) == ""


def test_what_is_no_entity_stays_as_written() -> None:
    """Code points that do not exist become the sign for that, and the text can be written as UTF-8."""
    text = by_headrace(f"<p>{ENTITIES}</p><p>{DAWN}</p>")
    assert text == f"&#x; &#xZZ; \ufffd \ufffd \ufffd – ¬anentity; 你好\n{DAWN}"
    assert pa.array([text]).to_pylist() == [text]
