"""How deeply a page nests, found in one pass over its bytes before any parser has to build a tree of it."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.extraction_model import STARTS, TAG_NAMES, WORD_BEGIN, WORD_END, Automata, Numbers, States
from headrace.stages.kernels.extraction_tags import after_declaration, after_raw

# What a tag adds to the nesting; the text of TEXT_ONLY elements holds no tags.
NESTS, NEVER_NESTS, FORMATS, TEXT_ONLY = range(4)
# What is given: most elements open at once; formatting elements that a parser opens anew, since they were left open
# when a box began; most attributes of one tag.
OPEN_ELEMENTS, REOPENED, ATTRIBUTES = range(3)
_LESS, _GREATER, _SLASH, _BANG, _SPACE = (ord(c) for c in "<>/! ")
_UPPER_A, _UPPER_Z, _LOWER_A, _LOWER_Z, _TO_LOWER = ord("A"), ord("Z"), ord("a"), ord("z"), 32


@kernel
def nesting(page: Bytes, automata: Automata, kinds: Numbers) -> Counts:
    """Measure a page; tags without an end count as open up to the end of the page."""
    columns, steps, found = automata
    most = np.zeros(3, np.int64)
    opened = np.zeros(len(kinds), np.int64)
    elements = formatting = 0
    at = 0
    while at < len(page) - 1:
        if page[at] != _LESS:
            at += 1
            continue
        closes = page[at + 1] == _SLASH
        begin = at + 1 + int(closes)
        if page[at + 1] == _BANG:
            at = after_declaration(page, at)
            continue
        end, number = _tag_number(page, begin, columns, steps, found)
        at = max(end, at + 1)
        if end == begin:
            continue
        kind = kinds[number]
        if not closes:
            at, attributes = _after_attributes(page, end)
            most[ATTRIBUTES] = max(most[ATTRIBUTES], attributes)
            most[REOPENED] += formatting * int(kind != FORMATS)
            if kind == TEXT_ONLY:
                at = after_raw(page, at, page[begin:end])
        if kind in (NESTS, FORMATS) and (not closes or opened[number]):
            step = -1 if closes else 1
            opened[number] += step
            elements += step
            formatting += step * int(kind == FORMATS)
            most[OPEN_ELEMENTS] = max(most[OPEN_ELEMENTS], elements)
    return most


@part
def _tag_number(page: Bytes, begin: int, columns: Numbers, steps: States, found: Numbers) -> tuple[int, int]:
    """Give where the name of a tag ends, and its number; names are letters first."""
    state = steps[columns[STARTS + TAG_NAMES], columns[WORD_BEGIN]]
    at = begin
    while at < len(page):
        byte = int(page[at])
        byte += _TO_LOWER if _UPPER_A <= byte <= _UPPER_Z else 0
        letter = _LOWER_A <= byte <= _LOWER_Z
        if not letter and (at == begin or byte <= _SPACE or byte in (_SLASH, _GREATER, _LESS)):
            break
        state = steps[state, columns[byte]]
        at += 1
    return at, int(found[steps[state, columns[WORD_END]]])


@part
def _after_attributes(page: Bytes, at: int) -> tuple[int, int]:
    """Give where a tag ends and how many attributes it may have: its stretches of white space."""
    count = 0
    while at < len(page) and page[at] != _GREATER:
        count += int(page[at] <= _SPACE and page[at - 1] > _SPACE)
        at += 1
    return at + 1, count
