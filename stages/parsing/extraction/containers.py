"""The second look: which box holds the text, and what the neighbours of a block are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headrace.schemas.arrays import Flags, Floats
from headrace.stages.kernels.extraction_model import CHARACTERS, SIGNATURE, TAG
from headrace.stages.kernels.extraction_tree import inside, sum_up
from headrace.stages.parsing.extraction.features import Look, Matrix, by_box, rows
from headrace.stages.parsing.extraction.pages import Blocks
from headrace.stages.parsing.extraction.tags import TAGS

_MOST_SCORE = 4.0
_BEYOND = -2.0  # the score of what lies beyond the page
_STRONG, _STRONG_LENGTH = 0.5, 60
_NEARBY = 4  # blocks on either side
_WRAPS = np.isin(TAGS, ("li", "tr", "dl"))  # [tag]: may stand between a box and others like it

NAMES = (
    *("score", "in best box", "sum around", "sum of box", "score before", "score behind", "best behind", "best before"),
    *("best on both sides", "between strong", "before strong", "behind strong", "distance behind", "distance before"),
    *("heading before", "heading between", "text around", "text of box", "score in best box", "best sum"),
    *("score of siblings", "score of siblings, short", "has siblings", "score nearby", "score nearby, short"),
)


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What the scores of the first look add to it."""

    features: Matrix  # those of the first look, then these
    held: Flags  # [block]: stands in the best box


def second_look(blocks: Blocks, seen: Look, scores: Floats) -> SecondLook:
    """Look again, now that each block has a score of its own."""
    sizes = blocks.column(CHARACTERS)
    score = np.clip(scores, -_MOST_SCORE, _MOST_SCORE)
    gain = np.tanh(score / 2) * np.sqrt(sizes)
    sums = sum_up(blocks.parents, by_box(blocks, gain))[:, 0]
    best = _best_box(blocks, seen, sums)
    held = inside(blocks.parents, best)[blocks.homes]
    groups = (seen.features, _columns(blocks, score, held, sums), _siblings(blocks, score))
    return SecondLook(np.concatenate(groups), held)


def _siblings(blocks: Blocks, score: Floats) -> Matrix:
    """Give how others fare that stand in like boxes side by side, as paragraphs and list items do, or nearby."""
    parents, signatures = blocks.parents[blocks.homes], blocks.nodes[blocks.homes, SIGNATURE]
    parents = np.where(_WRAPS[blocks.nodes[parents, TAG]], blocks.parents[parents], parents)
    keys = ((parents.astype(np.int64) << 8) | blocks.tags) << 31 | signatures
    _, group = np.unique(keys, return_inverse=True)
    weights = np.sqrt(blocks.column(CHARACTERS))
    others = np.bincount(group, weights)[group] - weights
    sums = np.bincount(group, weights * score)[group] - weights * score
    mean = np.where(others > 0, sums / np.maximum(others, 1), 0.0)
    short = blocks.table[:, CHARACTERS] < _STRONG_LENGTH
    nearby = _nearby(weights * score) / np.maximum(_nearby(weights), 1)
    return rows(mean, mean * short, others > 0, nearby, nearby * short)


def _nearby(values: Floats) -> Floats:
    """Give the sum of each value and its neighbours."""
    edge = np.zeros(_NEARBY)
    sums = np.cumsum(np.concatenate(([0.0], edge, values, edge)))
    around: Floats = sums[2 * _NEARBY + 1 :] - sums[: -2 * _NEARBY - 1]
    return around


def _best_box(blocks: Blocks, seen: Look, sums: Floats) -> int:
    """Give the box with the largest sum, the innermost of equal ones; of a series of like boxes the one around."""
    best = int(np.flatnonzero(sums >= sums.max() - 1e-6)[-1])
    signatures, parents = blocks.series, blocks.parents
    for box in (best, int(parents[best])):
        if box > 0 and signatures[box]:
            alike = (parents == parents[box]) & (signatures == signatures[box])
            alike[0] = False
            if alike.sum() > 1 and seen.prose_sums[alike].sum() > 1.5 * seen.prose_sums[box]:
                return int(parents[box])
    return best


def _columns(blocks: Blocks, score: Floats, held: Flags, sums: Floats) -> Matrix:
    count = len(blocks)
    top = float(sums.max())
    own, around = sums[blocks.homes], sums[blocks.parents[blocks.homes]]
    edge = [_BEYOND] * 2
    padded = np.concatenate((edge, score, edge))
    before, behind = padded[1 : count + 1], padded[3 : count + 3]
    best_behind, best_before = np.maximum(behind, padded[4:]), np.maximum(before, padded[:count])
    number = np.arange(count)
    strong = np.flatnonzero(held & (score > _STRONG) & (blocks.table[:, CHARACTERS] > _STRONG_LENGTH))
    first, last = (strong[0], strong[-1]) if len(strong) else (0, count - 1)
    between = (number >= first) & (number <= last)
    return rows(
        *(score, held, around / (abs(top) + 1), own / (abs(top) + 1), before, behind, best_behind, best_before),
        *(np.minimum(best_behind, best_before), between & held, number < first, number > last),
        *(np.minimum(np.maximum(number - last, 0), 20) / 10, np.minimum(np.maximum(first - number, 0), 20) / 10),
        *(blocks.headings * best_behind, blocks.headings & between, np.tanh(around / 10), np.tanh(own / 10)),
        *(held * score, np.full(count, min(top, 200.0) / 50)),
    )
