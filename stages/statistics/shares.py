"""Shares out of counts: what rules compare with thresholds. None is ever NaN, and by default none is above 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.arrays import Counts, Floats

Formulae = Literal["headrace", "datatrove"]
# name: part, whole; `text` is the characters without line feeds
SHARES: Mapping[str, tuple[str, str]] = {
    "hash_share": ("hashes", "words"),
    "ellipsis_share": ("ellipses", "words"),
    "bullet_line_share": ("bullet_lines", "lines"),
    "ellipsis_line_share": ("ellipsis_lines", "lines"),
    "alphabetic_word_share": ("alphabetic_words", "words"),
    "stop_word_share": ("stop_words", "words"),
    "repeated_paragraph_share": ("repeated_paragraphs", "paragraphs"),
    "repeated_paragraph_character_share": ("repeated_paragraph_characters", "characters"),
    "repeated_piece_share": ("repeated_pieces", "pieces"),
    "repeated_piece_character_share": ("repeated_piece_characters", "characters"),
    "top_2_gram_share": ("covered_2_gram", "characters"),
    "top_3_gram_share": ("covered_3_gram", "characters"),
    "top_4_gram_share": ("covered_4_gram", "characters"),
    **{f"repeated_{size}_gram_share": (f"repeated_{size}_gram", "characters") for size in range(5, 11)},
    "ended_line_share": ("ended_lines", "full_lines"),
    "short_line_share": ("short_lines", "full_lines"),
    "repeated_line_character_share": ("repeated_line_characters", "text"),
    "newline_share": ("newlines", "words"),
}
# datatrove 0.10.1 joins the words of the most frequent run by spaces and counts overlaps twice: more than the text has
PUBLISHED = {f"top_{size}_gram_share": (f"top_{size}_gram", "characters") for size in (2, 3, 4)}


def shares(counts: Mapping[str, Counts], formulae: Formulae = "headrace") -> dict[str, Floats]:
    """Give all shares by name, and `mean_word_length`, the characters of a word that is not marks alone.

    What is divided by nothing is 0. By our formulae no share is above 1: more line feeds than words, or more # than
    words, count as 1, and the most frequent run is measured by the characters it covers. By datatrove's they are as
    its filters compute them.
    """
    known = dict(counts) | {"text": counts["characters"] - counts["newlines"]}
    pairs = dict(SHARES) | (PUBLISHED if formulae == "datatrove" else {})
    found = {name: divided(known[part], known[whole]) for name, (part, whole) in pairs.items()}
    if formulae == "headrace":
        found = {name: np.minimum(share, 1.0) for name, share in found.items()}
    return found | {"mean_word_length": divided(known["solid_characters"], known["solid_words"])}


def divided(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> Floats:
    """Give part by whole, and 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
