"""How likely bytes are as a text in a single-byte page and a language: by which letter follows which.

Only places beyond ASCII differ between pages, so only these are scored; the ASCII around them tells the language.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_model import DIGIT, FINAL, LANGUAGE, LOWER, MARK, SIGN, UPPER, Model
from headrace.stages.kernels.charset_numbers import number

NEAR = 16  # bytes of ASCII around a byte beyond it that tell the language
MOST_PAIRS = 512
_MOST_AGAINST = 300
_EDGE, _FOREIGN, _LETTERS = 0, 1, 28  # as in stages/decoding/languages.py
# What the common score of ASCII already has for the character behind: a lower-case letter, or what is none.
_LETTER_BEHIND, _EDGE_BEHIND = 370, 160
_SIGN_IN_WORD, _SIGN_FIRST, _MARK_ALONE, _FINAL_INSIDE = -300, -200, -600, -400
_CAPITAL_INSIDE, _CAPITAL_FIRST, _CAPITAL_NEXT, _SMALL_AFTER_CAPITALS = -400, -160, 0, -300
_CAPITAL_AT_START = 100  # less is asked for a capital behind what begins a line, a title or a quotation
_OPENING = (0x0A, 0x22, 0x28, 0x3B, 0x3E)  # line feed, quote, bracket, the ends of entities and of tags
_BESIDE_DIGIT, _ALONE, _LATIN_ALONE, _SCRIPTS_MIXED = -150, -100, -150, -400


@part
def ascii_score(sample: Bytes, model: Model) -> int:
    """Give what the ASCII in a sample adds, the same for all pages."""
    score = 0
    for byte in sample:
        if byte < 0x80:
            score += model.ascii_logs[byte]
    return score


@part
def high_places(sample: Bytes, most: int) -> Counts:
    """Give the places beyond ASCII, at most so many."""
    places = np.empty(min(most, len(sample)), np.int64)
    found = 0
    for i in range(len(sample)):
        if sample[i] >= 0x80 and found < len(places):
            places[found] = i
            found += 1
    return places[:found]


@part
def language_scores(sample: Bytes, model: Model) -> Counts:
    """Give how much less likely the Latin letters near bytes beyond ASCII are in each language than in the best.

    Words of a language in Latin letters speak a little against all others.
    """
    scores = np.zeros(len(model.latin_pairs), np.int64)
    last_high, taken = -NEAR - 1, 0
    for i in range(len(sample) - 1):
        if sample[i] >= 0x80:
            last_high = i
            continue
        if not (i - last_high <= NEAR or high_follows(sample, i)):
            continue
        first, second = ascii_letter(number(sample[i])), ascii_letter(number(sample[i + 1]))
        if (first or second) and sample[i + 1] < 0x80 and taken < MOST_PAIRS:
            taken += 1
            for language in range(len(scores)):
                scores[language] += model.latin_pairs[language, first, second]
    top = scores[0]
    for language in range(len(scores)):
        top = max(top, scores[language]) if model.latin[language] else top
    relative: Counts = np.where(model.latin, scores - top, -max(0, min(top, _MOST_AGAINST)))
    return relative


@part
def high_follows(sample: Bytes, at: int) -> bool:
    """Say whether a byte beyond ASCII comes soon, in the same text between tags."""
    for i in range(at + 1, min(len(sample), at + NEAR + 1)):
        if sample[i] >= 0x80:
            return True
        if sample[i] in (0x3C, 0x3E):
            return False
    return False


@part
def ascii_letter(byte: int) -> int:
    """Give the number that an ASCII letter has in all languages in Latin letters, 0 for what is none."""
    folded = byte | 0x20
    return folded - 0x61 + 2 if 0x61 <= folded <= 0x7A else _EDGE


@part
def page_score(sample: Bytes, places: Counts, guess: int, model: Model) -> int:
    """Give the score of the places beyond ASCII for one page and language."""
    language = model.page_guesses[guess, LANGUAGE]
    latin = model.latin[language]
    kinds, symbols = model.kinds[guess], model.symbols[guess]
    score = 0
    for at in places:
        byte = sample[at]
        before = sample[at - 1] if at else np.uint8(10)
        behind = sample[at + 1] if at + 1 < len(sample) else np.uint8(10)
        kind = kinds[byte]
        if not is_letter_kind(kind):
            score += model.byte_logs[guess, byte]
            if kind == SIGN and is_letter_kind(kinds[behind]):
                score += _SIGN_IN_WORD if is_letter_kind(kinds[before]) else _SIGN_FIRST
            continue
        first, second, third = symbols[before], symbols[byte], symbols[behind]
        if second == _FOREIGN:
            score += model.byte_logs[guess, byte]
        else:
            score += model.letter_pairs[language, first, second]
            if behind < 0x80 or third == _EDGE:
                score += model.letter_pairs[language, second, third] + (_LETTER_BEHIND if third else _EDGE_BEHIND)
        twice = sample[at - 2] if at > 1 else np.uint8(10)
        score += place_score(kinds[twice], kinds[before], kind, kinds[behind], latin)
        if kind == UPPER and before in _OPENING:
            score += _CAPITAL_AT_START
        if not latin and (is_ascii_letter(number(before)) or is_ascii_letter(number(behind))):
            score += _SCRIPTS_MIXED
    return score


@part
def is_letter_kind(kind: int) -> bool:
    """Say whether a kind of byte is a part of a word."""
    return LOWER <= kind <= MARK


@part
def is_ascii_letter(byte: int) -> bool:
    """Say whether a byte is a letter of ASCII."""
    return 0x61 <= (byte | 0x20) <= 0x7A


@part
def place_score(twice: int, before: int, kind: int, behind: int, latin: int) -> int:
    """Give what the place of a letter in its word adds: capitals, final forms, marks, letters that stand alone."""
    joined, goes_on = is_letter_kind(before), is_letter_kind(behind)
    score = 0
    if kind == UPPER:
        score += _CAPITAL_INSIDE if before == LOWER else _CAPITAL_NEXT if before == UPPER else _CAPITAL_FIRST
    elif kind == LOWER and before == UPPER and twice == UPPER:
        score += _SMALL_AFTER_CAPITALS
    elif kind == FINAL and goes_on and behind != MARK:
        score += _FINAL_INSIDE
    elif kind == MARK and not joined:
        score += _MARK_ALONE
    if not joined and not goes_on:
        score += _LATIN_ALONE if latin else _ALONE
    if before == DIGIT or behind == DIGIT:
        score += _BESIDE_DIGIT
    return score
