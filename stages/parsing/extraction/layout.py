"""Blocks as lines: a dash or a number before a list item, bars between the cells of a row, code as it is indented."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Flags, Places
from headrace.stages.kernels.extraction_model import (
    CELL_OF,
    CHARACTERS,
    IS_CODE,
    ITEM_OF,
    ORDINAL,
    PARENT,
    ROW_OF,
    TAG,
    Numbers,
)
from headrace.stages.parsing.extraction import tags
from headrace.stages.parsing.extraction.pages import Blocks

_BETWEEN_CELLS = " | "
_INDENT = "  "
_DEEPEST = 8  # lists in lists are indented no further: 5,000 of them would give megabytes of spaces
_ORDERED = tags.NUMBERS["ol"]


def laid_out(blocks: Blocks, kept: Flags) -> str:
    """Give the kept blocks as a text; of a row of a table all cells, if most of it is kept."""
    rows = blocks.data_rows
    kept = _whole_rows(blocks, kept, rows)
    places = np.flatnonzero(kept)
    row_lines = _row_lines(blocks, places[rows[places] > 0], rows)
    lines: list[str] = []
    row = item = 0
    for place in places.tolist():
        home = blocks.nodes[blocks.homes[place]]
        if rows[place]:
            if rows[place] != row:
                lines.append(row_lines[int(rows[place])])
        elif home[ITEM_OF] != item and home[ITEM_OF] and not blocks.table[place, IS_CODE]:
            lines.append(_bullet(blocks.nodes, int(home[ITEM_OF])) + blocks.text_of(place))
        else:
            lines.append(blocks.text_of(place))
        row, item = rows[place], home[ITEM_OF]
    return "\n".join(lines)


def _whole_rows(blocks: Blocks, kept: Flags, rows: Numbers) -> Flags:
    sizes = blocks.column(CHARACTERS)
    most = np.bincount(rows, np.where(kept, sizes, -sizes), len(blocks.nodes)) > 0
    return np.where(rows > 0, most[rows], kept)


def _row_lines(blocks: Blocks, places: Places, rows: Numbers) -> dict[int, str]:
    """Give the line of each row; a cell without text keeps its place between others."""
    texts: dict[int, dict[int, str]] = {}
    for place in places.tolist():
        cell = int(blocks.nodes[blocks.homes[place], CELL_OF])
        texts.setdefault(int(rows[place]), {})[cell] = blocks.text_of(place).replace("\n", " ")
    cells: dict[int, list[str]] = {row: [] for row in texts}
    for cell in np.flatnonzero(blocks.nodes[1:, CELL_OF] == np.arange(1, len(blocks.nodes))).tolist():
        row = int(blocks.nodes[cell + 1, ROW_OF])
        if row in texts:
            cells[row].append(texts[row].get(cell + 1, ""))
    return {row: _row_line(found) for row, found in cells.items()}


def _row_line(cells: list[str]) -> str:
    """Give the cells up to the last that has a text; one alone stands for itself."""
    last = max(number for number, text in enumerate(cells) if text)
    if not any(cells[:last]):
        return cells[last]
    return _BETWEEN_CELLS.join(cells[: last + 1]).strip()


def _bullet(nodes: Numbers, item: int) -> str:
    """Give what stands before the first line of a list item."""
    around = nodes[item, PARENT]
    mark = f"{nodes[item, ORDINAL]}. " if nodes[around, TAG] == _ORDERED else "- "
    depth = 0
    outer = nodes[around, ITEM_OF]
    while outer and depth < _DEEPEST:
        depth += 1
        outer = nodes[nodes[outer, PARENT], ITEM_OF]
    return _INDENT * depth + mark
