"""Main text: whole lines in their order, and none of what stands around them on pages of all kinds."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import pytest
from tests.stages.parsing.extraction.written_pages import WRITTEN, WrittenPage

from headrace.stages.parsing.extraction.engines import by_headrace

CALLS = 10
SENTENCES = (
    "The well is older than the village, and nobody knows who dug it or when. ",
    "It has never run dry, people say. ",
)
PROSE = "".join(f"<p>{sentence * 2}Part {number}.</p>" for number, sentence in enumerate(SENTENCES * 3))


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_the_text_is_kept_and_the_rest_goes(written: WrittenPage) -> None:
    """Every line of the text is there, whole and in order; menus, bylines, captions, authors and comments are not."""
    text = by_headrace(written.page)
    assert text == written.text
    assert [word for word in written.unwanted if word in text] == []
    assert [word for word in written.unwanted if word not in written.page] == []


def test_ten_calls_give_ten_equal_texts() -> None:
    """Nothing is remembered from page to page, whatever came between."""
    texts = [[by_headrace(written.page) for written in WRITTEN.values()] for _ in range(CALLS)]
    assert texts == [texts[0]] * CALLS


def test_another_process_gives_the_same_text() -> None:
    """The text depends on the page alone: not on the process, and not on the order of sets in it."""
    program = (
        "import hashlib; from tests.stages.parsing.extraction.written_pages import WRITTEN;"
        "from headrace.stages.parsing.extraction.engines import by_headrace;"
        "print(hashlib.sha256(''.join(by_headrace(w.page) for w in WRITTEN.values()).encode()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"PYTHONHASHSEED": "77"})
    here = "".join(by_headrace(written.page) for written in WRITTEN.values())
    assert done.stdout.strip() == sha256(here.encode()).hexdigest(), done.stderr


@pytest.mark.parametrize(
    "markup",
    [
        "<p hidden>unseen</p>",
        '<div style="display: none"><p>unseen</p></div>',
        '<p>Said <span style="VISIBILITY:hidden">unseen</span> once.</p>',
        "<script>unseen</script>",
        "<style>unseen</style>",
        "<template><p>unseen</p></template>",
        "<noscript><p>unseen</p></noscript>",
        "<textarea>unseen</textarea>",
        "<select><option>unseen</select>",
        "<svg><text>unseen</text></svg>",
        "<!-- unseen -->",
    ],
)
def test_what_a_reader_cannot_see_is_never_kept(markup: str) -> None:
    """Scripts, styles, templates, hidden elements and parts of forms give no text, wherever they stand."""
    text = by_headrace(f"<article>{PROSE}{markup}{PROSE}</article>")
    assert text.count("Part") == 12
    assert "unseen" not in text


def test_a_page_that_a_script_shows_has_a_text() -> None:
    """Where nearly all of a page is hidden, it is hidden until a script has run, and readers see it."""
    assert by_headrace(f"<body><p>Loading</p><div style='display:none'>{PROSE}</div>").count("Part") == 6


def test_links_inside_links_are_given_once() -> None:
    """The text of nested links and of formatting in links appears once, in its place."""
    text = by_headrace(
        f"<div>{PROSE}<p>For all questions <a href=1>please see <b>this <a href=2>page</a></b></a> first.</p>"
    )
    assert text.endswith("For all questions please see this page first.")


def test_a_heading_outside_the_text_is_kept() -> None:
    """A heading that the title of the page repeats belongs to the text, even where a byline and a menu lie between."""
    menu = "".join(f"<li><a href=/{n}>Section {n}</a>" for n in range(9))
    title = "How the old well was found"
    head = f"<title>{title} - Village News</title><div class=top><h1>{title}</h1></div><ul class=nav>{menu}</ul>"
    page = f"{head}<div class=main><div class=text>{PROSE}</div></div>"
    text = by_headrace(page)
    assert text.startswith("How the old well was found\nThe well is older")
    assert "Section" not in text


def test_readings_beside_characters_go() -> None:
    """Ruby text says how a word is read; the word stays whole."""
    text = by_headrace(f"<div>{PROSE}<p>The sign says <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby> twice.</p>")
    assert text.endswith("The sign says 漢字 twice.")


def test_short_lines_among_paragraphs_stay() -> None:
    """Dialogue in short paragraphs, as novels have it, is kept whole, whatever element it is in."""
    said = ("“走吧。”", "“去哪儿？”", "“回家。”")
    told = "他把灯吹灭，推开门，雪已经积了半尺厚，远处的山只剩下一道淡淡的影子，天地间静得没有一点声音。"
    lines = [line for spoken in said for line in (told, spoken)]
    page = "<div class=chapter><h1>第三章 夜行</h1>" + "".join(f"<div>{line}</div>" for line in lines) + "</div>"
    assert by_headrace(page).split("\n") == ["第三章 夜行", *lines]


@pytest.mark.parametrize(
    "page", ["", " ", "<p></p>", "<title>x</title>", "<body><img src=x>", "<script>x</script>", "\0"]
)
def test_a_page_without_text_gives_none(page: str) -> None:
    """The text is empty, which the stage counts as an empty document."""
    assert by_headrace(page) == ""


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("just text", "just text"),
        ("<p>One sentence.<p>Another sentence", "One sentence.\nAnother sentence"),
        ("<table><tr><td>a<td>1<tr><td>b<td>2</table>", "a | 1\nb | 2"),
        ("<ul><li>first<li>second</ul>", "- first\n- second"),
    ],
)
def test_a_page_of_a_few_words_gives_them_all(page: str, text: str) -> None:
    """Where there is too little to judge, nothing is left out."""
    assert by_headrace(page) == text
