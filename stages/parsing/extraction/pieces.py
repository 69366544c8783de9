"""Why a piece of a page is in its text or not: every piece with its score and with what spoke for and against it."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.stages.parsing.extraction.features import NAMES
from headrace.stages.parsing.extraction.headrace import decided, scored, shown_of
from headrace.stages.parsing.extraction.pages import blocks_of
from headrace.stages.parsing.extraction.tags import TAGS
from headrace.stages.parsing.extraction.weights import weights


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading, paragraph, list item or cell of a page."""

    text: str
    tag: str
    kept: bool
    score: float  # above -0.5 it is likely main text; rules have the last word
    signs: tuple[str, ...]  # names of boxes around it (`hint related`), phrases in it (`cue appeal`)


def pieces_of(page: str) -> list[Piece]:
    """Give all pieces that a page shows, in their order, as the engine `headrace` judges them.

    >>> [(piece.tag, piece.kept) for piece in pieces_of("<h1>Wells</h1><p>They are deep.</p>")]
    [('h1', True), ('p', True)]
    """
    blocks = shown_of(blocks_of(page))
    if not len(blocks):
        return []
    seen, held, scores = scored(blocks, weights())
    kept = decided(blocks, seen, held, scores)
    signs = [(name, seen.features[row]) for row, name in enumerate(NAMES) if name.startswith(("hint ", "cue "))]
    return [
        Piece(
            text=blocks.text_of(number),
            tag=TAGS[blocks.tags[number]],
            kept=bool(kept[number]),
            score=round(float(scores[number]), 2),
            signs=tuple(name for name, values in signs if values[number]),
        )
        for number in range(len(blocks))
    ]
