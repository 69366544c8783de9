"""The kernel of normalization as one would write it: the meaning of a model's rules, one character at a time."""

from __future__ import annotations

from itertools import pairwise

from headrace.tokenizers.kernels.normalize_tables import MOST_RULES, MOST_SYMBOLS, Manner, Tables

_MARK = "\u2581".encode()  # what the library writes for a space
_REPLACEMENT = "\ufffd".encode()


def normalize_text(text: bytes, tables: Tables, manner: Manner) -> bytes:
    """Give the normalized text, byte for byte that of `Normalizer::Normalize` in sentencepiece 0.2.3."""
    at = 0
    if manner.squeeze:
        while at < len(text):
            piece, size = look_up(text, at, tables)
            if piece != b" ":
                break
            at += size
    if at == len(text):
        return b""
    space = (b" " if manner.folded else _MARK) if manner.mark else b" "
    out = bytearray(space if manner.before else b"")
    behind_space = manner.squeeze
    while at < len(text):
        piece, size = look_up(text, at, tables)
        at += size
        if behind_space:
            piece = piece.lstrip(b" ")
        if piece:
            behind_space = manner.squeeze and piece.endswith(b" ")
        out += piece.replace(b" ", space)
    return _finished(bytes(out), space, manner)


def _finished(out: bytes, space: bytes, manner: Manner) -> bytes:
    if manner.folded:
        out = out.replace(_MARK, b" ")
    while manner.squeeze and out.endswith(space):
        out = out[: -len(space)]
    return out + space if manner.behind else out


def look_up(text: bytes, at: int, tables: Tables) -> tuple[bytes, int]:
    """Give what stands for the beginning of the text at a place, and how many bytes that beginning has."""
    size = longest_symbol(text, at, tables)
    if size:
        return text[at : at + size], size
    size, value = longest_rule(text, at, tables)
    if size:
        replacements = tables.replacements.tobytes()
        return replacements[value : replacements.index(0, value)], size
    size = character_size(text, at)
    return (text[at : at + size], size) if size else (_REPLACEMENT, 1)


def longest_symbol(text: bytes, at: int, tables: Tables) -> int:
    """Give the size of the longest user-defined symbol that the text has at a place, 0 if it has none."""
    packed, bounds = tables.symbols.tobytes(), tables.bounds.tolist()
    symbols = [packed[begin:end] for begin, end in pairwise(bounds)]
    sizes = sorted(len(symbol) for symbol in symbols if text.startswith(symbol, at))
    return sizes[:MOST_SYMBOLS][-1] if sizes else 0


def longest_rule(text: bytes, at: int, tables: Tables) -> tuple[int, int]:
    """Give the size and the value of the longest rule that the text has at a place; 0, 0 if it has none.

    A unit of the double array holds a label in its lowest byte, at bit 8 whether a value hangs on it, and the distance
    to its children in the rest (Yata et al., Darts-clone).
    """
    if not len(tables.trie):
        return 0, 0
    units, found, size, value = tables.trie, 0, 0, 0
    node = distance(int(units[0]))
    for behind in range(at, len(text)):
        node ^= text[behind]
        unit = int(units[node])
        if unit & 0x800000FF != text[behind]:
            break
        node ^= distance(unit)
        if unit >> 8 & 1 and found < MOST_RULES:
            found, size, value = found + 1, behind + 1 - at, int(units[node]) & 0x7FFFFFFF
    return size, value


def distance(unit: int) -> int:
    """Give how far a unit's children are from it."""
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def character_size(text: bytes, at: int) -> int:
    """Give the size of the character at a place, 0 where the bytes are none."""
    for size in range(1, 5):
        try:
            text[at : at + size].decode()
        except UnicodeDecodeError:
            continue
        return size
    return 0


def copied_lanes(text: bytes, tables: Tables) -> tuple[bytes, list[bool], list[bool]]:
    """Do what `copy_lanes` does to 32 bytes: give what is written, where a copy has to stop, and where spaces are."""
    stops, swaps = tables.stops[:, 0].reshape(-1, 2).tolist(), tables.swaps[:, 0].reshape(-1, 4).tolist()
    made = bytearray(text)
    for place, byte in enumerate(text):
        for first, behind, bits, more in swaps:
            if first <= byte <= first + behind:
                made[place] = (byte & bits) + more & 0xFF
    stopped = [any(first <= byte <= first + behind for first, behind in stops) for byte in made]
    if tables.hold:
        followed = [*(byte >= 0x80 for byte in text[1:]), True]
        stopped = [either or before for either, before in zip(stopped, followed, strict=True)]
    return bytes(made), stopped, [byte == ord(" ") for byte in made]
