"""What the normalization of a model is to a kernel: arrays and numbers, looked at in no other form."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Offsets

# What `kind` says of a code point; 0 is one that stays as it is, whatever is behind it.
STARTS: Final = 1  # symbols or rules of several characters begin with it; each has one that FOLLOWS as its second
LOOKED_UP: Final = 2  # a symbol or rule of its own that is not short
FOLLOWS: Final = 4
SHORT: Final = 8  # a rule of its own, and `short` holds what it writes

CODE_POINTS: Final = 0x110000
MOST_RULES: Final = 32  # of the rules that match at a place the library looks at so many, the shortest ones
MOST_SYMBOLS: Final = 64
SHORT_POINTS: Final = 0x10000
SHORT_BYTES: Final = 3
STOP_RANGES: Final = 5
SWAPS: Final = 3


class Tables(NamedTuple):
    """The rules and user-defined symbols of a model; all arrays are read-only.

    short[code point] holds up to three bytes, the lowest first, and their number in the highest byte; they are not, and
    have not among them, a space or U+2581, unless they are a space alone.
    `trie` is the model's double array of rules and `replacements` the zero-terminated texts that its values point at;
    both have a length of 0 if there are none. Symbol i of the sorted ones is symbols[bounds[i]:bounds[i + 1]]. `stops`
    and `swaps` are what `normalize_lanes` asks about bytes of ASCII: where a copy ends, and which bytes are written as
    which. `hold` says that a letter of ASCII may become another one with what is behind it. `longest` is how many bytes
    one step writes at most.
    """

    kind: Bytes
    short: npt.NDArray[np.uint32]
    trie: npt.NDArray[np.uint32]
    replacements: Bytes
    symbols: Bytes
    bounds: Offsets
    stops: npt.NDArray[np.uint8]
    swaps: npt.NDArray[np.uint8]
    hold: bool
    longest: int


class Manner(NamedTuple):
    """How white space is written: `mark` U+2581 in three bytes, or in one (`folded`), or as a space (neither)."""

    mark: bool
    folded: bool
    squeeze: bool
    before: bool
    behind: bool
