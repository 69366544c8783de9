"""Words that the dictionary lacks: what a hidden Markov model makes of a run of single characters, as jieba does it.

Each character begins, goes on with, ends or is a word; the likeliest sequence of states is found by Viterbi's
algorithm. Sums are taken in the order in which jieba takes them, and equal sums go to the state whose letter is
greater (S, M, E, B), so that the words are the same to the last bit.
"""

from __future__ import annotations

from headrace.schemas.arrays import Classes, Floats
from headrace.schemas.compiled import inlined, part
from headrace.stages.kernels.chinese_words_tables import (
    B_TO_E,
    B_TO_M,
    DOT,
    E_TO_B,
    E_TO_S,
    FIRST_DIGIT,
    FREQUENCY,
    FREQUENCY_MASK,
    HANS,
    LAST_LETTER,
    M_TO_E,
    M_TO_M,
    MIXED,
    PERCENT,
    S_TO_B,
    S_TO_S,
    SPLIT,
    START_B,
    START_E,
    START_M,
    START_S,
    B,
    Codes,
    E,
    M,
    S,
    Scratch,
    WordTables,
    entry_of,
)


@part
def mark_unknown_words(listed: int, words: WordTables, room: Scratch) -> None:
    """Mark the ends of words in the runs listed, each character of which has been marked as a word."""
    codes, pairs, marks, runs = room.codes, room.pairs, room.marks, room.runs
    emit, weigh, split = words.emissions, words.weights, words.splits[0] != 0
    longer = 0
    for number in range(0, listed, 2):  # half of all runs have two characters
        k, end = int(runs[number]), int(runs[number + 1])
        other = int(end != k + 2) | int(split)
        known = int(int(pairs[k]) >> FREQUENCY & FREQUENCY_MASK > SPLIT)
        marks[k] = int(_apart(codes[k], codes[k + 1], emit, weigh)) | known | other
        runs[longer], runs[longer + 1] = k, end
        longer += 2 * other
    for number in range(0, longer, 2):
        k, end = int(runs[number]), int(runs[number + 1])
        if end >= MIXED or split:
            _mark_parts(k, end & ~MIXED, words, room)
        elif pairs[k] == 0 or entry_of(codes, k, end, words) >> FREQUENCY & FREQUENCY_MASK <= SPLIT:
            _mark_han(k, end, codes, marks, emit, weigh)


@part
def _mark_parts(k: int, end: int, words: WordTables, room: Scratch) -> None:
    """Mark the words of a run that is not all ideographs, or in a dictionary that words were taken out of."""
    codes, marks = room.codes, room.marks
    if entry_of(codes, k, end, words) >> FREQUENCY & FREQUENCY_MASK > SPLIT:
        return  # a word that is less likely than its characters
    while k < end:
        begin, chinese = k, codes[k] <= HANS
        k += 1
        while k < end and (codes[k] <= HANS) == chinese:
            k += 1
        if not chinese:
            _mark_letters(begin, k, codes, marks)
        elif k - begin > 1:
            _mark_han(begin, k, codes, marks, words.emissions, words.weights)
            _split_words(begin, k, words, room)


@inlined
def _apart(first: int, second: int, emit: Floats, weigh: Floats) -> bool:
    """Tell whether two characters are two words: `_mark_han` without its tables, for half of all runs."""
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


@inlined
def _mark_han(begin: int, end: int, codes: Codes, marks: Classes, emit: Floats, weigh: Floats) -> None:
    """Set `marks` to 1 where a word ends, else 0. On the way there it has two bits a state: which one came before."""
    e_b, s_b, b_m, m_m = weigh[E_TO_B], weigh[S_TO_B], weigh[B_TO_M], weigh[M_TO_M]
    b_e, m_e, e_s, s_s = weigh[B_TO_E], weigh[M_TO_E], weigh[E_TO_S], weigh[S_TO_S]
    code = int(codes[begin])
    b, m = weigh[START_B] + emit[code, B], weigh[START_M] + emit[code, M]
    e, s = weigh[START_E] + emit[code, E], weigh[START_S] + emit[code, S]
    for k in range(begin + 1, end):
        code = int(codes[k])
        to_b, to_m, to_e, to_s = emit[code, B], emit[code, M], emit[code, E], emit[code, S]
        e_to_b, s_to_b = (e + e_b) + to_b, (s + s_b) + to_b
        b_to_m, m_to_m = (b + b_m) + to_m, (m + m_m) + to_m
        b_to_e, m_to_e = (b + b_e) + to_e, (m + m_e) + to_e
        e_to_s, s_to_s = (e + e_s) + to_s, (s + s_s) + to_s
        best_b, best_m, best_e, best_s = s_to_b >= e_to_b, m_to_m >= b_to_m, m_to_e >= b_to_e, s_to_s >= e_to_s
        b = s_to_b if best_b else e_to_b
        m = m_to_m if best_m else b_to_m
        e = m_to_e if best_e else b_to_e
        s = s_to_s if best_s else e_to_s
        # the state before is E or S (2 + bit) for B and S, B or M (bit) for M and E
        marks[k] = 0x82 + int(best_b) + (int(best_m) << 2) + (int(best_e) << 4) + (int(best_s) << 6)
    state = S if s >= e else E
    for k in range(end - 1, begin - 1, -1):
        before = int(marks[k]) & 0xFF  # which makes a signed number of it
        marks[k] = state >> 1
        state = before >> (2 * state) & 3


@part
def _split_words(begin: int, end: int, words: WordTables, room: Scratch) -> None:
    """Mark each character of the words that the user took out of the dictionary."""
    start = begin
    for k in range(begin, end):
        if room.marks[k]:
            if entry_of(room.codes, start, k + 1, words) >> FREQUENCY & FREQUENCY_MASK == SPLIT:
                room.marks[start:k] = 1
            start = k + 1


@part
def _mark_letters(begin: int, end: int, codes: Codes, marks: Classes) -> None:
    """Mark words of ASCII: letters and digits, perhaps `.` and digits, perhaps `%`; and what is between such words."""
    k = begin
    marks[begin:end] = 0
    while k < end:
        if codes[k] <= LAST_LETTER:
            k = _number_end(k, end, codes)
        else:
            while k < end and codes[k] > LAST_LETTER:
                k += 1
        marks[k - 1] = 1


@part
def _number_end(k: int, end: int, codes: Codes) -> int:
    while k < end and codes[k] <= LAST_LETTER:
        k += 1
    if k + 1 < end and codes[k] == DOT and FIRST_DIGIT <= codes[k + 1] <= LAST_LETTER:
        k += 2
        while k < end and FIRST_DIGIT <= codes[k] <= LAST_LETTER:
            k += 1
    if k < end and codes[k] == PERCENT:
        k += 1
    return k
