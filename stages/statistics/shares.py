"""Values out of counts: what rules compare with thresholds. None is ever NaN, and by default no share is above 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headrace.schemas.arrays import Counts, Floats

Formulae = Literal["headrace", "datatrove", "dclm", "dolma"]


@dataclass(frozen=True, slots=True)
class Value:
    """A count, or a count by another one, and what it says."""

    says: str
    part: str
    whole: str | None = None


VALUES: Mapping[str, Value] = {
    "characters": Value("code points of the text", "characters"),
    "words": Value("words that are not marks alone", "solid_words"),
    "words_and_marks": Value("words, marks among them", "words"),
    "mean_word_length": Value("characters of a word that is not marks alone", "solid_characters", "solid_words"),
    "full_lines": Value("lines that are not blank", "full_lines"),
    "hash_share": Value("# per word or mark", "hashes", "words"),
    "ellipsis_share": Value("... and … per word or mark", "ellipses", "words"),
    "symbol_share": Value("#, ... and … per word or mark", "symbols", "words"),
    "bullet_line_share": Value("lines that begin with • or -", "bullet_lines", "lines"),
    "ellipsis_line_share": Value("lines that end with ... or …", "ellipsis_lines", "lines"),
    "alphabetic_word_share": Value("words and marks that have a letter", "alphabetic_words", "words"),
    "repeated_paragraph_share": Value(
        "paragraphs, parted by blank lines, that are copies of earlier ones", "repeated_paragraphs", "paragraphs"
    ),
    "repeated_paragraph_character_share": Value(
        "characters in such copies", "repeated_paragraph_characters", "characters"
    ),
    "repeated_piece_share": Value(
        "lines, parted by one or more line feeds, that are copies of earlier ones", "repeated_pieces", "pieces"
    ),
    "repeated_piece_character_share": Value("characters in such copies", "repeated_piece_characters", "characters"),
    **{
        f"top_{size}_gram_share": Value(
            f"characters of the words that the most frequent run of {size} words covers",
            f"covered_{size}_gram",
            "characters",
        )
        for size in (2, 3, 4)
    },
    **{
        f"repeated_{size}_gram_share": Value(
            f"characters in runs of {size} words that were said before, without overlaps",
            f"repeated_{size}_gram",
            "characters",
        )
        for size in range(5, 11)
    },
    "ended_line_share": Value("lines that end with a mark that ends sentences", "ended_lines", "full_lines"),
    "repeated_line_character_share": Value(
        "characters, line feeds left out, of lines that are copies of earlier ones", "repeated_line_characters", "text"
    ),
    "newline_share": Value("line feeds per word or mark", "newlines", "words"),
}
SHARES = {name: (value.part, value.whole) for name, value in VALUES.items() if name.endswith("_share")}
Parts = Mapping[str, tuple[str, str | None]]
# datatrove 0.10.1 joins the words of the most frequent run by spaces and counts overlaps twice: more than the text has
DATATROVE: Parts = {f"top_{size}_gram_share": (f"top_{size}_gram", "characters") for size in (2, 3, 4)}
# DCLM and dolma do not tell # and ellipses apart: both values are that of all symbols
DCLM: Parts = {
    "words": ("letter_words", None),
    "words_and_marks": ("split_words", None),
    "mean_word_length": ("split_characters", "split_words"),
    **{f"{kind}_share": ("marked_symbols", "split_words") for kind in ("hash", "ellipsis", "symbol")},
    "bullet_line_share": ("marked_bullets", "marked_full_lines"),
    "ellipsis_line_share": ("marked_ellipses", "marked_full_lines"),
    "alphabetic_word_share": ("split_alphabetic_words", "split_words"),
    "repeated_paragraph_share": ("paragraph_copied", "paragraph_segments"),
    "repeated_paragraph_character_share": ("paragraph_copied_characters", "paragraph_characters"),
    "repeated_piece_share": ("line_copied", "line_segments"),
    "repeated_piece_character_share": ("line_copied_characters", "line_characters"),
    **{f"top_{size}_gram_share": (f"letter_longest_top_{size}_gram", "letter_characters") for size in (2, 3, 4)},
    **{f"repeated_{size}_gram_share": (f"letter_covered_{size}_gram", "letter_characters") for size in range(5, 11)},
}
DOLMA: Parts = {
    "words": ("split_words", None),
    "words_and_marks": ("split_words", None),
    "mean_word_length": ("split_twice_median", "two"),  # the median, as a count that is whole, by 2
    **{f"{kind}_share": ("split_symbol_words", "split_words") for kind in ("hash", "ellipsis", "symbol")},
    "bullet_line_share": ("marked_plain_bullets", "marked_lines"),
    "ellipsis_line_share": ("marked_plain_ellipses", "marked_lines"),
    "alphabetic_word_share": ("split_alphabetic_words", "split_words"),
    "repeated_piece_share": ("raw_line_copied", "raw_line_segments"),
    "repeated_piece_character_share": ("raw_line_copied_characters", "split_characters"),
    **{f"top_{size}_gram_share": (f"spaced_first_top_{size}_gram", "spaced_characters") for size in (2, 3, 4)},
    **{
        f"repeated_{size}_gram_share": (f"spaced_copied_{size}_gram", f"spaced_all_{size}_gram")
        for size in range(5, 11)
    },
}
FORMULAE: Mapping[Formulae, Parts] = {"headrace": {}, "datatrove": DATATROVE, "dclm": DCLM, "dolma": DOLMA}


def parts(name: str, formulae: Formulae) -> tuple[str, str | None]:
    """Give which count a value is, and by which other it is divided."""
    value = VALUES[name]
    return FORMULAE[formulae].get(name, (value.part, value.whole))


def shares(counts: Mapping[str, Counts], formulae: Formulae = "headrace") -> dict[str, Floats]:
    """Give all shares, and `mean_word_length`, whose counts there are.

    What is divided by nothing is 0. By our formulae no share is above 1: more line feeds than words, or more # than
    words, count as 1, and the most frequent run is measured by the characters it covers. By those of others they are
    as their filters compute them.
    """
    known = dict(counts) | derived(counts)
    pairs = {name: parts(name, formulae) for name in VALUES}
    return {
        name: value_of(name, known[part], known[whole], formulae)
        for name, (part, whole) in pairs.items()
        if whole is not None and part in known and whole in known
    }


def derived(counts: Mapping[str, Counts]) -> dict[str, Counts]:
    """Give the sums and differences of counts of lines that are parts of shares."""
    return {
        "text": counts["characters"] - counts["newlines"],
        "symbols": counts["hashes"] + counts["ellipses"],
        "two": np.full(len(counts["characters"]), 2),
    }


def value_of(name: str, part: Counts | Floats, whole: Counts | None, formulae: Formulae = "headrace") -> Floats:
    """Give a value of each document: the count, or the share, which by our formulae is at most 1."""
    if whole is None:
        return part.astype(np.float64)
    share = divided(part, whole)
    return np.minimum(share, 1.0) if formulae == "headrace" and name.endswith("_share") else share


def divided(part: Counts | Floats, whole: Counts) -> Floats:
    """Give part by whole, and 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
