"""A piece of text as the codes that words are looked up by; what can only be one word is one character of it."""

from __future__ import annotations

from headrace.stages.kernels.arrays import Bytes
from headrace.stages.kernels.chinese_words_tables import (
    DOT,
    FIRST_DIGIT,
    FIRST_HAN,
    LAST_HAN,
    LAST_LETTER,
    MODEL,
    PERCENT,
    Codes,
    Scratch,
    WordTables,
)
from headrace.stages.kernels.compiled import part

_PIECE = 256  # characters that a piece has at least, so few that its room stays in the first cache
_CR, _LF = 0x0D, 0x0A


@part
def read_piece(data: Bytes, at: int, end: int, han: Codes, words: WordTables, room: Scratch) -> tuple[int, int, int]:
    """Fill `codes` and `places`, and list runs of mere ASCII in which the dictionary has no word.

    Gives the piece's end, its length, and the length of that list.
    """
    codes, places, runs, ascii_codes, pairs = room.codes, room.places, room.runs, words.ascii, words.pairs
    size, listed, begin, before, other = 0, 0, 0, 0, 0  # `other`: whether the run from `begin` is more than ASCII
    while True:
        places[size] = at
        code = 0
        if at < end:
            byte = int(data[at])
            if byte < 0x80:
                code = int(ascii_codes[byte])
                other |= int(pairs[before, byte])
                before = byte
                at += 2 if byte == _CR and at + 1 < end and data[at + 1] == _LF else 1  # a line's end is one word
            elif 0xE0 <= byte < 0xF0:
                if at + 2 < end:
                    point = (byte & 15) << 12 | (int(data[at + 1]) & 63) << 6 | int(data[at + 2]) & 63
                    if FIRST_HAN <= point <= LAST_HAN:
                        code = int(han[point - FIRST_HAN])
                        other = 1
                at += 3
            else:
                at += 4 if byte >= 0xF0 else 2
        codes[size] = code
        if code == 0:
            if other == 0 and size - begin > 1:
                runs[listed], runs[listed + 1] = begin, size
                listed += 2
            if places[size] >= end:
                break
            begin, other, before = size + 1, 0, 0
            if size >= _PIECE:
                size += 1
                break
        size += 1
    places[size], codes[size] = min(at, end), 0
    return int(places[size]), size, listed


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
