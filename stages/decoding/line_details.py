"""What is odd about the lines of a text, in words: for the column `encoding_detail` and for messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_NAMED = 5  # places that a detail names before it counts


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row begins in its file: its first line, counted from 1 (None: nobody counted), and its first byte."""

    line: int | None
    byte: int


FIRST = Place(1, 0)


@dataclass(frozen=True, slots=True)
class Line:
    """What is told about a line: its number and first byte within the row, codes lost, its charset if another."""

    number: int
    begin: int
    lost: int
    codec: int | None


def detail(lines: Sequence[Line], place: Place, names: Sequence[str], more: int = 0) -> str:
    """Tell what is odd about which lines, as a person reads it; lines are counted from 1, bytes from 0.

    `more` such lines were not looked at.

    >>> lines = (Line(17, 834, 3, None), Line(20, 900, 0, 0), Line(21, 950, 0, 0))
    >>> detail(lines, FIRST, ["gb18030"])
    'line 17 (byte 834): 3 codes lost; lines 20-21 as gb18030'
    """
    told = list(_told(lines, place, names))
    rest = max(0, len(told) - _NAMED) + more
    return "; ".join(told[:_NAMED]) + (f"; {rest} more places" if rest else "")


def _told(lines: Sequence[Line], place: Place, names: Sequence[str]) -> Iterator[str]:
    """Name each damaged line, and runs of whole lines in one other charset."""
    for (lost, codec, _), run in groupby(enumerate(lines), lambda item: _alike(*item)):
        first, *rest = [line for _, line in run]
        where = f"byte {place.byte + first.begin}"
        if place.line is not None:
            number = place.line + first.number - 1
            where = f"line {number} ({where})" if not rest else f"lines {number}-{number + len(rest)}"
        charset = f" as {names[codec]}" if codec is not None else ""
        loss = f": {lost} {'codes' if lost > 1 else 'code'} lost" if lost else ""
        yield where + charset + loss


def _alike(position: int, line: Line) -> tuple[int, int | None, int]:
    """Give what lines that are told together have in common: consecutive, whole, in one charset."""
    return line.lost, line.codec, position if line.lost else position - line.number
