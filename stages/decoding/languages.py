"""What languages of single-byte pages look like: which letters they have, and which letter follows which.

The letters of a language and their neighbours are counted in jusText's lists of frequent words (from Wikipedia, by
falling frequency). A word of rank r is given the weight 1 / (r + 20): flatter than running text, since the lists stand
for the rarer words as well. Thai is not among the lists: its letters stand in `letters.THAI`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise

import numpy as np

from headrace.stages.decoding.letters import THAI, parsed_shares
from headrace.stages.decoding.logarithm import Whole, log_ratio

SYMBOLS = 80  # most letters of a language, with the two below (Vietnamese has most)
EDGE, FOREIGN, FIRST_LETTER = 0, 1, 2
_WEIGHT, _FLATTER = 100_000, 20
_RAREST_LETTER = 3  # in 100,000: below, a letter comes from names and quotations
# A pair that a list does not have counts as chance would have it, divided by a number that grows with the list.
_LEAST_SMOOTHING, _WORDS_A_STEP = 2, 600
_FOREIGN_PAIR = -700
_LAST_LATIN = "\u024f"
_WORD_LISTS = {
    "fr": "French",
    "de": "German",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "sv": "Swedish",
    "da": "Danish",
    "nb": "Norwegian_Bokmal",
    "is": "Icelandic",
    "fi": "Finnish",
    "nl": "Dutch",
    "ca": "Catalan",
    "en": "English",
    "pl": "Polish",
    "cs": "Czech",
    "sk": "Slovak",
    "hu": "Hungarian",
    "ro": "Romanian",
    "hr": "Croatian",
    "sl": "Slovenian",
    "sq": "Albanian",
    "tr": "Turkish",
    "lv": "Latvian",
    "lt": "Lithuanian",
    "et": "Estonian",
    "eo": "Esperanto",
    "mt": "Maltese",
    "vi": "Vietnamese",
    "ru": "Russian",
    "uk": "Ukrainian",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "sr": "Serbian",
    "mk": "Macedonian",
    "el": "Greek",
    "he": "Hebrew",
    "ar": "Arabic",
    "fa": "Persian",
}
# Letters of borrowed or rare words, which are too rare for the lists; each gets the same small share.
_RARE_LETTERS = {
    "fr": "œîïëüæ",
    "de": "éàè",
    "es": "ü",
    "pt": "üîñ",
    "it": "éîóú",
    "sv": "éüæø",
    "da": "éüöä",
    "nb": "éèêôòü",
    "fi": "åéšž",
    "nl": "éëïöüèóá",
    "ca": "úïüç",
    "pl": "éöü",
    "cs": "öüä",
    "hu": "ä",
    "ro": "áéöüşţ",
    "sl": "ćđ",
    "et": "šžé",
    "lt": "éā",
    "lv": "éō",
    "uk": "ґ",
    "ru": "ё",
    "el": "ϊϋΐΰ",
}
_RARE_SHARE = 5000  # of so many letters, each of these is one
LANGUAGES = (*_WORD_LISTS, "th")


@dataclass(frozen=True, slots=True)
class Language:
    """A language: the number of each of its letters (in lower case), and how likely one follows another.

    `pairs[a, b]` is the logarithm of the probability that b follows a, in centinats; 0 is what is no letter (the edge
    of a word), 1 a letter of another language. Latin letters are 2 to 27 in each language that is written in them.
    `shares` are the letters' shares in 100,000.
    """

    letters: dict[str, int]
    pairs: Whole
    shares: dict[str, int]

    @property
    def latin(self) -> bool:
        """Say whether it is written in Latin letters."""
        return "a" in self.letters


@cache
def language(code: str) -> Language:
    """Count one language."""
    if code == "th":
        return _of_shares(parsed_shares(THAI))
    words = [(word, _WEIGHT // (rank + _FLATTER)) for rank, word in enumerate(_words(code))]
    return _counted([(_spelled(word, code), weight) for word, weight in words], _RARE_LETTERS.get(code, ""))


def korean_syllables() -> dict[str, int]:
    """Give the Hangul syllables of jusText's list, with weights by rank."""
    tally: dict[str, int] = {}
    for rank, word in enumerate(_lines("Korean")):
        for character in word:
            if "\uac00" <= character <= "\ud7a3":
                tally[character] = tally.get(character, 0) + _WEIGHT // (rank + _FLATTER)
    return tally


def _words(code: str) -> Iterator[str]:
    for line in _lines(_WORD_LISTS[code]):
        for word in line.lower().split("-"):
            letters = "".join(c for c in word if c.isalpha() or unicodedata.combining(c))
            if letters:
                yield letters


def _lines(name: str) -> list[str]:
    return (resources.files("justext") / "stoplists" / f"{name}.txt").read_text(encoding="utf-8").split()


def _spelled(word: str, code: str) -> str:
    """Spell a word as its code page does: Windows writes most tones of Vietnamese as a mark behind the vowel."""
    word = unicodedata.normalize("NFC", word)
    return word if code != "vi" else "".join(c if _in_page(c, "cp1258") else _tone_apart(c) for c in word)


def _tone_apart(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    tones = "".join(c for c in parts if c in "\u0300\u0301\u0303\u0309\u0323")
    return unicodedata.normalize("NFC", "".join(c for c in parts if c not in tones)) + tones


def _in_page(character: str, page: str) -> bool:
    try:
        character.encode(page)
    except UnicodeEncodeError:
        return False
    return True


def _counted(words: list[tuple[str, int]], rare: str) -> Language:
    tally: dict[str, int] = {}
    for word, weight in words:
        for letter in word:
            tally[letter] = tally.get(letter, 0) + weight
    least = sum(tally.values()) // _RARE_SHARE
    tally.update({letter: max(least, tally.get(letter, 0)) for letter in rare})
    letters = _numbered(tally)
    counts = np.zeros((SYMBOLS, SYMBOLS), np.int64)
    for letter in rare:
        counts[EDGE, letters[letter]] = counts[letters[letter], EDGE] = least
    for word, weight in words:
        numbers = [EDGE, *(letters.get(letter, FOREIGN) for letter in word), EDGE]
        for first, second in pairwise(numbers):
            counts[first, second] += weight
    return Language(letters, _pair_logs(counts, _LEAST_SMOOTHING + len(words) // _WORDS_A_STEP), _shares(tally))


def _numbered(tally: dict[str, int]) -> dict[str, int]:
    """Number the letters that are no accident: Latin ones by the alphabet, the others by falling share."""
    total = sum(tally.values())
    common = [
        c
        for c, n in sorted(tally.items(), key=lambda item: (-item[1], item[0]))
        if n * 100_000 > total * _RAREST_LETTER
    ]
    alphabet = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    latin = sum(tally.get(c, 0) for c in alphabet) * 2 > total
    own = [c for c in common if (c > _LAST_LATIN or latin) and not "a" <= c <= "z"]
    order = [*alphabet, *own] if latin else own
    return {letter: number for number, letter in enumerate(order[: SYMBOLS - FIRST_LETTER], FIRST_LETTER)}


def _shares(tally: dict[str, int]) -> dict[str, int]:
    total = sum(tally.values())
    return {letter: count * 100_000 // total for letter, count in tally.items()}


def _pair_logs(counts: Whole, smoothing: int) -> Whole:
    """Give log P(second | first), smoothed with the second's share among all."""
    counts = counts.copy()
    counts[FOREIGN], counts[:, FOREIGN] = 0, 0
    rows, columns, total = counts.sum(1), counts.sum(0), int(counts.sum())
    extra = rows[:, None] * columns[None, :] // (smoothing * max(1, total))  # what chance would give, made small
    smooth = counts + extra + (columns > 0)[None, :]
    logs: Whole = log_ratio(np.maximum(smooth, 1), np.maximum(smooth.sum(1, keepdims=True), 2))
    logs[smooth == 0] = _FOREIGN_PAIR * 2
    logs[FOREIGN], logs[:, FOREIGN] = _FOREIGN_PAIR // 2, _FOREIGN_PAIR
    logs[EDGE, EDGE] = logs[FOREIGN, FOREIGN] = 0
    return logs


def _of_shares(shares: dict[str, int]) -> Language:
    """Give a language of which only the letters' shares are known: each follows each alike."""
    letters = _numbered(shares)
    counts = np.zeros((SYMBOLS, SYMBOLS), np.int64)
    edge = sum(shares.values()) // 8  # Thai has hardly any spaces
    weights = np.zeros(SYMBOLS, np.int64)
    weights[EDGE] = edge
    for letter, number in letters.items():
        weights[number] = shares[letter]
    counts[:] = weights[None, :] * (weights > 0)[:, None]
    counts[EDGE, EDGE] = 0
    return Language(letters, _pair_logs(counts, _LEAST_SMOOTHING), _shares(shares))
