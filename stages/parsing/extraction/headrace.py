"""Headrace's own extractor: blocks are judged twice by a linear model, what is kept is laid out as lines."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Flags, Floats
from headrace.stages.kernels.extraction_model import CHARACTERS, LINKED, SECRET
from headrace.stages.kernels.extraction_tree import inside, sum_up, weighed
from headrace.stages.parsing.extraction.containers import second_look
from headrace.stages.parsing.extraction.features import Look, by_box, look
from headrace.stages.parsing.extraction.layout import laid_out
from headrace.stages.parsing.extraction.pages import Blocks, blocks_of
from headrace.stages.parsing.extraction.weights import Weights, weights

_ASIDE = 3.0  # a prior against appeals, bylines and captions that are plainly such; examples show them too rarely
_SECOND_CHANCE = 3.0
_LEANING = 0.5  # in doubt a block is kept: what is lost here no later stage can bring back
_SOON = 3  # so many blocks behind a heading its text begins
_FEW_WORDS = 300.0  # a page of no more gives all lines that nothing speaks against
_SHOWN_LATER = 5  # times as much hidden text as shown text is text that a script shows


def main_text(page: str) -> str:
    """Give the main text of a page: a line for each heading, paragraph, list item and table row."""
    return extracted(blocks_of(page), weights())


def extracted(blocks: Blocks, chosen: Weights) -> str:
    """Give the main text out of a page's blocks."""
    shown = shown_of(blocks)
    if not len(shown):
        return ""
    return laid_out(shown, judged(shown, chosen))


def judged(blocks: Blocks, chosen: Weights) -> Flags:
    """Flag the blocks of the main text."""
    return decided(blocks, *scored(blocks, chosen))


def scored(blocks: Blocks, chosen: Weights) -> tuple[Look, Flags, Floats]:
    """Give the first look, which blocks stand in the best box, and the score of each after the second look."""
    seen = look(blocks)
    again = second_look(blocks, seen, weighed(seen.features, chosen.first))
    return seen, again.held, weighed(again.features, chosen.second)


def decided(blocks: Blocks, seen: Look, held: Flags, scores: Floats) -> Flags:
    """Flag the blocks to keep: those with a good score, and what must not be lost because the scores err.

    A page of a few lines gives them all. Where nothing is good, as in lists and tables of data, the best box is taken.
    """
    scores = scores + _LEANING - _ASIDE * seen.asides
    prose = np.where(seen.comments, 0.0, seen.prose)
    if _is_lost(prose, scores > 0):
        scores += _SECOND_CHANCE
    kept = scores > 0
    if _is_lost(prose, kept):
        kept |= _densest(blocks, prose)
    kept &= ~_bare_headings(blocks, kept)
    if seen.weight < _FEW_WORDS:
        kept |= seen.plain
    for last_resort in (held & seen.plain, seen.plain, held & _holds_most(blocks, held)):
        if not kept.any():
            kept = last_resort
    return kept


def _bare_headings(blocks: Blocks, kept: Flags) -> Flags:
    """Flag headings behind which nothing is kept; the heading of the whole text stands for itself."""
    bare = np.zeros(len(blocks), np.bool_)
    for block in np.flatnonzero(kept & blocks.headings)[::-1].tolist():
        behind = slice(block + 1, block + 1 + _SOON)
        bare[block] = block != blocks.heading and not (kept[behind] & ~bare[behind]).any()
    return bare


def _is_lost(prose: Floats, kept: Flags) -> bool:
    """Say whether most of the prose was refused: then the box was the wrong one."""
    return bool(prose[kept].sum() < 0.5 * prose.sum())


def _holds_most(blocks: Blocks, held: Flags) -> bool:
    """Say whether a box has most of the page's text: one link of many like it is no text."""
    sizes = blocks.table[:, CHARACTERS]
    return bool(sizes[held].sum() > 0.5 * sizes.sum())


def _densest(blocks: Blocks, prose: Floats) -> Flags:
    """Flag the prose of the innermost box that holds more than half of it."""
    sums = sum_up(blocks.parents, by_box(blocks, prose))[:, 0]
    box = int(np.flatnonzero(sums > 0.5 * sums[0])[-1])
    return inside(blocks.parents, box)[blocks.homes] & (prose > 0)


def shown_of(blocks: Blocks) -> Blocks:
    """Leave out what is hidden, unless that is nearly all of the page: then a script shows it."""
    hidden = blocks.nodes[blocks.homes, SECRET] > 0
    sizes = blocks.table[:, CHARACTERS] - blocks.table[:, LINKED]
    if not hidden.any() or sizes[hidden].sum() > _SHOWN_LATER * sizes[~hidden].sum():
        return blocks
    return blocks.chosen(np.flatnonzero(~hidden))
