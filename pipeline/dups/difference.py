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
import pyarrow as pa

from headrace.schemas.arrays import Counts, Hashes, Links
from headrace.stages.view import MappedViews, views_with_offsets

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
_MARKS = (
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"  # of what is before
)
_WORD = rf"[^\W{_ALONE}](?:[^\W{_ALONE}]|[{_MARKS}])*"
_TOKENS = re.compile(rf"[{_ALONE}][{_MARKS}]*|{_WORD}|\s+|.[{_MARKS}]*", re.DOTALL)


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


@dataclass(frozen=True, slots=True)
class _Tokenized:
    """The tokens of a view, and the text that it is of: token i came from the bytes `begins[i]:begins[i + 1]`.

    `cuts` says where the text may be cut: a character that the view has as several tokens (½) is no place for that, nor
    is a letter with its marks.
    """

    tokens: list[str]
    text: bytes
    begins: list[int]
    cuts: list[bool]

    @classmethod
    def of(cls, text: str, tokens: list[str], mapped: MappedViews) -> _Tokenized:
        """Find where the tokens of the one view that was mapped came from."""
        letters = np.flatnonzero((mapped.data & 0xC0) != 0x80)  # bytes that begin a character
        places = letters[np.cumsum([0, *map(len, tokens)])[:-1]] if tokens else letters
        end = int(mapped.ends[-1]) if tokens else 0
        inner = mapped.begins[places[1:]] != mapped.begins[places[1:] - 1]
        cuts = [True, *inner.tolist(), True] if tokens else [True]
        return cls(tokens, text.encode(), [*mapped.begins[places].tolist(), end], cuts)

    def between(self, begin: int, end: int) -> str:
        """Give what some tokens came from."""
        return self.text[self.begins[begin] : self.begins[end]].decode()


def difference(old: str, new: str) -> Difference:
    """Compare two texts as views; no place at all if those are equal, at least one if they are not.

    What does not count for `dedup` does not here: case, width, how an accent is written, traditional characters, unseen
    characters, how much white space there is. What is equal is given as the first text has it.

    Time grows with n log n of their length, however they differ. A part of which too little is equal to be pinned is
    given as a whole.
    """
    whole = max(len(old), len(new)) <= MOST_CHARACTERS
    old, new = old[:MOST_CHARACTERS], new[:MOST_CHARACTERS]
    one, other = (views_with_offsets(pa.array([text], pa.large_string())) for text in (old, new))
    if one.data.tobytes() == other.data.tobytes():
        return Difference((), whole, old == new)
    a, b = (
        _Tokenized.of(text, _TOKENS.findall(view.data.tobytes().decode()), view)
        for text, view in ((old, one), (new, other))
    )
    return Difference(tuple(_places(_pieces(a, b))), whole, equal=False)


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


def _pieces(a: _Tokenized, b: _Tokenized) -> Iterator[Piece]:
    """Give all of both texts as pieces, equal and changed in turn."""
    at = there = 0
    same = ""
    for block in _telling(a, b):
        old, new = a.between(at, block.a), b.between(there, block.b)
        if old or new:
            yield Piece(same, same, changed=False)
            yield Piece(old, new)
            same = ""
        at, there = block.a + block.size, block.b + block.size
        same += a.between(block.a, at)
    yield Piece(same, same, changed=False)


def _telling(a: _Tokenized, b: _Tokenized) -> Iterator[Block]:
    """Leave out the space or the comma between two changes: one change is read more easily than two."""
    for found in matching(a.tokens, b.tokens):
        block = _cut(a, b, found)
        length = sum(map(len, a.tokens[block.a : block.a + min(block.size, _LITTLE + 1)]))
        begins = block.a == block.b == 0 and block.size
        ends = (block.a + block.size, block.b + block.size) == (len(a.tokens), len(b.tokens))
        if length > _LITTLE or begins or ends:
            yield block


def _cut(a: _Tokenized, b: _Tokenized, block: Block) -> Block:
    """Leave out the ends of a stretch that lie within a character of either text."""
    first, last = 0, block.size
    while first < last and not (a.cuts[block.a + first] and b.cuts[block.b + first]):
        first += 1
    while first < last and not (a.cuts[block.a + last] and b.cuts[block.b + last]):
        last -= 1
    return Block(block.a + first, block.b + first, last - first)


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
