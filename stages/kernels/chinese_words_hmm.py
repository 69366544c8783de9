"""Words that the dictionary lacks: what a hidden Markov model makes of a run of single characters, as jieba does it.

Each character begins, goes on with, ends or is a word; the likeliest sequence of states is found by Viterbi's
algorithm. Sums are taken in the order in which jieba takes them, and equal sums go to the state whose letter is
greater (S, M, E, B), so that the words are the same to the last bit.
"""

from __future__ import annotations

from headrace.stages.kernels.arrays import Bytes, Offsets
from headrace.stages.kernels.chinese_words_ascii import with_numbers
from headrace.stages.kernels.chinese_words_tables import (
    B_TO_E,
    B_TO_M,
    E_TO_B,
    E_TO_S,
    HANS,
    M_TO_E,
    M_TO_M,
    S_TO_B,
    S_TO_S,
    SPLIT,
    START_B,
    START_E,
    START_M,
    START_S,
    B,
    E,
    M,
    S,
    Scratch,
    WordTables,
    entry_of,
)
from headrace.stages.kernels.compiled import part


@part
def unknown_words(
    data: Bytes, begin: int, end: int, words: WordTables, room: Scratch, out: Offsets, n: int
) -> int:
    """Write the ends of the words of a run of single characters that is no word itself: Han by the model, then ASCII."""
    k = begin
    while k < end:
        start = k
        if room.codes[k] <= HANS:
            while k < end and room.codes[k] <= HANS:
                k += 1
            n = _han(start, k, words, room, out, n)
        else:
            while k < end and room.codes[k] > HANS:
                k += 1
            n = with_numbers(data, int(room.places[start]), int(room.places[k]), out, n)
    return n


@part
def _han(begin: int, end: int, words: WordTables, room: Scratch, out: Offsets, n: int) -> int:
    if end - begin == 1:
        out[n] = room.places[end]
        return n + 1
    split = words.splits[0]
    if end - begin == 2 and not split:
        out[n] = room.places[begin + 1]
        n += int(_apart(int(room.codes[begin]), int(room.codes[begin + 1]), words))
        out[n] = room.places[end]
        return n + 1
    _mark_ends(begin, end, words, room)
    if split:
        return _split_words(begin, end, words, room, out, n)
    for k in range(begin, end):
        out[n] = room.places[k + 1]
        n += int(room.marks[k])
    return n


@part
def _apart(first: int, second: int, words: WordTables) -> bool:
    """Tell whether two characters are two words: `_mark_ends` without its tables, for half of all runs."""
    emit, weigh = words.emissions, words.weights
    ends, single = emit[second, E], emit[second, S]
    end = max(
        ((weigh[START_B] + emit[first, B]) + weigh[B_TO_E]) + ends,
        ((weigh[START_M] + emit[first, M]) + weigh[M_TO_E]) + ends,
    )
    alone = max(
        ((weigh[START_E] + emit[first, E]) + weigh[E_TO_S]) + single,
        ((weigh[START_S] + emit[first, S]) + weigh[S_TO_S]) + single,
    )
    return bool(alone >= end)


@part
def _mark_ends(begin: int, end: int, words: WordTables, room: Scratch) -> None:
    """Set `marks` to 1 where a word ends, else 0. On the way there it has two bits a state: which one came before."""
    emit, weigh, marks, codes = words.emissions, words.weights, room.marks, room.codes
    e_b, s_b, b_m, m_m = weigh[E_TO_B], weigh[S_TO_B], weigh[B_TO_M], weigh[M_TO_M]
    b_e, m_e, e_s, s_s = weigh[B_TO_E], weigh[M_TO_E], weigh[E_TO_S], weigh[S_TO_S]
    code = int(codes[begin])
    b, m = weigh[START_B] + emit[code, B], weigh[START_M] + emit[code, M]
    e, s = weigh[START_E] + emit[code, E], weigh[START_S] + emit[code, S]
    for k in range(begin + 1, end):
        code = int(codes[k])
        to_b, to_m, to_e, to_s = emit[code, B], emit[code, M], emit[code, E], emit[code, S]
        from_e, from_s = (e + e_b) + to_b, (s + s_b) + to_b
        into_b, into_m = (b + b_m) + to_m, (m + m_m) + to_m
        over_b, over_m = (b + b_e) + to_e, (m + m_e) + to_e
        after_e, after_s = (e + e_s) + to_s, (s + s_s) + to_s
        best_b, best_m, best_e, best_s = from_s >= from_e, into_m >= into_b, over_m >= over_b, after_s >= after_e
        b = from_s if best_b else from_e
        m = into_m if best_m else into_b
        e = over_m if best_e else over_b
        s = after_s if best_s else after_e
        # the state before is E or S (2 + bit) for B and S, B or M (bit) for M and E
        marks[k] = 0x82 + int(best_b) + (int(best_m) << 2) + (int(best_e) << 4) + (int(best_s) << 6)
    state = S if s >= e else E
    for k in range(end - 1, begin - 1, -1):
        before = int(marks[k]) & 0xFF  # which makes a signed number of it
        marks[k] = state >> 1
        state = before >> (2 * state) & 3


@part
def _split_words(begin: int, end: int, words: WordTables, room: Scratch, out: Offsets, n: int) -> int:
    """Write the ends of marked words; those that the user took out of the dictionary fall into their characters."""
    start = begin
    for k in range(begin, end):
        if not room.marks[k]:
            continue
        if k > start and entry_of(room.codes, start, k + 1, words) >> SPLIT & 1:
            for inside in range(start, k):
                out[n] = room.places[inside + 1]
                n += 1
        out[n] = room.places[k + 1]
        n += 1
        start = k + 1
    return n
