"""What speaks for and against a block, as numbers: its text, its place, what the boxes around it are called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Flags, Floats
from headrace.stages.kernels.extraction_model import (
    AFTER_IMAGE,
    BREAKS,
    CAPITALS,
    CHARACTERS,
    CUES,
    DIGITS,
    EMPHASIZED,
    FIRST_CHARACTERS,
    HINTS,
    INNER_HINTS,
    IS_CODE,
    LAST,
    LETTERS,
    LINKED,
    LINKS,
    ROW_OF,
    SENTENCE_END,
    STOPS,
    WIDE,
    Numbers,
)
from headrace.stages.kernels.extraction_tree import depths, join_down, most_down, sum_up, under_pointers
from headrace.stages.parsing.extraction import cues, hints, tags
from headrace.stages.parsing.extraction.pages import Blocks

Matrix = npt.NDArray[np.float64]

_WIDE_FACTOR = 1.5  # a character of a script without spaces says as much as so many letters more
_PROSE_LENGTH = 80
_MOSTLY = 2 / 3  # of a block of links; a short line such as "please use the form" may be half a link
_SHORT = 60
_APPEAL_LENGTH = 240
_MOST_REPEATS = 30
_KINDS = (
    "p",
    "h1",
    "h2",
    "h3 h4 h5 h6",
    "li",
    "td th",
    "pre",
    "blockquote",
    "dt",
    "dd",
    "div section article body main",
)
_CAPTIONS = "figcaption caption"
_KIND_COLUMNS = {name: column for column, names in enumerate((*_KINDS, _CAPTIONS)) for name in names.split()}
_KIND_OF_TAG = np.array([_KIND_COLUMNS.get(tag, len(_KINDS) + 1) for tag in tags.TAGS])
_KIND_NAMES = tuple(f"in {names.split()[0]}" for names in (*_KINDS, _CAPTIONS, "else"))
_LIST_ITEM = tags.NUMBERS["li"]
_HINT_BITS = np.array([*(hints.BITS[name] for name in hints.HINTS), *hints.TAG_BITS.values()], np.int32)
_INNER_BITS = _HINT_BITS[: len(hints.HINTS)]
_CUE_BITS = np.array(list(cues.BITS.values()), np.int32)


@dataclass(frozen=True, slots=True)
class Look:
    """What a first look at a page found."""

    features: Matrix  # [feature, block]
    prose: Floats  # [block]: weight of a sentence or more of running text, else 0
    prose_sums: Floats  # [box]
    asides: Flags  # [block]: short, and by its words an appeal, a byline, a caption
    comments: Flags  # [block]: in a box that is called so
    plain: Flags  # [block]: not mostly links, and in no box whose name speaks against it
    weight: float  # of all text


def look(blocks: Blocks) -> Look:
    """Give the features of all blocks, in the order of `NAMES`."""
    sizes = blocks.column(CHARACTERS)
    weights = sizes + _WIDE_FACTOR * blocks.column(WIDE)
    linked = blocks.column(LINKED) / sizes
    prose = np.where((weights > _PROSE_LENGTH) & (linked < 1 / 3) & (blocks.table[:, STOPS] > 0), weights, 0.0)
    sums = sum_up(blocks.parents, by_box(blocks, sizes, blocks.column(LINKED), prose))
    bits = _handed_down(blocks, sums)
    cue_bits = _bits(blocks.table[:, CUES], _CUE_BITS)
    groups = (
        _own_features(blocks, weights, linked, prose),
        _place_features(blocks, sums, linked, weights),
        _cue_features(blocks, cue_bits, sizes),
        _series_features(blocks, linked),
        _KIND_OF_TAG[blocks.tags] == np.arange(len(_KIND_NAMES))[:, None],
        _bits(bits, _HINT_BITS),
        _bits(blocks.table[:, INNER_HINTS], _INNER_BITS),
    )
    return Look(
        features=np.concatenate(groups),
        prose=prose,
        prose_sums=sums[:, 2],
        asides=_asides(blocks, cue_bits, sizes),
        comments=bits & hints.BITS["comment"] != 0,
        plain=(linked <= _MOSTLY) & (bits & hints.DOUBTFUL_BITS == 0),
        weight=float(weights.sum()),
    )


def by_box(blocks: Blocks, *columns: Floats) -> Matrix:
    """Add up numbers of blocks by the box that each stands in."""
    boxes = len(blocks.nodes)
    return np.stack([np.bincount(blocks.homes, column, boxes).astype(np.float64) for column in columns], axis=1)


def rows(*columns: Floats | Flags | Numbers) -> Matrix:
    """Put features below one another."""
    found = np.empty((len(columns), len(columns[0])))
    for number, column in enumerate(columns):
        found[number] = column
    return found


def _bits(values: Numbers, bits: Numbers) -> Flags:
    found: Flags = values & bits[:, None] != 0
    return found


def _handed_down(blocks: Blocks, sums: Matrix) -> Numbers:
    """Give the hints of all boxes around each block; on a box that holds most of the page, few mean anything."""
    text, prose = sums[:, 0], sums[:, 2]
    most = ((prose > 0.5 * prose[0]) & (prose > 200)) | (text > 0.7 * text[0])
    own = np.where(most, blocks.nodes[:, HINTS] & hints.SAFE_BITS, blocks.nodes[:, HINTS]).astype(np.int32)
    return join_down(blocks.parents, own)[blocks.homes]


_OWN = (
    *("always", "log length", "log length squared", "linked", "linked squared", "all linked", "no link", "stops"),
    *("stop share", "has end", "ends sentence", "capitals", "digits", "tiny", "wide", "emphasized", "all emphasized"),
    *("breaks", "short lines", "is prose", "linked long", "linked by length", "after image", "short after image"),
    *("code",),
)


def _own_features(blocks: Blocks, weights: Floats, linked: Floats, prose: Floats) -> Matrix:
    """Give what the text of a block itself shows."""
    sizes = blocks.column(CHARACTERS)
    length = np.log1p(weights)
    emphasized = blocks.column(EMPHASIZED) / sizes
    breaks = blocks.column(BREAKS)
    stops = blocks.column(STOPS)
    short = sizes < _SHORT
    image = blocks.column(AFTER_IMAGE)
    return rows(
        *(np.ones(len(blocks)), length, length**2 / 8, linked, linked**2, linked > 0.9, blocks.table[:, LINKS] == 0),
        *(np.minimum(stops, 12) / 6, stops / sizes * 10, blocks.table[:, LAST] > 0),
        *(blocks.table[:, LAST] == SENTENCE_END, blocks.column(CAPITALS) > 0.6 * blocks.column(LETTERS)),
        *(blocks.column(DIGITS) / np.minimum(sizes, FIRST_CHARACTERS), sizes < 20, blocks.column(WIDE) / sizes),
        *(emphasized, emphasized > 0.95, np.minimum(breaks, 5) / 5, (breaks > 0) & (sizes / (breaks + 1) < 20)),
        *(prose > 0, (linked > 0.5) & (sizes > _SHORT), linked * length / 5, image, image * short),
        blocks.table[:, IS_CODE],
    )


_PLACE = (
    *("place", "first", "last", "box linked", "box around linked", "prose of box", "prose around", "prose beyond"),
    *("has prose around", "has prose beyond", "log text around", "depth", "log page", "in row", "in data row"),
    *("linked around", "after heading", "before heading", "is heading", "linked nearby"),
)


def _place_features(blocks: Blocks, sums: Matrix, linked: Floats, weights: Floats) -> Matrix:
    """Give what shows where a block stands: on the page, in its boxes, to the heading, among its neighbours."""
    sizes, homes = blocks.column(CHARACTERS), blocks.homes
    around = blocks.parents[homes]
    beyond = blocks.parents[around]
    text, links, prose = sums.T
    whole, all_prose = max(text[0], 1.0), max(prose[0], 1.0)
    place = (np.cumsum(sizes) - sizes) / whole
    linked_around = links[around] / np.maximum(text[around], 1)
    number = np.arange(len(blocks))
    headed = blocks.heading >= 0
    return rows(
        *(place, place < 0.05, place > 0.9, links[homes] / np.maximum(text[homes], 1), linked_around),
        *(prose[homes] / all_prose, prose[around] / all_prose, prose[beyond] / all_prose),
        *(prose[around] > 0, prose[beyond] > 0, np.log1p(text[around]) / 5),
        *(np.minimum(depths(blocks.parents)[homes], 30) / 15, np.full(len(blocks), np.log1p(whole) / 8)),
        *(blocks.nodes[homes, ROW_OF] > 0, blocks.data_rows > 0, linked_around > 0.5),
        *(headed & (number > blocks.heading), headed & (number < blocks.heading), number == blocks.heading),
        _nearby(linked),
    )


def _nearby(linked: Floats) -> Floats:
    """Give the mean of each five neighbours; beyond the page all is links."""
    sums = np.cumsum(np.concatenate(([0.0, 1.0, 1.0], linked, [1.0, 1.0])))
    mean: Floats = (sums[5:] - sums[:-5]) / 5
    return mean


_CUE = (
    *(f"cue {name}" for name in cues.GROUPS),
    *(f"cue {name}, short" for name in cues.GROUPS),
    *("under pointer", "behind appeal"),
)


def _cue_features(blocks: Blocks, found: Flags, sizes: Floats) -> Flags:
    """Give what the first words of a block and the heading before it tell."""
    short = sizes < _SHORT
    opens = found[0] | (blocks.headings & found[1])
    pointing = opens & short & (blocks.tags != _LIST_ITEM)
    under = under_pointers(blocks.homes, blocks.parents, pointing, blocks.headings)
    behind = under_pointers(blocks.homes, blocks.parents, _appeals(found, sizes), blocks.headings)
    return np.concatenate((found, found & short, under[None], behind[None]))


def _asides(blocks: Blocks, found: Flags, sizes: Floats) -> Flags:
    """Flag short blocks whose words say plainly that they are no part of the text."""
    has = dict(zip(cues.GROUPS, found, strict=True))
    byline = (has["credit"] | has["date"] | has["mechanics"]) & has["facts"]
    caption = has["picture"] & (blocks.table[:, AFTER_IMAGE] > 0)
    flags: Flags = _appeals(found, sizes) | ((byline | caption) & (sizes < _SHORT))
    return flags


def _appeals(found: Flags, sizes: Floats) -> Flags:
    """Flag the blocks that begin like a pointer or an appeal and are no longer than these are."""
    flags: Flags = found[0] & (sizes < _APPEAL_LENGTH)
    return flags


_SERIES = ("in series", "log series", "linked in series")


def _series_features(blocks: Blocks, linked: Floats) -> Matrix:
    """Give how often the boxes around occur: teasers, comments and products come in series."""
    signatures = blocks.series
    _, which, counts = np.unique(signatures, return_inverse=True, return_counts=True)
    own = np.where(signatures > 0, np.minimum(counts[which], _MOST_REPEATS), 0).astype(np.int32)
    repeats = most_down(blocks.parents, own)[blocks.homes]
    return rows(repeats > 2, np.log1p(repeats) / 3, (repeats > 2) * linked)


NAMES = (*_OWN, *_PLACE, *_CUE, *_SERIES, *_KIND_NAMES)
NAMES += (*(f"hint {name}" for name in hints.HINTS), *(f"within {name}" for name in hints.TAG_BITS))
NAMES += tuple(f"hint {name} inside" for name in hints.HINTS)
