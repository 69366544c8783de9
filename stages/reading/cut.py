"""Where records begin and end in a block of bytes: one vectorised pass, the same answer wherever the block was cut.

A cutter works on the block's proxy (one byte a code unit). It gives the *safe points*: places behind which a new record
begins whatever came before. A stretch between two safe points is one record, or blank.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.csv_rows import BARE, CLOSING, FIELD, MOST_LINES, QUOTED, row_ends

Block = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

_NEWLINE, _QUOTE, _SPACE = 10, 34, 32
_CARRIES = {FIELD: b"", BARE: b"x", QUOTED: b'"', CLOSING: b'""'}  # what leads to each state


@dataclass(frozen=True, slots=True)
class Cutter:
    """How one kind of record is cut. `carry` stands for a long text in front: it leaves `safe` in the same state."""

    safe: Callable[[Block], Places]
    carry: Callable[[Block], bytes]


def line_feeds(block: Block) -> Places:
    """Give where the line feeds are."""
    return np.flatnonzero(block == _NEWLINE)


def _line_ends(block: Block) -> Places:
    return line_feeds(block) + 1


def _blank_line_ends(block: Block) -> Places:
    ends = _line_ends(block)
    if not len(ends):
        return ends
    starts = np.concatenate(([0], ends[:-1]))
    return ends[np.maximum.reduceat(block[: ends[-1]], starts) <= _SPACE]


def _row_ends(block: Block) -> Places:
    if not (block == _QUOTE).any():
        return _line_ends(block)
    return row_ends(_frozen(block), MOST_LINES)[0]


def _last_line(block: Block) -> bytes:
    newlines = line_feeds(block)
    begin = newlines[-1] + 1 if len(newlines) else 0
    tail = block[begin:]
    return b"x" if len(tail) and tail.max() > _SPACE else b" "


def _open_quote(block: Block) -> bytes:
    return _CARRIES[row_ends(_frozen(block), MOST_LINES)[1]]


def _frozen(block: Block) -> Block:
    """Give a view that cannot be written: a writable array would be a second type to the compiler."""
    view = block.view()
    view.flags.writeable = False
    return view


LINES = Cutter(_line_ends, lambda block: b"")
PARAGRAPHS = Cutter(_blank_line_ends, _last_line)
ROWS = Cutter(_row_ends, _open_quote)


def filled(block: Block, starts: Places, end: int) -> npt.NDArray[np.bool_]:
    """Say which stretches hold more than white space and control characters."""
    if not len(starts):
        return np.zeros(0, bool)
    return np.maximum.reduceat(block[:end], starts) > _SPACE
