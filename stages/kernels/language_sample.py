"""What a statistical model gets to read of a document: words in the main script, pieces from all over a long one."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.language_lines import CODE, PROSE, Traits, address_end, line_kind
from headrace.stages.kernels.language_scan import NOTHING, is_blank, script_behind, stretch_end
from headrace.stages.kernels.utf8 import decode, encode

PIECE = 64  # bytes of letters that stand together in a sample
_SPACE = 0x20


@kernel
def sample(
    data: Bytes,
    offsets: Offsets,
    chosen: Counts,
    main: Counts,
    letters: Counts,
    code: Counts,
    limit: int,
    scripts: Classes,
    traits: Traits,
    keywords: Hashes,
) -> tuple[Bytes, Offsets]:
    """Give the samples of the chosen documents, each with about `limit` bytes of letters, or all that there are.

    `main` is the script of each, in which letters are kept; `letters` says how many bytes of it the prose has, `code`
    how many bytes of code there are. What stands between, other letters too, becomes one space; code and addresses are
    left out, full-width letters become half-width. A document with more than `limit` gives every n-th piece.
    """
    bounds = np.zeros(len(chosen) + 1, np.int64)
    out = np.empty(2 * (letters + 1).clip(0, limit + 4 * PIECE).sum(), np.uint8)
    size = 0
    for row in range(len(chosen)):
        begin, end = offsets[chosen[row]], offsets[chosen[row] + 1]
        stride = max(1, (letters[row] + limit - 1) // limit)
        if code[row]:
            size = document_sample(data, begin, end, main[row], stride, scripts, traits, keywords, out, size)
        else:
            _, size = text_sample(data, begin, end, main[row], stride, scripts, out, 0, size)
        bounds[row + 1] = size
    return out[:size], bounds


@part
def document_sample(
    data: Bytes,
    at: int,
    end: int,
    main: int,
    stride: int,
    scripts: Classes,
    traits: Traits,
    keywords: Hashes,
    out: Bytes,
    size: int,
) -> int:
    """Write every n-th piece of a document's prose and give where the next byte goes."""
    seen = 0
    before = PROSE
    while at < end:
        stop = stretch_end(data, at, end)
        if not is_blank(data, at, stop):
            before = line_kind(data, at, stop, before, traits, keywords)
            if before != CODE:
                seen, size = text_sample(data, at, stop, main, stride, scripts, out, seen, size)
        at = stop + int(stop < end and data[stop] == 0x0A)
    return size


@part
def text_sample(
    data: Bytes, at: int, end: int, main: int, stride: int, scripts: Classes, out: Bytes, seen: int, size: int
) -> tuple[int, int]:
    """Write the letters of a line or more, one space behind each run; give what was seen so far, and the place."""
    within = False  # the last character was written
    base = NOTHING  # the script of the character just before
    while at < end:
        place = at
        point, at = decode(data, at)
        script = script_behind(base, scripts[point])
        if point == 0x68 or point == 0x77:
            behind = address_end(data, place, end)
            if behind > place:
                at, script = behind, NOTHING
        base = script
        if script == main:
            if seen // PIECE % stride == 0:
                size = encode(out, size, narrow(point))
                within = True
            seen += at - place
        elif within:
            out[size] = _SPACE
            size += 1
            within = False
    if within:
        out[size] = _SPACE
        size += 1
    return seen, size


@part
def narrow(point: int) -> int:
    """Give the half-width form of a full-width letter, and every other code point as it is."""
    return point - 0xFEE0 if 0xFF01 <= point <= 0xFF5E else point
