"""A page as columns: its boxes, its blocks of text, and what is known of them before anything is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from resiliparse.parse.html import HTMLTree

from headrace.schemas.arrays import Bytes, Flags, Floats, Places
from headrace.stages.kernels.extraction_measures import measure_blocks
from headrace.stages.kernels.extraction_model import (
    BEGIN,
    CELL_OF,
    CHARACTERS,
    DIGITS,
    END,
    IS_CODE,
    LETTERS,
    LINKED,
    NODE,
    PARENT,
    ROW_OF,
    SIGNATURE,
    TAG,
    Numbers,
)
from headrace.stages.kernels.extraction_scan import scan
from headrace.stages.parsing.extraction import tags
from headrace.stages.parsing.extraction.markup import marks, markup
from headrace.stages.parsing.extraction.titles import title_of

_LEAST_TITLE_BYTES = 12  # 12 letters or four Han characters
_NO_WORD = re.compile(r"[\W_]+")
_IS_HEADING = np.isin(tags.TAGS, tags.HEADINGS)  # [tag]
_IN_SERIES = np.isin(tags.TAGS, tags.SERIES)
_IS_TITLE = np.isin(tags.TAGS, ("h1", "h2", "h3"))
_H1 = tags.NUMBERS["h1"]


@dataclass(frozen=True)
class Blocks:
    """The blocks of a page in order; `homes` are their boxes."""

    nodes: Numbers
    table: Numbers
    text: Bytes
    title: str | None  # of the page, from its head

    def __len__(self) -> int:
        return len(self.table)

    def chosen(self, places: Places) -> Blocks:
        """Give some of the blocks as if there were no others."""
        return Blocks(self.nodes, self.table[places], self.text, self.title)

    def column(self, number: int) -> Floats:
        """Give one column of the blocks as numbers to reckon with."""
        return self.table[:, number].astype(np.float64)

    def text_of(self, block: int) -> str:
        """Give the text of one block."""
        begin, end = self.table[block, BEGIN], self.table[block, END]
        return self.text[begin:end].tobytes().decode()

    @cached_property
    def homes(self) -> Numbers:
        """Give the box that each block stands in."""
        return np.ascontiguousarray(self.table[:, NODE])

    @cached_property
    def parents(self) -> Numbers:
        """Give the box around each box."""
        return np.ascontiguousarray(self.nodes[:, PARENT])

    @cached_property
    def tags(self) -> Numbers:
        """Give the tag of each block's box."""
        found: Numbers = self.nodes[self.homes, TAG]
        return found

    @cached_property
    def data_rows(self) -> Numbers:
        """Give the row of each block, 0 where a cell of the row holds several: such tables are there for the layout."""
        rows, cells = self.nodes[self.homes, ROW_OF], self.nodes[self.homes, CELL_OF]
        many = np.bincount(cells, minlength=len(self.nodes)) > 1
        loose = (rows > 0) & (many[cells] | (cells == 0) | (self.table[:, IS_CODE] > 0))
        bad = np.zeros(len(self.nodes), np.bool_)
        bad[rows[loose]] = True
        return np.where(bad[rows], 0, rows)

    @cached_property
    def series(self) -> Numbers:
        """Give for each box a number that like boxes share, 0 for what does not come in series."""
        return np.where(_IN_SERIES[self.nodes[:, TAG]], self.nodes[:, SIGNATURE], 0)

    @cached_property
    def headings(self) -> Flags:
        """Flag the blocks that are headings."""
        return _IS_HEADING[self.tags]

    @cached_property
    def heading(self) -> int:
        """Give the block that is the heading of the whole text, -1 if there is none.

        It is the first that the page's title repeats, or the first h1 that is no link.
        """
        wanted = _bare(self.title or "")
        first = -1
        for block in np.flatnonzero(_IS_TITLE[self.tags]).tolist():
            spelled = _bare(self.text_of(block))
            if len(spelled.encode()) >= _LEAST_TITLE_BYTES and (spelled in wanted or (wanted and wanted in spelled)):
                return block
            linked = 2 * self.table[block, LINKED] >= self.table[block, CHARACTERS]
            if first < 0 and self.tags[block] == _H1 and not linked:
                first = block
        return first


def blocks_of(page: str) -> Blocks:
    """Parse a page and take it apart; one sign alone is no block."""
    canonical = str(HTMLTree.parse(page)).encode()
    found = scan(np.frombuffer(canonical, np.uint8), markup())
    measure_blocks(found.text, found.blocks, marks())
    table = found.blocks
    spelled = (table[:, CHARACTERS] > 1) | (table[:, LETTERS] + table[:, DIGITS] > 0)
    return Blocks(found.nodes, table[spelled], found.text, title_of(page))


def _bare(text: str) -> str:
    return _NO_WORD.sub("", text.lower())
