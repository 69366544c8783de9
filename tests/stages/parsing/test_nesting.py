"""Nesting: counted in one pass over the bytes, so that no parser has to find out by itself."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.stages.kernels.extraction_nesting import nesting
from headrace.stages.parsing.extraction.markup import automata
from headrace.stages.parsing.nesting import LENIENT, STRICT, _kinds, too_deep, without_markup


def measured(page: str) -> tuple[int, int, int]:
    """Give most open elements, formatting opened anew, most attributes."""
    found = nesting(np.frombuffer(page.encode(), np.uint8), automata(), _kinds())
    return tuple(found.tolist())


@pytest.mark.parametrize(
    ("page", "elements", "reopened", "attributes"),
    [
        ("", 0, 0, 0),
        ("a < b & c", 0, 0, 0),
        ("<div><DIV></div></div><div>", 2, 0, 0),
        ("<p><p><li><br><img>", 0, 0, 0),
        ("</div></div><div>", 1, 0, 0),
        ("<b><p>x<p>y</b><p>z", 1, 2, 0),
        ("<b><i><u><p>", 3, 3, 0),
        ("<font><font></font><td>", 2, 1, 0),
        ("<script>'<div><div>'</script><div>", 1, 0, 0),
        ("<style><b></style><!-- <div> --><textarea><div></textarea>", 0, 0, 0),
        ("<a x=1 y = 2\nz>", 0, 0, 5),
        ("<xyz><xyz></xyz>", 2, 0, 0),
        ("<", 0, 0, 0),
        ("<div", 1, 0, 0),
        ("<!-- <div>", 0, 0, 0),
        ("<script><div>", 0, 0, 0),
    ],
)
def test_what_is_counted(page: str, elements: int, reopened: int, attributes: int) -> None:
    """Open elements, formatting that a parser repeats in each box, and attributes; scripts and comments hold none."""
    assert measured(page) == (elements, reopened, attributes)


@pytest.mark.parametrize("count", [0, 1, 7, 250])
def test_depth_is_that_of_the_deepest_place(count: int) -> None:
    """Elements that were closed before do not count."""
    assert measured("<div>" * count + "</div>" * count + "<section>" * (count // 2))[0] == count


def test_limits() -> None:
    """A library's limit is narrower than ours; formatting and attributes are limited for all."""
    deep = "<div>" * 600
    assert (too_deep(deep, STRICT), too_deep(deep, LENIENT)) == (True, False)
    assert too_deep("<b>" * 60 + "<p>" * 2000, LENIENT)
    assert too_deep("<a" + " x" * 10_001 + ">", LENIENT)
    assert not too_deep("<p>" * 5000, STRICT)


def test_text_without_markup() -> None:
    """What no parser may see still gives its text, a line for each stretch between tags."""
    page = "<head><title>t</title></head><script>no</script><p>a &amp; b<b>c</b>\n\n d<!-- no -->e<p"
    assert without_markup(page) == "a & b\nc\nd\ne"
