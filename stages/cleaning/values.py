"""What clean measures: one number per document and name, always finite, shares between 0 and 1."""

from __future__ import annotations

from functools import cache

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Floats, Hashes, Offsets, text_array
from headrace.stages.kernels.characters import brackets, classes, sentence_marks
from headrace.stages.view import views

KEYBOARD = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
# The commonest short words of twelve languages in Latin letters: a page of prose without any of them is no prose.
FUNCTION_WORDS = (
    "the of and to in is that it for as with on was are be this by or from at an not you have which can if all "
    "de la le les des et en un une est que pour dans sur el los las del por con se no es su para "
    "der die und den von zu das mit ist im auf nicht ein eine di il che per non una sono do da os em com não uma "
    "het een van op te dat zijn och att som det på av en og er til i w na z nie się jest że ve bir bu için ile "
    "ja on ei että se ne ez és hogy nem a az je v na se o"
)


def text_values(data: Bytes, offsets: Offsets, gram: int) -> dict[str, Floats]:
    """Give every value that is a function of the cleaned text, in the order of the columns."""
    from headrace.stages.kernels import measures as m
    from headrace.stages.kernels.repeats import repeated_characters
    from headrace.stages.kernels.sentences import ENDED_LINES, LINES, SENTENCES, sentence_counts

    sentences = sentence_counts(data, offsets, classes(), sentence_marks(), brackets()).T
    counts = m.measure(data, offsets, classes(), consonants(), keys(), function_words()).T
    repeated, tokens = repeated_characters(*views(text_array(data, offsets)), classes(), gram).T
    characters = counts[m.CHARACTERS]
    return {
        "characters": characters.astype(np.float64),
        "damage_share": _share(counts[m.DAMAGED], characters),
        "letter_share": _share(counts[m.LETTERS], characters),
        "symbol_share": _share(counts[m.SYMBOLS], characters),
        "punctuation_share": _share(counts[m.PUNCTUATIONS], characters),
        "digit_share": _share(counts[m.DIGITS], characters),
        "repeated_gram_share": _share(repeated, tokens),
        "run_share": _share(counts[m.RUNS], characters),
        "noise_share": _share(counts[m.NOISE], characters),
        "mean_line_characters": _share(characters, counts[m.LINES]),
        "mean_word_letters": _share(counts[m.WORD_LETTERS], counts[m.WORDS]),
        "line_characters": counts[m.LONGEST].astype(np.float64),
        "words": counts[m.WORDS].astype(np.float64),
        "latin_share": _share(counts[m.LATIN_LETTERS], counts[m.LETTERS]),
        "function_word_share": _share(counts[m.FUNCTION_WORDS], counts[m.WORDS]),
        "sentences": sentences[SENTENCES].astype(np.float64),
        "line_end_share": _share(sentences[ENDED_LINES], sentences[LINES]),
    }


def _share(part: Counts, whole: Counts) -> Floats:
    return np.asarray(part / np.maximum(whole, 1), np.float64)


@cache
def function_words() -> Hashes:
    """Give the table of the function words."""
    from headrace.stages.kernels.measures import hash_table

    return hash_table(FUNCTION_WORDS.split())


@cache
def keys() -> Counts:
    """Number the letters so that neighbours on the keyboard differ by 1."""
    table = np.full(128, -9, np.int64)
    for row, keys in enumerate(KEYBOARD):
        for column, key in enumerate(keys):
            table[ord(key)] = 100 * row + column
    return table


@cache
def consonants() -> Classes:
    """Mark the consonants among the letters."""
    table = np.zeros(128, np.uint8)
    table[[ord(c) for c in "bcdfghjklmnpqrstvwxz"]] = 1
    return table
