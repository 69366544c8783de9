"""Pieces: what an engineer asks when a page comes out wrong, answered in the order of the page."""

from __future__ import annotations

import pytest
from tests.stages.parsing.extraction.written_pages import WRITTEN, WrittenPage

from headrace.stages.parsing.extraction.engines import by_headrace
from headrace.stages.parsing.extraction.pieces import pieces_of

PROSE = "".join(
    f"<p>The well is older than the village, and nobody knows who dug it, or when. It was cleaned {n} times.</p>"
    for n in range(4)
)
APPEAL = '<div class="newsletter">Subscribe to our newsletter and never miss a well.</div>'


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_kept_pieces_are_the_text(written: WrittenPage) -> None:
    """What is said to be kept is in the text, and each line of the text comes from such pieces."""
    kept = [piece.text for piece in pieces_of(written.page) if piece.kept]
    text = by_headrace(written.page)
    assert [piece for piece in kept if piece not in text] == []
    assert len(kept) >= text.count("\n") + 1 - written.page.count("<br")


def test_signs_say_why() -> None:
    """A piece that is gone shows its score, the box that it stands in and the phrase that gives it away."""
    *paragraphs, appeal = pieces_of(f"<h1>The old well</h1>{PROSE}{APPEAL}")
    assert [(piece.tag, piece.kept) for piece in paragraphs] == [("h1", True)] + [("p", True)] * 4
    assert not appeal.kept
    assert appeal.score < min(piece.score for piece in paragraphs)
    assert {"hint form", "cue appeal", "cue more"} <= set(appeal.signs)


@pytest.mark.parametrize("page", ["", "<p></p>", "<script>x</script>"])
def test_a_page_without_text_has_no_pieces(page: str) -> None:
    """The list is empty, and nothing is raised."""
    assert pieces_of(page) == []
