"""All merges of a BPE model: every way to put a piece together from two symbols, in a table of open addressing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.compiled import kernel
from headrace.tokenizers.kernels.bpe import merge_place
from headrace.tokenizers.kernels.piece_tables import FIRST_CODE, NO_PAIR, Codes, Numbers, Words

_ROOM_A_PAIR = 2  # places


def symbols_of(singles: Numbers, vocabulary_size: int) -> Numbers:
    """Give by code what a merge knows a character as: its piece, or a number behind all ids if it is only in pieces."""
    symbols = np.where(singles < 0, vocabulary_size + np.arange(len(singles)), singles).astype(np.int32)
    symbols[:FIRST_CODE] = -1
    return symbols


def merge_table(
    ids: Numbers, texts: tuple[str, ...], codes: Codes, symbols: Numbers, frozen: npt.NDArray[np.uint8] | None
) -> tuple[Words, Numbers]:
    """Give keys and pieces of all merges; without `frozen`, of a model that merges nothing, an empty table.

    What is frozen is never merged with anything: it is neither half of a merge.
    """
    pairs, merged = _merges(ids, texts, codes, symbols, frozen) if frozen is not None else ([], [])
    room = 1 << max(1, (len(pairs) * _ROOM_A_PAIR).bit_length())
    keys, pieces = np.full(room, NO_PAIR, np.uint64), np.full(room, -1, np.int32)
    place_merges(np.array(pairs, np.uint64), np.array(merged, np.int32), keys, pieces)
    return keys, pieces


def _merges(
    ids: Numbers, texts: tuple[str, ...], codes: Codes, symbols: Numbers, frozen: npt.NDArray[np.uint8]
) -> tuple[list[int], list[int]]:
    known = {character: int(symbols[codes[ord(character)]]) for character in sorted(set("".join(texts)))}
    free = {text: number for text, number in zip(texts, ids.tolist(), strict=True) if not frozen[number]}
    known = {
        character: symbol for character, symbol in known.items() if symbol >= len(frozen) or not frozen[symbol]
    } | free
    pairs: list[int] = []
    merged: list[int] = []
    for text, number in zip(texts, ids.tolist(), strict=True):
        for cut in range(1, len(text)):
            first, second = known.get(text[:cut], -1), known.get(text[cut:], -1)
            if first >= 0 and second >= 0:
                pairs.append(first << 32 | second)
                merged.append(number)
    return pairs, merged


@kernel
def place_merges(pairs: Words, merged: Numbers, keys: Words, pieces: Numbers) -> None:
    """Put distinct pairs into an empty table of twice their number or more."""
    for number in range(len(pairs)):
        place = merge_place(pairs[number], keys)
        while keys[place] != NO_PAIR:
            place = (place + 1) & (len(keys) - 1)
        keys[place], pieces[place] = pairs[number], merged[number]
