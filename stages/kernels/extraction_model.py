"""What the extraction kernels know and what they find: tables as one value, nodes and blocks as columns of numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Classes

Numbers = npt.NDArray[np.int32]
Points = npt.NDArray[np.uint16]
States = npt.NDArray[np.int16]

# What a tag means to the text around it.
INLINE, BLOCK, RULE, LINE_BREAK, IMAGE, LINK, EMPHASIS, LEFT_OUT, RAW, NO_BOX = range(10)
# Bits of `Markup.traits`.
PREFORMATTED, ROW, CELL, TABLE, ITEM, ORDERED, VOID, SUPERSCRIPT, PAGE_BODY = (1 << i for i in range(9))
# Attributes that are looked at.
CLASS, NAMED, STYLE, HIDDEN, ARIA_HIDDEN = range(1, 6)

# Columns of `Page.nodes`. Row, cell and item are the nodes (0: none) of their kind that hold this one.
PARENT, TAG, HINTS, SIGNATURE, ROW_OF, CELL_OF, ITEM_OF, ORDINAL, CHILDREN, SECRET = range(10)
NODE_COLUMNS = 10
# Columns of `Page.blocks`: the node, the bytes of the text, and counts of its characters, white space left out.
NODE, BEGIN, END, CHARACTERS, WIDE, LINKED, LINKS, EMPHASIZED, STOPS, DIGITS, CAPITALS, LETTERS = range(12)
LAST, CUES, INNER_HINTS, AFTER_IMAGE, BREAKS, IS_CODE = range(12, 18)
BLOCK_COLUMNS = 18
FIRST_CHARACTERS = 40  # the digits are those among so many
CUE_CHARACTERS = 160  # so much of a block is searched for cues
NO_END, MINOR_END, SENTENCE_END = range(3)  # what the last character of a block is
TAG_NAMES, ATTRIBUTE_NAMES, CLASS_WORDS, STYLES, PHRASES = range(5)  # the automata
STARTS = 256
WORD_BEGIN, WORD_END = 2, 3  # bytes that stand for the ends of a name where automata look for whole names


class Automata(NamedTuple):
    """Several automata in one table, each of which finds all words of a list in one pass over bytes.

    A. V. Aho and M. J. Corasick, Efficient string matching, Communications of the ACM 18 (6), 1975.
    """

    columns: Numbers  # [byte]: its column in `steps`; behind them, from STARTS on, each automaton's first state
    steps: States  # [state, column]: the next state
    found: Numbers  # [state]: values of the words that end here, or-ed


class Markup(NamedTuple):
    """What the scanner knows of HTML. Kernels unpack it once: to pass it on costs more than reading a tag does."""

    automata: Automata
    roles: Numbers  # [tag]
    traits: Numbers  # [tag]
    tag_hints: Numbers  # [tag]
    left_out: int  # hints of inline elements that are left out
    left_out_superscripts: int
    hidden: int  # hint of what is there for the eye alone
    classes: Classes  # [code point]: `characters.classes`


class Marks(NamedTuple):
    """What is counted in texts."""

    automata: Automata
    classes: Classes  # [code point]
    ends: Classes  # [code point]: what it is as the last of a block
    stops: Classes  # [code point]: 1 for marks that structure sentences
    lower: Points  # [code point of the basic plane]


class Page(NamedTuple):
    """A page as the scanner sees it."""

    nodes: Numbers  # [node, NODE_COLUMNS] in document order; node 0 is the page
    blocks: Numbers  # [block, BLOCK_COLUMNS] in document order
    text: Bytes  # of all blocks
