"""Lines of a unit: which are left alone, which are asked for, and which are taken out as seen before."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Flags, Floats, Hashes, Links, Offsets
from headrace.schemas.compiled import kernel, part

STAYS, SHARE, EMPTIED = range(3)
_NEWLINE, _SPACE, _TAB, _RETURN = 0x0A, 0x20, 0x09, 0x0D
_GRAVE, _TILDE, _BAR = 0x60, 0x7E, 0x7C
_FENCE = 3  # signs that a fence has at least (CommonMark 0.31, 4.5)


@part
def first_sign(data: Bytes, begin: int, end: int) -> int:
    """Give where a line's first byte is that is no space or tab."""
    while begin < end and (data[begin] == _SPACE or data[begin] == _TAB):
        begin += 1
    return begin


@part
def fence_at(data: Bytes, at: int, end: int) -> tuple[int, int]:
    """Give the sign of a fence that begins at a byte and how many there are; no sign is 0."""
    sign = int(data[at]) if at < end else 0
    if sign != _GRAVE and sign != _TILDE:  # numba compiles no `in` over a tuple of globals well
        return 0, 0
    size = 0
    while at + size < end and data[at + size] == sign:
        size += 1
    return (sign, size) if size >= _FENCE else (0, 0)


@part
def only_white(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether nothing but white space of ASCII is left."""
    for at in range(begin, end):
        sign = data[at]
        if sign != _SPACE and sign != _TAB and sign != _RETURN and sign != _NEWLINE:
            return False
    return True


@kernel
def spared_lines(data: Bytes, bounds: Offsets, firsts: Offsets, code: bool, tables: bool) -> Flags:  # noqa: FBT001
    """Flag the lines of fenced code, fences included, and the rows of tables: those that begin with a bar.

    A fence that nothing closes reaches to the end of its document.
    """
    spared = np.zeros(len(bounds) - 1, np.bool_)
    for document in range(len(firsts) - 1):
        fence = length = 0
        for line in range(firsts[document], firsts[document + 1]):
            end = bounds[line + 1]
            at = first_sign(data, bounds[line], end)
            spared[line] = fence != 0 or (tables and at < end and data[at] == _BAR)
            sign, size = fence_at(data, at, end) if code else (0, 0)
            if fence == 0 and sign:
                fence, length, spared[line] = sign, size, True
            elif sign and sign == fence and size >= length and only_white(data, at + size, end):
                fence = 0
    return spared


@kernel
def ask_once(keys: Hashes, firsts: Offsets, asked: Flags, each: bool) -> tuple[Links, Offsets, Offsets]:  # noqa: FBT001
    """Number what is asked for in each document: every different key once, or with `each` every line.

    Gives for each line its number in its document (-1: it is not asked for), for each number its first line, and where
    a document's numbers begin among all.
    """
    numbers = np.full(len(keys), -1, np.int32)
    lines = np.empty(len(keys), np.int64)
    begins = np.zeros(len(firsts), np.int64)
    total = 0
    for document in range(len(firsts) - 1):
        room = 4
        while room < 2 * (firsts[document + 1] - firsts[document]):
            room *= 2
        held = np.full(room, -1, np.int64)  # open addressing: the first line with each key
        for line in range(firsts[document], firsts[document + 1]):
            if not asked[line]:
                continue
            slot = np.int64(keys[line, 0] & np.uint64(room - 1))
            while not each and held[slot] >= 0:
                other = held[slot]
                if keys[other, 0] == keys[line, 0] and keys[other, 1] == keys[line, 1]:
                    numbers[line] = numbers[other]
                    break
                slot = (slot + 1) & (room - 1)
            if numbers[line] < 0:
                held[slot] = line
                numbers[line], lines[total] = total - begins[document], line
                total += 1
        begins[document + 1] = total
    return numbers, lines[:total].copy(), begins


@part
def hold(
    key: int,
    document: int,
    occurrences: int,
    standing: Links,
    heads: Offsets,
    row: int,
    levels: Links,
    holders: Offsets,
) -> bool:
    """Tell whether enough documents that stay have a line, and note the first of them; if not, this one has it too."""
    holders[row] = heads[key]
    if standing[key] >= occurrences:
        return True
    if standing[key] == 0:
        heads[key] = document
    levels[row] = standing[key]
    standing[key] += 1
    return False


@part
def give_back(same: Links, begin: int, end: int, standing: Links, heads: Offsets, levels: Links) -> None:
    """Take back what `hold` noted of a document: it leaves, so it has no line."""
    for row in range(begin, end):
        if levels[row] < 0:
            continue
        standing[same[row]] -= 1
        if standing[same[row]] == 0:
            heads[same[row]] = -1
        levels[row] = -1


@part
def take_runs(
    numbers: Links, letters: Counts, begin: int, end: int, seen: Flags, alone: int, together: int, taken: Flags
) -> None:
    """Flag the seen lines of a document that have enough letters alone, or together with those around them.

    What is not asked for parts no row of seen lines.
    """
    first, total = begin, 0
    for line in range(begin, end + 1):
        if line < end and numbers[line] < 0:
            continue
        if line < end and seen[numbers[line]]:
            total += letters[line]
            continue
        for back in range(first, line):
            taken[back] = numbers[back] >= 0 and (total >= together or letters[back] >= alone)
        first, total = line + 1, 0


@kernel
def decide_lines(
    numbers: Links,
    letters: Counts,
    firsts: Offsets,
    begins: Offsets,
    same: Links,
    standing: Links,
    heads: Offsets,
    first: int,
    occurrences: int,
    alone: int,
    together: int,
    most: float,
) -> tuple[Flags, Offsets, Classes, Floats, Links]:
    """Decide about a unit's documents in order: lines taken, who has each, fates, shares of letters taken, and levels.

    `same` numbers the different keys of the unit: `standing` is how many documents that stay have each, and `heads` the
    first of them, -1 if none: before the unit, whose documents are numbered from `first` on, and in the end after it.
    A level is how many had a line before the document that stays and is one of the first `occurrences`, else -1.
    Lines of fewer letters than `alone` stay, but for those in a row that has as many as `together`; with a share above
    `most` a document goes, and what was new in it is as if nobody had it.
    """
    taken = np.zeros(len(numbers), np.bool_)
    holders, levels = np.full(begins[-1], -1, np.int64), np.full(begins[-1], -1, np.int32)
    fates = np.zeros(len(firsts) - 1, np.uint8)
    shares = np.zeros(len(firsts) - 1)
    for document in range(len(firsts) - 1):
        seen = np.zeros(begins[document + 1] - begins[document], np.bool_)
        for row in range(begins[document], begins[document + 1]):
            key = int(same[row])
            asked = hold(key, first + document, occurrences, standing, heads, row, levels, holders)
            seen[row - begins[document]] = asked
        begin, end = firsts[document], firsts[document + 1]
        take_runs(numbers, letters, begin, end, seen, alone, together, taken)
        total = out = 0
        for line in range(begin, end):
            total += max(letters[line], 0)
            out += letters[line] if taken[line] else 0
        shares[document] = out / max(total, 1)
        if out and shares[document] > most:
            fates[document] = SHARE
        elif out and out == total:
            fates[document] = EMPTIED
        if fates[document] != STAYS:
            give_back(same, begins[document], begins[document + 1], standing, heads, levels)
    return taken, holders, fates, shares, levels
