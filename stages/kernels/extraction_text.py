"""The text of blocks as it is taken out of markup: white space collapsed as a browser does it."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Classes, Counts
from headrace.schemas.compiled import part
from headrace.stages.kernels.characters import BREAK, SPACE
from headrace.stages.kernels.utf8 import copy, decode, encode

# What the scanner remembers: how much it has written, what is open, and (from FIRST_OF_BLOCK on) what it has seen of
# the block that it is in.
TO, BLOCKS, NODES, OPEN, IN_LINK, IN_EMPHASIS, IN_CODE, IMAGE_SEEN, BEGUN = range(9)
SOLID, SOLID_LINKED, SOLID_EMPHASIZED, PENDING, EMPTY_LINES, LINKS_INSIDE, HINTS_INSIDE = range(9, 16)
FIRST_OF_BLOCK, MEMORY = 9, 16
_NONE, _BLANK, _WIDE_BLANK, _LINE = range(4)  # white space that is written if text follows

_LESS, _AND, _SEMICOLON, _LINE_FEED, _SPACE = (ord(c) for c in "<&;\n ")
_OF_LESS, _OF_GREATER, _OF_NO_BREAK = (ord(c) for c in "lgn")
_GREATER, _NO_BREAK, _IDEOGRAPHIC_SPACE = 0x3E, 0xA0, 0x3000


@part
def take_text(html: Bytes, at: int, out: Bytes, memory: Counts, classes: Classes) -> int:
    """Add text up to the next tag to the block; give where that tag begins."""
    to, solid = memory[TO], 0
    pending, empty = memory[PENDING], memory[SOLID] == 0
    code = memory[IN_CODE] > 0
    while at < len(html) and html[at] != _LESS:
        begin = at
        if html[at] == _AND:
            point, at = _entity(html, at)
        else:
            point, at = decode(html, at)
        kind = classes[point]
        if kind in (SPACE, BREAK):
            if code:
                to = encode(out, to, _SPACE if point == _NO_BREAK else point)
            elif pending != _LINE:
                pending = max(pending, _WIDE_BLANK if point == _IDEOGRAPHIC_SPACE else _BLANK)
            continue
        if pending and not empty:
            to = encode(out, to, _white_space(pending))
        pending = _NONE
        if html[begin] == _AND:
            to = encode(out, to, point)
        else:
            to = copy(html, begin, at, out, to)
        solid += int(kind != 0)  # zero width and controls take no place
        empty = False
    _remember(memory, to, solid, pending)
    return at


@part
def _remember(memory: Counts, to: int, solid: int, pending: int) -> None:
    memory[TO] = to
    memory[PENDING] = pending
    memory[SOLID] += solid
    if solid:
        memory[EMPTY_LINES] = 0
    if memory[IN_LINK]:
        memory[SOLID_LINKED] += solid
    if memory[IN_EMPHASIS]:
        memory[SOLID_EMPHASIZED] += solid


@part
def _white_space(pending: int) -> int:
    if pending == _LINE:
        return _LINE_FEED
    return _IDEOGRAPHIC_SPACE if pending == _WIDE_BLANK else _SPACE


@part
def _entity(html: Bytes, at: int) -> tuple[int, int]:
    """Give the character of a reference and where it ends; canonical markup has no more than these four in a text."""
    first = html[at + 1] if at + 1 < len(html) else _SPACE
    while at < len(html) and html[at] != _SEMICOLON:
        at += 1
    if first == _OF_LESS:
        return _LESS, at + 1
    if first == _OF_GREATER:
        return _GREATER, at + 1
    return _NO_BREAK if first == _OF_NO_BREAK else _AND, at + 1


@part
def break_line(out: Bytes, memory: Counts) -> bool:
    """Begin a new line; say whether the line before was empty, which ends a paragraph but not a piece of code."""
    if memory[IN_CODE]:
        memory[TO] = encode(out, memory[TO], _LINE_FEED)
        return False
    memory[EMPTY_LINES] += 1
    memory[PENDING] = _LINE
    return bool(memory[EMPTY_LINES] > 1)


@part
def trimmed(out: Bytes, memory: Counts) -> tuple[int, int]:
    """Give where the block's text begins and ends: white space at its end goes, lines of nothing before code too."""
    begin, end = memory[BEGUN], memory[TO]
    while end > begin and out[end - 1] <= _SPACE:
        end -= 1
    at = begin
    while memory[IN_CODE] and at < end and out[at] <= _SPACE:
        if out[at] == _LINE_FEED:
            begin = at + 1
        at += 1
    memory[TO] = end if memory[SOLID] else begin
    return begin, end
