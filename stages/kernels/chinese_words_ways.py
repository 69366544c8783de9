"""The likeliest way to cut a run of Chinese into words of the dictionary, as jieba finds it.

The words at each character are edges to the one behind their end; the way with the greatest sum of logarithms wins.
Sums are built from the run's end, one word after the other, as jieba does, and of equal ones the longer word wins, so
that no rounding differs.

Which characters begin a word is hard to predict, and a branch that goes astray costs as much as a character. So there
is none for one or two characters; what begins three of a word, one character in thirty, is listed beforehand.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.compiled import part
from headrace.stages.kernels.chinese_words_tables import (
    BASE,
    BASE_MASK,
    CODE_MASK,
    FILTER,
    FILTER_MASK,
    FREQUENCY,
    FREQUENCY_MASK,
    HANS,
    LAST_LETTER,
    MIXED,
    UNKNOWN,
    Scratch,
    WordTables,
)


@part
def find_ways(size: int, words: WordTables, room: Scratch) -> None:
    """Fill `pairs` and `ways` for a piece of `size` characters."""
    entries, singles, logs, unknown = words.entries, words.singles, words.logs, words.weights[UNKNOWN]
    codes, ones, twos, floors, scores, ways = room.codes, room.ones, room.twos, room.floors, room.scores, room.ways
    look_up_pairs(size, words, room)
    listed = list_triples(size, words, room)
    weigh_words(size, words, room)
    k, after, behind = size - 1, 0.0, 0.0  # the scores of the two characters behind
    scores[size] = 0.0
    while True:
        stop = int(room.found[listed - 1]) if listed else -1
        while k > stop:
            one, two, best = ones[k] + after, twos[k] + behind, floors[k]
            ways[k] = k + int(two >= one)
            best = two if two > best else best  # noqa: FURB136  # `max` also asks whether they are numbers
            best = one if one > best else best  # noqa: FURB136
            scores[k] = best
            behind, after = after, best
            k -= 1
        if listed == 0:
            break
        listed -= 1
        best, way, last = singles[codes[k]] + after, k, k + 1
        score, entry = twos[k] + behind, int(room.triples[listed])
        while True:  # words of two, three and more characters
            way = last if score >= best else way
            best = max(best, score)
            if entry == 0:
                break
            last += 1
            score = logs[entry >> FREQUENCY & FREQUENCY_MASK] + scores[last + 1]
            code = int(codes[last + 1])
            entry = int(entries[(entry >> BASE & BASE_MASK) + code])
            entry = entry if entry & CODE_MASK == code else 0
        if best == -np.inf:  # no word begins here: the character is one
            best, way = unknown + after, k
        scores[k], ways[k] = best, way
        behind, after = after, best
        k -= 1


@part
def look_up_pairs(size: int, words: WordTables, room: Scratch) -> None:
    entries, bases, codes, pairs = words.entries, words.bases, room.codes, room.pairs
    for k in range(size):
        code = int(codes[k + 1])
        entry = int(entries[int(bases[codes[k]]) + code])
        pairs[k] = entry if entry & CODE_MASK == code else 0


@part
def list_triples(size: int, words: WordTables, room: Scratch) -> int:
    """List the characters that begin three of a word, with the entries of these; give their number.

    The filter in the entry of two characters saves looking up most thirds.
    """
    entries, codes, pairs, found, triples = words.entries, room.codes, room.pairs, room.found, room.triples
    asked = 0
    for k in range(size):
        found[asked] = k
        asked += int(pairs[k]) >> FILTER + (int(codes[k + 2]) & FILTER_MASK) & 1
    listed = 0
    for number in range(asked):
        k = int(found[number])
        code = int(codes[k + 2])
        entry = int(entries[(int(pairs[k]) >> BASE & BASE_MASK) + code])
        found[listed], triples[listed] = k, entry
        listed += int(entry & CODE_MASK == code)
    return listed


@part
def weigh_words(size: int, words: WordTables, room: Scratch) -> None:
    """Fill `ones`, `twos` and `floors`."""
    singles, logs, unknown = words.singles, words.logs, words.weights[UNKNOWN]
    codes, pairs, ones, twos, floors = room.codes, room.pairs, room.ones, room.twos, room.floors
    for k in range(size):
        one, two = singles[codes[k]], logs[int(pairs[k]) >> FREQUENCY & FREQUENCY_MASK]
        ones[k], twos[k] = unknown if max(one, two) == -np.inf else one, two
        floors[k] = -np.inf if codes[k] else 0.0


@part
def mark_words_and_runs(size: int, room: Scratch) -> int:
    """Mark the ends of the words along the ways, and list runs of single characters, which the model may join.

    Gives the length of that list: where each begins, and where it ends (with MIXED if it is not all ideographs).
    """
    codes, ways, marks, runs = room.codes, room.ways, room.marks, room.runs
    marks[: size + 1] = 0
    ways[size] = size
    at = count = before = inside = mixed = 0
    while at <= size:
        last, code, was_inside = int(ways[at]), int(codes[at]), inside
        marks[last] = 1
        single = int(last == at) & int(code != 0)
        inside = single & before  # of a run: one character is none
        runs[count] = at - inside | (mixed & was_inside) * MIXED
        count += inside ^ was_inside
        mixed = (mixed | int(code > HANS)) & single
        before = single
        at = last + 1
    marks[size] = 0
    return count


@part
def mark_words(size: int, room: Scratch) -> None:
    """Mark the ends of the words along the ways; single letters and digits in a row are one word."""
    codes, ways, marks = room.codes, room.ways, room.marks
    marks[: size + 1] = 0
    at, letters = 0, False
    while at < size:
        last = int(ways[at])
        marks[last] = 1
        single = last == at and HANS < codes[at] <= LAST_LETTER
        if single and letters:
            marks[at - 1] = 0
        letters = single
        at = last + 1
