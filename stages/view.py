"""The view: the form of a text in which two spellings of the same words are equal. Dedup and statistics work on it.

NFKC, case-folded, traditional characters as simplified ones, control and format characters left out, white space
collapsed. The text itself is never changed by it; what is found in a view is found again in its text by `MappedViews`.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import (
    Bytes,
    CodePoints,
    Column,
    Offsets,
    Places,
    read_only,
    text_array,
    text_buffers,
)
from headrace.stages.kernels.characters import EXPANDS, Folding, classes, fold_normalized, folding, normalized


def view(text: str) -> str:
    r"""Give the match form of one text.

    >>> view("　ＨＥＡＤ　race\n漢字 ")
    'head race 汉字'
    """
    return " ".join(fold_normalized(unicodedata.normalize("NFKC", text)).split())


@dataclass(frozen=True, slots=True)
class MappedViews:
    """The match forms of texts, as `views` gives them, and where each byte of them came from.

    Byte i of `data` came from the bytes `begins[i]` to `ends[i]` of its own text, counted from that text's beginning:
    a character, one with the marks that join it, or a run of white space. The bytes of one character share their place,
    and so do the characters that one expands to (ﬁ). Within a view neither array ever falls.
    """

    data: Bytes
    offsets: Offsets
    begins: Places
    ends: Places

    def spans(self, first: Offsets, last: Offsets) -> tuple[Places, Places]:
        """Give the spans of whole text characters behind the spans `first[k]:last[k]` of `data`.

        Each span lies in one view and holds at least a byte; one that cuts a character takes in the whole of it.
        """
        if (first >= last).any():
            raise ValueError("a span of a view holds at least one byte")
        return self.begins[first], self.ends[last - 1]


def views(column: Column) -> tuple[Bytes, Offsets]:
    """Give the match forms of a text column as bytes and offsets: what `view` gives, some hundred times faster."""
    return _fold(_prepared(column), None)


def views_with_offsets(column: Column) -> MappedViews:
    """Give the match forms of a text column, and for each of their bytes where in its text it came from.

    The places are int32, and int64 where a text of the column is longer than 2 GiB.
    """
    texts = _prepared(column)
    short = bool(np.diff(texts.offsets).max(initial=0) <= np.iinfo(np.int32).max)
    begins, ends = _room(texts.room, short=short), _room(texts.room, short=short)
    data, offsets = _fold(texts, (begins, ends))
    return MappedViews(data, offsets, begins[: len(data)], ends[: len(data)])


def _room(size: int, *, short: bool) -> Places:
    return np.empty(size, np.int32) if short else np.empty(size, np.int64)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts to be folded, the tables that they need, and how many bytes their views take at most.

    `segments` holds begin, end and form of the segments that go through the library, and one more behind all data.
    """

    data: Bytes
    offsets: Offsets
    table: Folding
    segments: tuple[Offsets, Offsets, CodePoints]
    room: int


def _prepared(column: Column) -> _Texts:
    from headrace.stages.kernels.fold import longer_segments, view_bounds

    data, offsets = text_buffers(column)
    table = folding()
    room, count = view_bounds(data, offsets, table.folded, table.starts, table.longer, table.joins)
    if not count:
        return _Texts(data, offsets, table, (_behind(), _behind(), read_only(np.zeros(1, np.uint32))), room)
    begins, ends = longer_segments(data, offsets, table.joins, count)
    pieces = text_array(data, np.stack((begins, ends), axis=1).ravel())  # every second is a segment
    found = pieces.take(pa.array(range(0, 2 * count, 2), pa.int64())).dictionary_encode()
    forms = [fold_normalized(normalized(str(segment), "NFKC")) for segment in found.dictionary.to_pylist()]
    sizes = np.array([len(form.encode()) for form in forms])
    table, entries = _with_forms(table, forms)
    which = np.append(found.indices.to_numpy(), 0)
    segments = (_behind(begins), _behind(ends), read_only(entries[which]))
    return _Texts(data, offsets, table, segments, room + int(sizes[which].sum()))


def _with_forms(table: Folding, forms: list[str]) -> tuple[Folding, CodePoints]:
    """Give tables with more forms of several characters, and the entries that stand for these."""
    points = np.frombuffer("".join(forms).encode("utf-32-le"), np.uint32)
    ends = table.starts[-1] + np.cumsum([len(form) for form in forms])
    entries = (EXPANDS | (len(table.starts) - 1 + np.arange(len(forms)))).astype(np.uint32)
    starts, longer = np.concatenate((table.starts, ends)), np.concatenate((table.longer, points))
    return replace(table, starts=read_only(starts), longer=read_only(longer)), entries


def _fold(texts: _Texts, places: tuple[Places, Places] | None) -> tuple[Bytes, Offsets]:
    from headrace.stages.kernels.fold import fold

    table = texts.table
    forms = (table.folded, table.short, table.starts, table.longer, classes())
    return fold(texts.data, texts.offsets, *forms, texts.segments, texts.room, places)


def _behind(places: Offsets | None = None) -> Offsets:
    """Give the places and one more, behind all data."""
    return read_only(np.append(np.empty(0, np.int64) if places is None else places, np.iinfo(np.int64).max))
