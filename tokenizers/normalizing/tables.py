"""From a model's rules and user-defined symbols to the tables of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Flags, Offsets, read_only
from headrace.tokenizers.kernels.normalize_tables import (
    CODE_POINTS,
    FOLLOWS,
    LOOKED_UP,
    MOST_SYMBOLS,
    SHORT,
    SHORT_BYTES,
    SHORT_POINTS,
    STARTS,
    Tables,
)
from headrace.tokenizers.normalizing.characters import characters_behind, has_children, root
from headrace.tokenizers.normalizing.charsmap import VALUE, Charsmap

_ASCII = 0x80
_SURROGATES = slice(0xD800, 0xE000)  # their bytes are no UTF-8
_NOT_SHORT = np.uint32(0xFFFFFFFF)
_MARK = np.uint32(0x8196E2)  # U+2581, the lowest byte first
_RANGES = 5  # of bytes that end a copy; one of them is everything beyond ASCII
_LANES = 32
_VECTOR = 64  # bytes a copy may write beyond what it counts
_WIDEST = 3  # a space is written in three bytes


def build_tables(charsmap: Charsmap, symbols: Sequence[bytes], *, squeeze: bool) -> Tables:
    """Build the tables; ValueError where a rule ends inside a character."""
    kind = np.zeros(CODE_POINTS, np.uint8)
    short = np.zeros(SHORT_POINTS, np.uint32)
    open_ended = _enter_rules(kind, short, charsmap) if len(charsmap.trie) else np.zeros(_ASCII, np.bool_)
    kind[_SURROGATES] = LOOKED_UP
    kept = _needed(symbols, kind, squeeze=squeeze)
    _enter_symbols(kind, kept)
    stops = open_ended | _ascii_symbols(kept) | (kind[:_ASCII] & (LOOKED_UP | SHORT) != 0)
    packed, bounds = _packed(kept)
    longest = max([_longest_replacement(charsmap.replacements), *map(len, kept)])
    return Tables(
        kind=read_only(kind),
        short=read_only(short),
        trie=charsmap.trie,
        replacements=charsmap.replacements,
        symbols=packed,
        bounds=bounds,
        stops=_lanes_of(_ranges(stops)),
        hold=bool((kind[:_ASCII] & STARTS).any()),
        longest=_WIDEST * longest + _VECTOR,
    )


def _enter_rules(kind: Bytes, short: npt.NDArray[np.uint32], charsmap: Charsmap) -> Flags:
    """Say of each code point what rules begin with it; give the letters of ASCII that another one may belong to."""
    trie = charsmap.trie
    first = characters_behind(trie, root(trie))
    goes_on = has_children(trie, first.nodes)
    kind[first.points[goes_on]] = STARTS
    values = (trie[first.nodes[first.ends]] & VALUE).astype(np.int64)
    replaced, written = first.points[first.ends], _short(charsmap.replacements, values)
    brief = (written != _NOT_SHORT) & (replaced < SHORT_POINTS)
    kind[replaced] |= np.where(brief, SHORT, LOOKED_UP).astype(np.uint8)
    short[replaced[brief]] = written[brief]
    second = characters_behind(trie, first.nodes[goes_on])
    kind[second.points] |= FOLLOWS
    before_ascii = first.points[goes_on][second.origins[second.points < _ASCII]]
    return np.isin(np.arange(_ASCII), before_ascii)


def _short(replacements: Bytes, values: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Give replacements in the form of the table `short`, those that have no such form as _NOT_SHORT."""
    ends = np.flatnonzero(replacements == 0)
    sizes = ends[np.searchsorted(ends, values)] - values
    padded = np.concatenate([replacements, np.zeros(SHORT_BYTES, np.uint8)]).astype(np.uint32)
    words, spaced = np.zeros(len(values), np.uint32), np.zeros(len(values), np.bool_)
    for place in range(SHORT_BYTES):
        byte = np.where(place < sizes, padded[values + place], 0).astype(np.uint32)
        words |= byte << np.uint32(8 * place)
        spaced |= byte == ord(" ")
    fits = (sizes <= SHORT_BYTES) & (words != _MARK) & (~spaced | (sizes == 1))
    return np.where(fits, words | sizes.astype(np.uint32) << np.uint32(24), _NOT_SHORT)


def _needed(symbols: Sequence[bytes], kind: Bytes, *, squeeze: bool) -> list[bytes]:
    """Leave out symbols that come out alike without a look-up: no rule begins in them, and no space is dropped.

    The library looks at no more than the shortest 64 symbols at a place: where there can be more, all are kept.
    """
    if any(len(symbol) > MOST_SYMBOLS for symbol in symbols):
        return sorted(symbols)

    def matters(symbol: bytes) -> bool:
        points = np.frombuffer(symbol.decode().encode("utf-32-le"), np.uint32)
        return bool((kind[points] & (STARTS | LOOKED_UP | SHORT)).any()) or (squeeze and b" " in symbol)

    return sorted(filter(matters, symbols))


def _enter_symbols(kind: Bytes, symbols: Sequence[bytes]) -> None:
    for symbol in symbols:
        points = [ord(character) for character in symbol.decode()[:2]]
        kind[points[0]] |= STARTS if len(points) > 1 else LOOKED_UP
        kind[points[1:]] |= FOLLOWS


def _ascii_symbols(symbols: Sequence[bytes]) -> Flags:
    """Tell with which letters of ASCII symbols begin whose second one is of ASCII too."""
    firsts = [symbol[0] for symbol in symbols if len(symbol) > 1 and max(symbol[:2]) < _ASCII]
    return np.isin(np.arange(_ASCII), firsts)


def _packed(symbols: Sequence[bytes]) -> tuple[Bytes, Offsets]:
    bounds = np.zeros(len(symbols) + 1, np.int64)
    np.cumsum([len(symbol) for symbol in symbols], out=bounds[1:])
    return read_only(np.frombuffer(b"".join(symbols), np.uint8)), read_only(bounds)


def _longest_replacement(replacements: Bytes) -> int:
    ends = np.flatnonzero(replacements == 0)
    return int(np.diff(ends, prepend=-1).max(initial=_WIDEST))


def _ranges(stops: Flags) -> list[tuple[int, int]]:
    """Give the ranges of bytes that a copy stops at; too many are joined where the least is between them."""
    edges = np.flatnonzero(np.diff(stops.astype(np.int8), prepend=0, append=0)).tolist()
    ranges = list(zip(edges[::2], [end - 1 for end in edges[1::2]], strict=True))
    while len(ranges) >= _RANGES:
        gaps = [after[0] - before[1] for before, after in pairwise(ranges)]
        at = gaps.index(min(gaps))
        ranges[at : at + 2] = [(ranges[at][0], ranges[at + 1][1])]
    return [*ranges, (_ASCII, 0xFF)]


def _lanes_of(ranges: Sequence[tuple[int, int]]) -> npt.NDArray[np.uint8]:
    filled = [*ranges, *[ranges[-1]] * (_RANGES - len(ranges))]
    rows = np.array([[first, last - first] for first, last in filled], np.uint8).reshape(-1, 1)
    return read_only(np.repeat(rows, _LANES, axis=1))
