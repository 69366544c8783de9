"""Which charset bytes are in: proofs first, then a race of all charsets over the same sample."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_facts import BROKEN, CODES, CONTROLS, HIGH, NULS, PAIRS, SIZE
from headrace.stages.kernels.charset_letters import ascii_score, high_places, language_scores, page_score
from headrace.stages.kernels.charset_model import (
    BIG5,
    FIRST_PAGE,
    GB18030,
    HOPELESS,
    LANGUAGE,
    PRIOR,
    UTF_8,
    UTF_16_BE,
    UTF_16_LE,
    WHAT,
    Model,
    Points,
)
from headrace.stages.kernels.charset_quick import FAMILIES_JUDGED, quick_look
from headrace.stages.kernels.charset_sample import WINDOWS, dense_sample, room, whole_sample, window_sample
from headrace.stages.kernels.charset_scores import (
    ASCII_SCORE,
    BAD,
    BAD_PER_UNIT,
    HAN,
    HANGUL,
    KANA,
    STEP,
    TALLIES,
    UNITS,
    double_byte_score,
    utf8_score,
    utf16_score,
)

# What is found. CODEC and SECOND are numbers of `charset_model`; PROVEN says that nothing was weighed.
CODEC, SCORE, SECOND, SECOND_SCORE, PROVEN, SAMPLED = range(6)
COLUMNS = 6
_SHORT, _LONG = 64, 1024  # bytes of a window at a quick look and in the race
_FEWEST_WINDOWS = 3
_DENSE = 2  # at least one byte in so many is beyond ASCII
MANY_HIGH = 300  # bytes beyond ASCII from which a quick look is worth while
_WIDE_SAMPLE = 4096
_MANY_CODES = 16
_FEW_CODES_LOSE = 250  # by so much must a double-byte charset be likelier than few two-byte sequences of UTF-8
_UNITS_PER_BAD = 50
_PREFIX, _BEST_PAGES, _MOST_PLACES = 64, 12, 8192
_WIDE_PRIOR, _UTF8_PRIOR = -500, 100
_SHORT_WIDE = 256


@part
def judge_group(
    data: Bytes,
    begins: Offsets,
    ends: Offsets,
    first: int,
    last: int,
    facts: Counts,
    favoured: int,
    favour: int,
    proofs: int,
    model: Model,
    found: Counts,
) -> None:
    """Fill in the two likeliest charsets of some rows; `favoured` (-1: none) is `favour` centinats likelier.

    Without `proofs`, legal UTF-8 has to win the race like any other charset.
    """
    if proofs and proven(facts):
        found[CODEC] = found[SECOND] = UTF_8
        found[PROVEN] = 1
        return
    race(data, begins, ends, first, last, facts, favoured, favour, model, found)
    if proofs and facts[CODES] and not facts[BROKEN] and facts[NULS] * 50 <= facts[SIZE]:
        keep_utf8(found)


@part
def proven(known: Counts) -> bool:
    """Say whether bytes are ASCII, or UTF-8 that cannot be by chance: few two-byte sequences might also be Chinese."""
    if known[NULS] * 50 > known[SIZE]:
        return False
    if not known[HIGH]:
        return True
    if known[BROKEN] or not known[CODES]:
        return False
    return bool(known[HIGH] > _MANY_CODES or known[HIGH] % 2 == 1 or known[PAIRS] < known[CODES])


@part
def keep_utf8(found: Counts) -> None:
    """What is legal UTF-8 stays so, unless Chinese in another charset is clearly likelier."""
    chinese = found[CODEC] == GB18030 or found[CODEC] == BIG5
    if found[CODEC] != UTF_8 and not (chinese and found[SCORE] >= found[SECOND_SCORE] + _FEW_CODES_LOSE):
        found[SECOND], found[CODEC] = found[CODEC], UTF_8
        found[SECOND_SCORE], found[SCORE] = found[SCORE], found[SECOND_SCORE]


@part
def race(
    data: Bytes,
    begins: Offsets,
    ends: Offsets,
    first: int,
    last: int,
    known: Counts,
    favoured: int,
    favour: int,
    model: Model,
    found: Counts,
) -> None:
    """Score a sample by every charset, after a quick look at a shorter one where there is enough text for that."""
    if favoured < UTF_8 and quick_race(data, begins, ends, first, last, known, model.codes, model.longer, found):
        return
    scores = np.full(FIRST_PAGE + len(model.pages), HOPELESS, np.int64)
    sample = sampled(data, begins, ends, first, last, known, _LONG)
    found[SAMPLED] = len(sample)
    wide = data[begins[first] : min(ends[last - 1], begins[first] + _WIDE_SAMPLE)]
    score_all(sample, wide, known, favoured, favour, model, scores)
    settle(scores, found)
    if known[CODES] and not known[BROKEN] and found[CODEC] != UTF_8:
        found[SECOND], found[SECOND_SCORE] = UTF_8, scores[UTF_8]


@part
def quick_race(
    data: Bytes,
    begins: Offsets,
    ends: Offsets,
    first: int,
    last: int,
    known: Counts,
    codes: Points,
    longer: Points,
    found: Counts,
) -> bool:
    """Fill in what a quick look tells, and say whether it tells anything."""
    if known[HIGH] < MANY_HIGH or not known[BROKEN]:
        return False
    sample = sampled(data, begins, ends, first, last, known, _SHORT)
    scores = np.empty(FAMILIES_JUDGED, np.int64)
    found[SAMPLED] = len(sample)
    told = quick_look(sample, codes, longer, scores)
    if told:
        settle(scores, found)
    return told


@part
def sampled(data: Bytes, begins: Offsets, ends: Offsets, first: int, last: int, known: Counts, length: int) -> Bytes:
    """Give a sample of rows: all of them, windows of `length` bytes, or their head where no window can begin."""
    size = known[SIZE] + (last - first)
    out = np.empty(min(size, room(length)), np.uint8)
    if size <= room(length):
        return out[: whole_sample(data, begins, ends, first, last, out)]
    if last == first + 1 and known[HIGH] * _DENSE > known[SIZE]:
        sample = out[: dense_sample(data, begins[first], ends[first], length, out)]
    else:
        sample = out[: window_sample(data, begins, ends, first, last, max(1, known[HIGH]), length, out)]
    if len(sample) < length * _FEWEST_WINDOWS and known[HIGH] > len(sample):  # hardly a place to cut: one long run
        return data[begins[first] : min(ends[first], begins[first] + length * WINDOWS)]
    return sample


@part
def score_all(
    sample: Bytes, wide: Bytes, known: Counts, favoured: int, favour: int, model: Model, scores: Counts
) -> None:
    """Score one sample by all charsets."""
    scores[:] = HOPELESS
    tally = np.empty(TALLIES, np.int64)
    score = utf8_score(sample, model, tally)
    if tally[UNITS] * BAD_PER_UNIT >= tally[BAD]:
        scores[UTF_8] = score + _UTF8_PRIOR
    easy = score_double_bytes(sample, model, scores)
    may_be_wide = known[NULS] > 0 or known[CONTROLS] * 50 > known[SIZE]
    if may_be_wide or (known[SIZE] < _SHORT_WIDE and not known[SIZE] & 1):
        score_wide(wide, len(sample), model, scores)
    if not easy or favoured >= FIRST_PAGE:
        score_pages(sample, favoured, model, scores)
    if favoured >= 0 and scores[favoured] > HOPELESS:
        scores[favoured] += favour


@part
def score_double_bytes(sample: Bytes, model: Model, scores: Counts) -> bool:
    """Score the double-byte charsets; say whether the best is so good a text that no page need be tried."""
    looks = len(sample) // STEP + 2
    best, own = np.full(looks, HOPELESS, np.int64), np.zeros(looks, np.int64)
    tally, top = np.empty(TALLIES, np.int64), np.zeros(TALLIES, np.int64)
    top_score = HOPELESS
    for guess in range(len(model.guesses)):
        score = double_byte_score(sample, guess, model, best, own, tally)
        if score == HOPELESS:
            continue
        best[:] = np.maximum(best, own)
        score += model.guesses[guess, PRIOR]
        family = model.guesses[guess, WHAT]
        scores[family] = max(scores[family], score)
        if score > top_score:
            top_score = score
            top[:] = tally
    mean = (top_score - top[ASCII_SCORE]) // max(1, top[UNITS])
    syllables = top[HAN] + top[HANGUL]
    many = (syllables >= 30 or top[KANA] >= 40) and mean > -1000
    whole = top[BAD] * _UNITS_PER_BAD <= top[UNITS]  # windows may begin or end within a code
    return bool(whole and top[UNITS] > 0 and (many or ((syllables >= 8 or top[KANA] >= 12) and mean > -920)))


@part
def score_wide(wide: Bytes, size: int, model: Model, scores: Counts) -> None:
    """Score UTF-16 in both byte orders, scaled to the size of the sample that the others have."""
    even = wide[: len(wide) & ~1] if len(wide) == _WIDE_SAMPLE else wide
    tally = np.empty(TALLIES, np.int64)
    for codec in (UTF_16_LE, UTF_16_BE):
        score = utf16_score(even, codec == UTF_16_BE, model, tally)
        if len(even) and tally[BAD] * 50 <= len(even):
            scores[codec] = score * size // len(even) + _WIDE_PRIOR


@part
def score_pages(sample: Bytes, favoured: int, model: Model, scores: Counts) -> None:
    """Score the single-byte pages: all of them over the first places, the best over all places."""
    places = high_places(sample, _MOST_PLACES)
    base, languages = ascii_score(sample, model), language_scores(sample, model)
    guesses = len(model.page_guesses)
    first = np.empty(guesses, np.int64)
    for guess in range(guesses):
        extra = languages[model.page_guesses[guess, LANGUAGE]] + model.page_guesses[guess, PRIOR]
        first[guess] = page_score(sample, places[:_PREFIX], guess, model) + extra
    chosen = np.ones(guesses, np.bool_)
    if len(places) > _PREFIX:
        least = np.sort(first)[-min(guesses, _BEST_PAGES)]
        for guess in range(guesses):
            chosen[guess] = first[guess] >= least or model.page_guesses[guess, WHAT] + FIRST_PAGE == favoured
            if chosen[guess]:
                extra = languages[model.page_guesses[guess, LANGUAGE]] + model.page_guesses[guess, PRIOR]
                first[guess] = page_score(sample, places, guess, model) + extra
    for guess in range(guesses):
        if chosen[guess]:
            codec = FIRST_PAGE + model.page_guesses[guess, WHAT]
            scores[codec] = max(scores[codec], base + first[guess])


@part
def settle(scores: Counts, found: Counts) -> None:
    """Note the two best; the first in the order of the codecs wins a draw."""
    best = np.argmax(scores)
    found[CODEC], found[SCORE] = best, scores[best]
    found[SECOND], found[SECOND_SCORE] = best, HOPELESS
    for codec in range(len(scores)):
        if codec != best and scores[codec] > found[SECOND_SCORE]:
            found[SECOND], found[SECOND_SCORE] = codec, scores[codec]
