"""Shingles of views: stretches of characters or of words, as hashes of 64 bits. All similarity here is that of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Bytes, Counts, Hashes, Offsets, read_only, text_array
from headrace.schemas.text_lanes import BEHIND
from headrace.stages.kernels.characters import classes
from headrace.stages.kernels.shingles import AUTO, CHARACTERS, GIVEN, WORDS, Given, shingle_hashes, unspaced
from headrace.stages.segmentation.words import chinese_words

Unit = Literal["auto", "characters", "words", "chinese_words"]
_UNITS = {"auto": AUTO, "characters": CHARACTERS, "words": WORDS, "chinese_words": GIVEN}
_PIECE = 1 << 18  # bytes of views whose shingles stay in the second cache


@dataclass(frozen=True, slots=True)
class Shingling:
    """What a shingle is: `size` characters or words in a row.

    auto: characters where at least half of the letters are of scripts without spaces, else words. chinese_words:
    jieba's words where auto takes characters. White space is no character. A text shorter than a shingle is one
    shingle, its whole view with all its signs, which words leave out; an empty text has none.
    """

    unit: Unit = "auto"
    size: int = 5

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"a shingle has at least one item, not {self.size}")


@dataclass(frozen=True, slots=True)
class Shingles:
    """Hashes of the shingles of texts: those of text i are `values[ends[i]:ends[i + 1]]`."""

    values: Hashes
    ends: Offsets = field(default_factory=lambda: np.zeros(1, np.int64))

    def counts(self) -> Counts:
        """Give how many there are of each text."""
        return np.diff(self.ends)

    def of(self, text: int) -> Hashes:
        """Give those of one text."""
        return self.values[self.ends[text] : self.ends[text + 1]]


Pieces = Iterator[tuple[slice, Shingles]]


def pieces(data: Bytes, offsets: Offsets, shingling: Shingling) -> Pieces:
    """Give the shingles of views, repeats included, some views at a time, with the numbers of these views.

    The values of a piece lie in one array for all, so they are gone with the next piece.
    """
    given = _given(data, offsets, shingling)
    bounds = _cut(offsets)
    sizes = offsets[bounds[1:]] - offsets[bounds[:-1]]
    out = np.empty(int(sizes.max(initial=0)) + 1, np.uint64)
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        text, views, moved = _with_more_behind(data, offsets[first : last + 1])
        part = Given(given.borders, given.firsts[first : last + 1], given.moves[first:last] - moved)
        unit, size = _UNITS[shingling.unit], shingling.size
        ends = shingle_hashes(read_only(text), read_only(views), classes(), unit, size, part, out)
        yield slice(first, last), Shingles(out[: ends[-1]], ends)


def _with_more_behind(data: Bytes, views: Offsets) -> tuple[Bytes, Offsets, int]:
    """Give the text of views, where they are in it, and how far they were moved: a copy if they are the last ones."""
    begin, end = int(views[0]), int(views[-1])
    if end + BEHIND <= len(data):
        return data, views, 0
    text = np.zeros(end - begin + BEHIND, np.uint8)
    text[: end - begin] = data[begin:end]
    return text, views - begin, begin


def shingles(data: Bytes, offsets: Offsets, shingling: Shingling) -> Shingles:
    """Give the shingles of each view in their order, repeats included."""
    return joined(Shingles(piece.values.copy(), piece.ends) for _, piece in pieces(data, offsets, shingling))


def shingle_sets(data: Bytes, offsets: Offsets, shingling: Shingling) -> Shingles:
    """Give the shingles of each view sorted and each once, as the exact Jaccard similarity needs them."""
    return joined(sets_of(piece) for _, piece in pieces(data, offsets, shingling))


def and_of_each(parts: Pieces, make: Callable[[Shingles], Shingles], found: list[Shingles]) -> Pieces:
    """Give the same pieces, and put what is made of each into a list once the next one is asked for."""
    for views, piece in parts:
        yield views, piece
        found.append(make(piece))


def joined(parts: Iterable[Shingles]) -> Shingles:
    """Join the shingles of texts to those of all texts."""
    known = [Shingles(np.zeros(0, np.uint64)), *parts]
    counts = np.concatenate([np.zeros(1, np.int64), *(part.counts() for part in known)])
    return Shingles(np.concatenate([part.values for part in known]), np.cumsum(counts))


def sets_of(piece: Shingles) -> Shingles:
    """Sort the shingles of each text in their place, and give a copy in which each is once."""
    for text in range(len(piece.ends) - 1):
        piece.of(text).sort()
    new = np.ones(len(piece.values), np.bool_)
    new[1:] = piece.values[1:] != piece.values[:-1]
    begins = piece.ends[:-1]
    new[begins[begins < len(new)]] = True
    kept = np.concatenate(([0], np.cumsum(new)))
    return Shingles(piece.values[new], kept[piece.ends])


def _cut(offsets: Offsets) -> Offsets:
    """Give the numbers of the views at which pieces begin, and the number behind the last view."""
    count = len(offsets) - 1
    places = (offsets[:-1] - offsets[0]) // _PIECE
    begins = np.flatnonzero(np.diff(places, prepend=-1))
    return np.append(begins, count)


def _given(data: Bytes, offsets: Offsets, shingling: Shingling) -> Given:
    """Find the words of views that write no spaces, if they are asked for."""
    count = len(offsets) - 1
    if shingling.unit != "chinese_words" or not count:
        return Given(np.zeros(0, np.int64), np.zeros(count + 1, np.int64), np.zeros(count, np.int64))
    flags = unspaced(read_only(data), read_only(offsets), classes())
    texts = pc.if_else(pa.array(flags), text_array(data, offsets), "")
    words = chinese_words(texts)
    sizes = np.where(flags, np.diff(offsets), 0)
    begins = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    return Given(words.borders, words.firsts, offsets[:-1] - begins)
