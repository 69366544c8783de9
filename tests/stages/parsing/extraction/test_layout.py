"""Layout: what lists, tables, code and line breaks look like as lines of text."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.stages.parsing.extraction.layout import laid_out
from headrace.stages.parsing.extraction.pages import blocks_of


def laid_out_whole(page: str) -> str:
    """Lay all blocks of a page out."""
    blocks = blocks_of(page)
    return laid_out(blocks, np.ones(len(blocks), np.bool_))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h1>Title<h2>Part</h2><p>One<p>Two", "Title\nPart\nOne\nTwo"),
        ("<p>One<br>two<br><br>Three", "One\ntwo\nThree"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ul><li>a<ol><li>b<li>c<ul><li>d</ul></ol><li>e</ul>", "- a\n  1. b\n  2. c\n    - d\n- e"),
        ("<ul><li><p>a<p>b<li><p>c</ul>", "- a\nb\n- c"),
        ("<dl><dt>term<dd>meaning</dl>", "term\nmeaning"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a | b\n1 | 2"),
        ("<table><tr><th><th>b<th>c<tr><td>1<td><td>3</table>", "| b | c\n1 |  | 3"),
        ("<table><tr><td>a<br>b<td>c</table>", "a b | c"),
        ("<table><tr><td>menu<td><p>One<p>Two</table>", "menu\nOne\nTwo"),
        ("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\nb | c"),
        ("<table><tr><td>1<td><pre>x\n  y</pre></table>", "1\nx\n  y"),
        ("<pre>\nif x:\n    y\n\n\tz\n</pre><p>after", "if x:\n    y\n\n\tz\nafter"),
        ("<ul><li><pre>  code</pre></ul>", "  code"),
        ("<blockquote><p>said</blockquote><figure><img><figcaption>seen</figure>", "said\nseen"),
        ("<p>a <b>b</b><i>c</i> <a href=x>d</a>&nbsp;&amp; e", "a bc d & e"),
        ("<p>　　首行缩进。<p>甲　　乙", "首行缩进。\n甲　乙"),
        ("<p>a<hr>b<p>*", "a\nb"),
    ],
)
def test_lines(page: str, text: str) -> None:
    """Blocks are lines in their order; items have marks, cells bars between them, code its indentation."""
    assert laid_out_whole(page) == text


def test_a_row_is_kept_whole_or_not_at_all() -> None:
    """Where most of a row is kept, all its cells are; where least of it is, none."""
    blocks = blocks_of("<table><tr><td>long enough<td>5<tr><td>6<td>another long cell</table>")
    assert laid_out(blocks, np.array([True, False, True, False])) == "long enough | 5"


def test_deep_lists_are_indented_so_far() -> None:
    """5,000 lists in lists give no megabytes of spaces."""
    lines = laid_out_whole("".join(f"<ul><li>level {n}" for n in range(5000))).split("\n")
    assert lines[3] == "      - level 3"
    assert lines[4999] == " " * 16 + "- level 4999"
