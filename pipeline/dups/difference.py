"""What differs between two texts: by words, by characters in scripts without spaces, only the changed parts.

Two near duplicates are mostly equal and may be long, for which the usual search for the longest equal stretch takes
quadratic time. So they are first pinned together where windows of tokens occur once in each of them, as patience diff
does with lines, long windows first; only what lies between two pins is compared in full, and only if that is little.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Counts, Hashes, Links
from headrace.stages.kernels.characters import fold_normalized, normalized

MOST_CHARACTERS = 1_000_000  # of each text; what is behind is not compared
_PINS = (32, 8, 4)  # tokens of a window; shorter ones are looked for between longer ones, where more of them are unique
_MOST_PAIRS = 200_000  # of tokens between two pins that are compared each with each
_ALL_PAIRS = 4_000_000  # the same between all pins of two texts
_CONTEXT = 24  # characters
_LITTLE = 2  # characters between two changes that become part of them
_SIDE = 240  # characters of a changed part that are shown
_BASE = np.uint64(0x9E3779B97F4A7C15)
# Chinese, Japanese, Thai, Lao, Burmese and Khmer letters stand alone; other letters and digits make words.
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Soft hyphens, joiners and marks of direction belong to what stands before them.
_UNSEEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_WORD = rf"[^\W{_ALONE}](?:[^\W{_ALONE}]|[{_UNSEEN}])*"
_TOKENS = re.compile(rf"[{_ALONE}][{_UNSEEN}]*|{_WORD}|\s+|.[{_UNSEEN}]*", re.DOTALL)


class Block(NamedTuple):
    """Tokens that are equal: `size` of them from `a` on in the one text and from `b` on in the other."""

    a: int
    b: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of two texts: `old` of the one stands where `new` of the other does; what is not `changed` is context."""

    old: str
    new: str
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """The changed places of two texts, each with its surroundings.

    `whole` says that no more than was read differs, `equal` that of what was read not a character does,
    however little it counts.
    """

    places: tuple[tuple[Piece, ...], ...]
    whole: bool = True
    equal: bool = True


def difference(old: str, new: str) -> Difference:
    """Compare two texts as views; no place at all if those are equal.

    Case, width, traditional characters and how much white space there is do not count, as they do not for `dedup`; what
    is equal is given as the first text has it.

    Time grows with n log n of their length, however they differ. A part of which too little is equal to be pinned is
    given as a whole.
    """
    a, b = (_TOKENS.findall(text[:MOST_CHARACTERS]) for text in (old, new))
    whole = max(len(old), len(new)) <= MOST_CHARACTERS
    blocks = matching(*(_folded(side) for side in (a, b)))
    return Difference(tuple(_places(_pieces(a, b, blocks))), whole, old[:MOST_CHARACTERS] == new[:MOST_CHARACTERS])


def _folded(tokens: Sequence[str]) -> list[str]:
    """Give tokens as the view has them, for texts in which most occur often."""
    forms = {token: " " if token.isspace() else fold_normalized(normalized(token, "NFKC")) for token in set(tokens)}
    return [forms[token] for token in tokens]


def matching(a: Sequence[str], b: Sequence[str]) -> Iterator[Block]:
    """Give the equal stretches of two sequences in order, the last one empty and at their ends."""
    known: dict[str, int] = {}
    one, other = (np.array([known.setdefault(token, len(known)) for token in side], np.int64) for side in (a, b))
    yield from _Search(one, other).between(Block(0, 0, 0), Block(len(a), len(b), 0), _PINS)
    yield Block(len(a), len(b), 0)


@dataclass(slots=True)
class _Search:
    """Looks for equal stretches of two token sequences; `left` pairs of tokens may still be compared one by one."""

    one: Counts
    other: Counts
    left: int = _ALL_PAIRS

    def between(self, first: Block, last: Block, pins: Sequence[int]) -> Iterator[Block]:
        """Give the equal stretches behind one stretch and before another."""
        a, b = first.a + first.size, first.b + first.size
        one, other = self.one[a : last.a], self.other[b : last.b]
        head = _equal(one, other)
        tail = _equal(one[head:][::-1], other[head:][::-1])
        inner, there = one[head : len(one) - tail], other[head : len(other) - tail]
        if head:
            yield Block(a, b, head)
        yield from self._unequal(inner, there, Block(a + head, b + head, 0), pins)
        if tail:
            yield Block(last.a - tail, last.b - tail, tail)

    def _unequal(self, one: Counts, other: Counts, at: Block, pins: Sequence[int]) -> Iterator[Block]:
        """The same for stretches that neither begin nor end with equal tokens."""
        pairs = len(one) * len(other)
        if 0 < pairs <= min(_MOST_PAIRS, self.left):
            self.left -= pairs
            found = SequenceMatcher(None, one.tolist(), other.tolist(), autojunk=False).get_matching_blocks()
            yield from (Block(at.a + block.a, at.b + block.b, block.size) for block in found if block.size)
        elif pairs and pins:
            before = at
            for block in _windows(one, other, pins[0]):
                pin = Block(at.a + block.a, at.b + block.b, block.size)
                yield from self.between(before, pin, pins[1:])
                yield pin
                before = pin
            yield from self.between(before, Block(at.a + len(one), at.b + len(other), 0), pins[1:])


def _equal(one: Counts, other: Counts) -> int:
    """Count the tokens that are equal at the beginning."""
    size = min(len(one), len(other))
    differ = np.flatnonzero(one[:size] != other[:size])
    return int(differ[0]) if len(differ) else size


def _windows(one: Counts, other: Counts, pin: int) -> Iterator[Block]:
    """Give windows that occur once in each, in the longest common order, grown together where they touch."""
    if min(len(one), len(other)) < pin:
        return
    (mine, my_places), (theirs, their_places) = _unique(_rolled(one, pin)), _unique(_rolled(other, pin))
    here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)[1:]
    a, b = my_places[here], their_places[there]
    order = np.argsort(a)
    a, b = a[order], b[order]
    kept = _longest_rising(b)
    a, b = a[kept], b[kept]
    at = there_at = 0
    breaks = np.flatnonzero((np.diff(a) != np.diff(b)) | (np.diff(a) > pin)) + 1
    for first, last in pairwise([0, *breaks.tolist(), len(a)]):
        if last > first:
            begin, start = int(a[first]), int(b[first])
            skipped = max(at - begin, there_at - start, 0)  # windows overlap, stretches must not
            size = int(a[last - 1]) + pin - begin - skipped
            if size > 0 and np.array_equal(one[begin : begin + size + skipped], other[start : start + size + skipped]):
                yield Block(begin + skipped, start + skipped, size)
                at, there_at = begin + skipped + size, start + skipped + size


def _rolled(tokens: Counts, pin: int) -> Hashes:
    """Hash every window of tokens."""
    values = tokens.astype(np.uint64)
    total = np.zeros(len(values) - pin + 1, np.uint64)
    for step in range(pin):
        total = (total ^ (total >> np.uint64(29))) * _BASE + values[step : step + len(total)]
    return total


def _unique(hashes: Hashes) -> tuple[Hashes, Counts]:
    """Give the hashes that occur once, and where."""
    values, places, counts = np.unique(hashes, return_index=True, return_counts=True)
    return values[counts == 1], places[counts == 1]


def _longest_rising(values: Counts) -> Links:
    """Give the places of a longest rising subsequence."""
    ends: list[int] = []
    last: list[int] = []
    before = np.full(len(values), -1, np.int32)
    for place, value in enumerate(values.tolist()):
        at = bisect_left(ends, value)
        if at:
            before[place] = last[at - 1]
        ends[at : at + 1], last[at : at + 1] = [value], [place]
    kept = np.zeros(len(last), np.int32)
    place = last[-1] if last else -1
    for at in range(len(last) - 1, -1, -1):
        kept[at] = place
        place = int(before[place])
    return kept


def _pieces(a: Sequence[str], b: Sequence[str], blocks: Iterator[Block]) -> Iterator[Piece]:
    """Give all of both texts as pieces, equal and changed in turn."""
    at = there = 0
    same = ""
    for block in _telling(a, b, blocks):
        old, new = "".join(a[at : block.a]), "".join(b[there : block.b])
        if old or new:
            yield Piece(same, same, changed=False)
            yield Piece(old, new)
            same = ""
        same += "".join(a[block.a : block.a + block.size])
        at, there = block.a + block.size, block.b + block.size
    yield Piece(same, same, changed=False)


def _telling(a: Sequence[str], b: Sequence[str], blocks: Iterator[Block]) -> Iterator[Block]:
    """Leave out the space or the comma between two changes: one change is read more easily than two."""
    for block in blocks:
        text = "".join(a[block.a : block.a + min(block.size, _LITTLE + 1)])
        begins, ends = block.a == block.b == 0, (block.a + block.size, block.b + block.size) == (len(a), len(b))
        if len(text) > _LITTLE or begins or ends:
            yield block


def _places(pieces: Iterator[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Cut what is equal down to its ends; changes that are near each other make one place."""
    place: list[Piece] = []
    for piece in pieces:
        if piece.changed:
            place.append(Piece(_shortened(piece.old), _shortened(piece.new)))
        elif not place:
            place = [_same(piece.old[-_CONTEXT:])]
        elif len(piece.old) <= 2 * _CONTEXT:
            place.append(piece)
        else:
            yield _told([*place, _same(piece.old[:_CONTEXT])])
            place = [_same(piece.old[-_CONTEXT:])]
    if any(piece.changed for piece in place):
        yield _told(place)


def _told(place: Sequence[Piece]) -> tuple[Piece, ...]:
    return tuple(piece for piece in place if piece.old or piece.new)


def _same(text: str) -> Piece:
    return Piece(text, text, changed=False)


def _shortened(text: str) -> str:
    """Leave out the middle of a long part."""
    left_out = len(text) - _SIDE
    return text if left_out <= 0 else f"{text[: _SIDE // 2]} [{left_out:,} characters] {text[-_SIDE // 2 :]}"
