"""The extraction kernels beside their plain twins, over markup that trips kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree

from headrace.stages.kernels import extraction_plain as plain
from headrace.stages.kernels.extraction_measures import measure_blocks
from headrace.stages.kernels.extraction_model import (
    AFTER_IMAGE,
    BEGIN,
    BREAKS,
    CAPITALS,
    CHARACTERS,
    CUES,
    DIGITS,
    EMPHASIZED,
    END,
    INNER_HINTS,
    IS_CODE,
    LAST,
    LETTERS,
    LINKED,
    LINKS,
    NODE,
    STOPS,
    TAG,
    WIDE,
    Page,
)
from headrace.stages.kernels.extraction_scan import scan
from headrace.stages.kernels.extraction_tree import depths, inside, join_down, most_down, sum_up, weighed
from headrace.stages.parsing.extraction import hints, tags
from headrace.stages.parsing.extraction.cues import cue_words
from headrace.stages.parsing.extraction.markup import marks, markup

WORDS = plain.Words(tags.NUMBERS, hints.hint_words(), hints.HIDING_STYLES, cue_words())
COUNTED = {"wide": WIDE, "stops": STOPS, "digits": DIGITS, "capitals": CAPITALS, "letters": LETTERS}
COUNTED |= {"last": LAST, "breaks": BREAKS}

PAGES = {
    "nothing": "",
    "text alone": "just a text & more",
    "inline": '<p>one <b>two <a href="x">three</a></b> four<a>five</a><i>six</i>',
    "lists": "<ul><li>a<li>b<ol><li>c</ol></ul><dl><dt>d<dd>e</dl>",
    "breaks": "<p>a<br>b<br><br>c<br> <br>d<hr>e<p><br>f",
    "code": "<pre>\n\n  def f():\n\treturn 1 \n\n</pre><pre>a<br><br>b<code>c</code></pre>",
    "spaces": "<p> a \n b&nbsp;&nbsp;c<p>　　数据　　清洗　 x　<p>\u2003wide\u200b",
    "raw": "<script>if (a<b) '</p>'</script>x<style>p>a{}</style><!-- <p>no</p> -->y<textarea><b>no</textarea>z",
    "script in script": "<p>a<script><!-- <script> </script> --> no</script>b<script><!--></script>c",
    "left out": "<p>a<svg><text>no</text><p>b<noscript><p>no</noscript>c<select><option>no</select>d",
    "nested left out": "<template><template>no</template><p>no</template><p>yes<video><p>no</video>",
    "superscripts": '<p>x<sup class="reference">[1]</sup>y<sup>2</sup><span class="mw-editsection">[edit]</span>',
    "hidden": '<p>a<b style="Display: NONE">no</b>b<span hidden>no</span><input hidden>c<i hidden="until-found">d',
    "hidden boxes": '<div hidden><p>a</div><div style="visibility:hidden">b</div><body style="display:none">c',
    "classes": '<div class="postContent main_2 x99-ad"><p id="comment-7">a<span class="author-bio">b</span>',
    "quotes": """<p title="a>b" data-x='"<p>"' class=post>c<p title='&quot;>'>d""",
    "images": "<p>a<img src=x><p>b<p>c<picture><img></picture>d",
    "tables": "<table><tr><th>a<td>b<tr><td><table><tr><td>c</table>d</table>",
    "custom": "<my-card>a<g-emoji>b</g-emoji></my-card><o:p>c</o:p><blink>d</blink>",
    "math": "<p>so <math><mi>x</mi><annotation>no</annotation></math> is",
    "ruby": "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字",
    "zero width": "<p>\u200b\u200d<p>\ufeffa\u200bb",
    "controls": "<p>a\x01b\x0cc\x85d\u2028e",
    "cues": "<p>Read more: x<p>© 2020 A<p>2021-03-04 10:11<p>責任編輯：某<p>" + "word " * 50 + "newsletter",
    "astral": "<p>𠀀𪚥 👍🏽 ＡＢ１２ İſ",
    "many words": f'<p class="{"a " * 30}nav">x<p class="{"b" * 60}nav">y',
    "unclosed": "<div><div><p>a<b>b<p>c</div>d",
}
PIECES = ("<p>", "</p>", "<b>", "</b>", "<a>", "</a>", "<br>", "<div class='nav'>", "</div>", "<pre>", "</pre>", "<li>")
PIECES += (
    "<ul>",
    "</ul>",
    "<td>",
    "<table>",
    "</table>",
    "<span hidden>",
    "</span>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
)
PIECES += (
    " ",
    "\n",
    "　",
    "&nbsp;",
    "&lt;",
    "a",
    "B1",
    "数据。",
    "“",
    "”",
    "\u200b",
    "<img>",
    "<sup class=reference>",
    "</sup>",
)


def scanned(page: str) -> Page:
    """Scan and measure a page."""
    found = scan(np.frombuffer(str(HTMLTree.parse(page)).encode(), np.uint8), markup())
    measure_blocks(found.text, found.blocks, marks())
    return found


def assert_like_twin(page: str) -> None:
    """Compare every column that depends on a block alone."""
    found = scanned(page)
    blocks = plain.Scanner(markup(), WORDS).scan(page)
    texts = [found.text[row[BEGIN] : row[END]].tobytes().decode() for row in found.blocks]
    assert texts == [block.text for block in blocks]
    for row, block in zip(found.blocks.tolist(), blocks, strict=True):
        assert row[CHARACTERS] == block.characters
        assert (row[LINKED], row[LINKS], row[EMPHASIZED]) == (block.linked, block.links, block.emphasized)
        assert (row[INNER_HINTS], row[AFTER_IMAGE], row[IS_CODE]) == (block.hints, block.after_image, block.code)
        assert found.nodes[row[NODE], TAG] == block.tag
        assert {name: row[column] for name, column in COUNTED.items()} == plain.counts(block.text, marks())
        assert row[CUES] == plain.cues_of(block.text, WORDS.cues, marks())


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_scanner_sees_what_its_twin_sees(page: str) -> None:
    """Blocks, their texts and all counts are those of a walk over the parser's tree."""
    assert_like_twin(page)


@settings(deadline=None, max_examples=150)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_the_scanner_agrees_on_any_markup(pieces: list[str]) -> None:
    """Whatever order tags come in, the scanner follows what the parser made of them."""
    assert_like_twin("".join(pieces))


def test_capacity_grows() -> None:
    """More boxes and blocks than the first arrays hold are all there, in order."""
    found = scanned("".join(f"<div><p>n{n}" for n in range(3000)))
    assert len(found.blocks) == 3000
    assert len(found.nodes) == 6002
    assert found.text.tobytes().decode() == "".join(f"n{n}" for n in range(3000))


@pytest.mark.parametrize(
    "value", ["nav", "NAV x", "mainNavBar", "post_2_content", "xad ad ads-9", "", "数据 nav", "a" * 50]
)
def test_hints(value: str) -> None:
    """The hints of a box are those that its class words hold."""
    found = scanned(f'<div class="{value}">x')
    assert found.nodes[-1][2] == plain.hints_of(value, WORDS.hints)


@pytest.fixture
def tree() -> np.ndarray:
    """Give the parents of a random tree, parents first."""
    rng = np.random.default_rng(5)
    return np.array([0, *(int(rng.integers(0, box)) for box in range(1, 60))], np.int32)


def test_sums_and_what_is_handed_down(tree: np.ndarray) -> None:
    """Sums go up, bits and counts go down, as a walk from each box to the page finds."""
    rng = np.random.default_rng(6)
    values, bits = rng.random((60, 2)), (1 << rng.integers(0, 20, 60)).astype(np.int32)
    around = [list(plain.ancestors(tree.tolist(), box)) for box in range(60)]
    sums = [sum(values[other] for other in range(60) if box in around[other]) for box in range(60)]
    assert np.allclose(sum_up(tree, values), sums)
    assert join_down(tree, bits).tolist() == [int(np.bitwise_or.reduce(bits[boxes])) for boxes in around]
    assert most_down(tree, bits).tolist() == [int(bits[boxes].max()) for boxes in around]
    assert depths(tree).tolist() == [len(boxes) - 1 for boxes in around]
    assert inside(tree, 3).tolist() == [3 in boxes for boxes in around]


def test_weights_are_added_up_in_one_order() -> None:
    """A block's sum is the same alone and among others, to the last bit."""
    rng = np.random.default_rng(7)
    features, weights = rng.standard_normal((150, 50)), rng.standard_normal(150)
    together = weighed(features, weights)
    assert [float(weighed(np.ascontiguousarray(features[:, [n]]), weights)[0]) for n in range(50)] == together.tolist()
    assert np.allclose(together, weights @ features)
