"""A piece of text as the codes that words are looked up by; what can only be one word is one character of it."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import inlined, part
from headrace.stages.kernels.chinese_words_tables import (
    DOT,
    FIRST_DIGIT,
    LAST_LETTER,
    MODEL,
    PERCENT,
    Codes,
    Scratch,
    WordTables,
)

_PIECE = 2048  # characters that a piece has at least; per piece the steps count references to 80 arrays
_CR, _LF = 0x0D, 0x0A


@part
def read_piece(data: Bytes, at: int, end: int, han: Codes, words: WordTables, room: Scratch) -> tuple[int, int, int]:
    """Fill `codes` and `places`, and list runs of mere ASCII in which the dictionary has no word.

    Gives the piece's end, its length, and the length of that list.
    """
    codes, places, runs, ascii_codes, pairs = room.codes, room.places, room.runs, words.ascii, words.pairs
    size = listed = code = 0
    while at < end and (size < _PIECE or code):
        byte, before = int(data[at]), code
        if byte >= 0x80:
            places[size] = at
            code = code_at(data, at, han)
            codes[size] = code
            at += 3 if 0xE0 <= byte < 0xF0 else 4 if byte >= 0xF0 else 2
            size += 1
            continue
        begin, known, last = size, 0, 0
        code = int(ascii_codes[byte])
        while code:
            places[size], codes[size] = at, code
            known |= int(pairs[last, byte])
            size, at, last = size + 1, at + 1, byte
            byte = int(data[at]) if at < end else 0x80
            code = int(ascii_codes[byte])
        if size == begin:
            places[size], codes[size] = at, 0
            at += 2 if byte == _CR and at + 1 < end and data[at + 1] == _LF else 1  # a line's end is one word
            size += 1
            continue
        code = int(codes[size - 1])
        if before == known == 0 and size - begin > 1 and (at == end or byte < 0x80 or code_at(data, at, han) == 0):
            runs[listed], runs[listed + 1] = begin, size
            listed += 2
    places[size], codes[size], codes[size + 1] = at, 0, 0
    return at, size, listed


@inlined
def code_at(data: Bytes, at: int, han: Codes) -> int:
    """Give the code of a character that is not ASCII."""
    byte = int(data[at])
    if not 0xE0 <= byte < 0xF0:
        return 0
    return int(han[(byte & 15) << 12 | (int(data[at + 1]) & 63) << 6 | int(data[at + 2]) & 63])


@part
def join_ascii(size: int, listed: int, method: int, room: Scratch) -> int:
    """Make one character of each word in the runs listed; give the piece's new length.

    Words are letters and digits, or what is between such words. To the model `.` and digits, and then `%`, belong to
    the word before; without it each sign is a word.
    """
    codes, places, runs = room.codes, room.places, room.runs
    k = to = int(runs[0])
    for number in range(0, listed, 2):
        while k < runs[number]:
            codes[to], places[to] = codes[k], places[k]
            k, to = k + 1, to + 1
        end = int(runs[number + 1])
        while k < end:
            letters, start = codes[k] <= LAST_LETTER, k
            k += 1
            while k < end and (codes[k] <= LAST_LETTER) == letters and (letters or method == MODEL):
                k += 1
            if letters and method == MODEL:
                if k + 1 < end and codes[k] == DOT and FIRST_DIGIT <= codes[k + 1] <= LAST_LETTER:
                    k += 2
                    while k < end and FIRST_DIGIT <= codes[k] <= LAST_LETTER:
                        k += 1
                if k < end and codes[k] == PERCENT:
                    k += 1
            codes[to], places[to] = 0, places[start]
            to += 1
    while k <= size:
        codes[to], places[to] = codes[k], places[k]
        k, to = k + 1, to + 1
    return to - 1
