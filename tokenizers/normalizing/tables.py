"""From a model's rules and user-defined symbols to the tables of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

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
from headrace.tokenizers.normalizing.ascii_lanes import lanes_of
from headrace.tokenizers.normalizing.characters import characters_behind, has_children, root
from headrace.tokenizers.normalizing.charsmap import VALUE, Charsmap

_ASCII = 0x80
_SURROGATES = slice(0xD800, 0xE000)  # their bytes are no UTF-8
_NOT_SHORT = np.uint32(0xFFFFFFFF)
_MARK_POINT, _MARK = 0x2581, np.uint32(0x8196E2)  # U+2581, and its bytes, the lowest first
# A copy of 32 bytes writes up to 96, 32 more than it counts; a mark and 96 zeros may come behind the last text.
_COPIED = 256
_WIDEST = 3  # a space is written in three bytes


def build_tables(charsmap: Charsmap, symbols: Sequence[bytes], *, squeeze: bool) -> Tables:
    """Build the tables; ValueError where a rule ends inside a character."""
    kind = np.zeros(CODE_POINTS, np.uint8)
    short = np.zeros(SHORT_POINTS, np.uint32)
    open_ended = _enter_rules(kind, short, charsmap) if len(charsmap.trie) else np.zeros(_ASCII, np.bool_)
    kind[_SURROGATES] = LOOKED_UP
    kept = _needed(symbols, kind, squeeze=squeeze)
    _enter_symbols(kind, short, kept)
    lanes = lanes_of(kind[:_ASCII], short[:_ASCII], open_ended | _ascii_symbols(kept))
    packed, bounds = _packed(kept)
    longest = max([_longest_replacement(charsmap.replacements), *map(len, kept)])
    return Tables(
        kind=read_only(kind),
        short=read_only(short),
        trie=charsmap.trie,
        replacements=charsmap.replacements,
        symbols=packed,
        bounds=bounds,
        stops=lanes.stops,
        swaps=lanes.swaps,
        hold=lanes.hold,
        longest=_WIDEST * longest + _COPIED,
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
    """Leave out symbols that come out alike without a look-up: nothing begins in them, and no space is dropped.

    A symbol in which a needed one may begin, behind its first character, is needed too: it is what hides that one.
    The library looks at no more than the shortest 64 symbols at a place: where there can be more, all are kept.
    """
    if any(len(symbol) > MOST_SYMBOLS for symbol in symbols):
        return sorted(symbols)

    def matters(symbol: bytes) -> bool:
        points = np.frombuffer(symbol.decode().encode("utf-32-le"), np.uint32)
        return bool((kind[points] & (STARTS | LOOKED_UP | SHORT)).any()) or (squeeze and b" " in symbol)

    kept = set(filter(matters, symbols))
    while True:
        begun = {symbol.decode()[0] for symbol in kept}
        hiding = {symbol for symbol in symbols if not begun.isdisjoint(symbol.decode()[1:])}
        if hiding <= kept:
            return sorted(kept)
        kept |= hiding


def _enter_symbols(kind: Bytes, short: npt.NDArray[np.uint32], symbols: Sequence[bytes]) -> None:
    """Say of each code point what symbols begin with it; one that is a symbol stays as it is, against any rule."""
    for symbol in sorted(symbols, key=len):
        first, *others = (ord(character) for character in symbol.decode())
        if others:
            kind[first] |= STARTS
            kind[others[0]] |= FOLLOWS
        elif first < SHORT_POINTS and first != _MARK_POINT:
            kind[first] = kind[first] & FOLLOWS | SHORT
            short[first] = int.from_bytes(symbol, "little") | len(symbol) << 24
        else:
            kind[first] |= LOOKED_UP


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
