"""What the kernels of SentencePiece models read: all that a model says about text, as arrays that processes share.

Characters of pieces have codes: 1 for one that is in no piece, then from 2 on in order of use, so that the frequent
ones lie close together in the trie. Texts are those that the normalizer gives, with one byte 0x20 for each U+2581.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.uint16]
Numbers: TypeAlias = npt.NDArray[np.int32]
Scores: TypeAlias = npt.NDArray[np.float32]
Words: TypeAlias = npt.NDArray[np.uint64]

NO_CHARACTER, OTHER = 0, 1  # codes: behind the last character of a unit, and of a character that is in no piece
FIRST_CODE = 2
CODE_POINTS = 0x110000
CLASSES = 5  # of ASCII: letters, digits, the space, controls, and all signs
BASE, CHECK, PIECE, SCORE = range(4)  # columns of `nodes`; the last one holds the bits of a float32
UNKNOWN, SPELLED, FREEZES, MARKS = range(4)  # places in `facts`
NO_PAIR = np.uint64(0xFFFFFFFFFFFFFFFF)


class PieceTables(NamedTuple):
    """A model. Scores are those that the library adds up, those of user-defined pieces included."""

    codes: Codes  # of each code point
    nodes: Numbers  # a double array over codes: the child of node n by code c is BASE + c if CHECK there is n
    node_scores: Scores  # the same memory, for the column SCORE
    singles: Numbers  # by code: the id of the piece of that one character, -1 without one
    pairs: Words  # a bitmap of the hashes of codes that stand side by side in a piece; a power of two of bits
    bridges: Words  # by two classes of ASCII: all ones if a piece holds one beside the other, else 0
    scores: Scores  # by id
    byte_ids: Numbers  # by byte: the id that spells it
    id_bytes: Numbers  # by id: the byte it spells, -1 for all others
    symbols: Numbers  # by code: what a merge knows the character as, -1 if no merge knows it
    merge_keys: Words  # open addressing, a power of two of places: both symbols in one number, or NO_PAIR
    merge_ids: Numbers  # the piece that both are merged to
    ranks: Numbers  # by id: 0 for the highest score, equal ones for equal scores
    frozen: npt.NDArray[np.uint8]  # by id: whether a user put it in, so that no merge goes over its bounds
    facts: npt.NDArray[np.int64]  # an id; whether bytes spell it, anything is frozen, a space is a U+2581
    unknown: Scores  # the score of an unknown character, and the greatest of all scores without their sign
