"""Text that was read by the wrong table, read again: ftfy for one byte a character, `double_bytes` for Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import ftfy
import numpy as np

from headrace.schemas.arrays import read_only
from headrace.stages.kernels.repair_scan import MOJIBAKE, scan
from headrace.stages.repairing.double_bytes import Tried, mended_narrow, mended_wide, narrow_table, wide_reading
from headrace.stages.repairing.suspicion import signals

ROUNDS = 6  # how many mistakes upon each other are undone
# U+0085 is a line end, and no byte of garbled text, behind what is no byte and before what is no space.
_LINE_END = re.compile("((?<![\x80-\xff])\x85(?!\\s|$))")
_C1 = re.compile("[\x80-\x9f]")
_DIGIT = re.compile(r"\d")
_LATIN = "A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u1e00-\u1eff"
# Greek, Cyrillic, Hebrew, Arabic, Thai: Windows has a table of one byte a character for each.
_ALPHABETS = _LATIN + "\u0370-\u04ff\u05d0-\u05ea\u0600-\u06ff\u0e00-\u0e7f"
_WINDOWS = {b: bytes([b]).decode("cp1252") for b in range(0x80, 0xA0) if b not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
_COMMON = {b: _WINDOWS[b] for b in (0x85, *range(0x91, 0x98))}  # in all those tables: … ‘ ’ “ ” • – —
_BYTES = re.compile("[\x80-\xff]{6,}")  # no text of any language has as many accented letters and signs in a row
_CONFIG = ftfy.TextFixerConfig(
    unescape_html=False,
    remove_terminal_escapes=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    fix_surrogates=False,
    fix_c1_controls=False,
    remove_control_chars=False,
    normalization=None,
    explain=False,
)


def mended(lines: list[str], between: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    r"""Give lines of one document as they were written, as far as their bytes can be read again, and those between.

    What many lines show together counts for each of them, and for the inconspicuous text between them. The rest stays
    as it is.

    >>> mended(["doesnâ€™t 鍖椾含 ÖÐ¹ú"])
    (['doesn’t 北京 中国'], [])
    """
    text = "\n".join(lines)
    whole = wide_reading(text) if len(lines) > 1 and not text.isascii() else None
    if whole is not None and whole.count("\n") == text.count("\n"):
        lines = _again(lines, whole)
    table, worthwhile = narrow_table(lines)
    narrow = partial(mended_narrow, table=table) if worthwhile else str
    if table is not None:
        lines, between = [narrow(line) for line in lines], [narrow(piece) for piece in between]
    tried = Tried()
    after = ["".join(_mended_piece(piece, narrow, tried) for piece in _LINE_END.split(line)) for line in lines]
    return after, list(between)


def _again(lines: list[str], text: str) -> list[str]:
    """Cut a text into lines that end like those given, line feeds included."""
    rest = iter(text.split("\n"))
    return ["\n".join(next(rest) for _ in range(line.count("\n") + 1)) for line in lines]


def _mended_piece(line: str, narrow: Callable[[str], str], tried: Tried) -> str:
    for _ in range(ROUNDS):
        if line.isascii() or line == "\x85" or not _suspicious(line):
            break
        after = _by_ftfy(narrow(mended_wide(line, tried)))
        if after == line:
            break
        line = after
    return line


def _suspicious(line: str) -> bool:
    """Tell whether the scan would find a line; what has just been mended nearly never is."""
    data = np.frombuffer(line.encode(), np.uint8)
    offsets = read_only(np.array([0, len(data)], np.int64))
    return bool(scan(data, offsets, signals(), len(data))[0] & MOJIBAKE)


class _Signs(NamedTuple):
    """What C1 controls stand for among the letters of some scripts."""

    signs: Mapping[int, str]
    others: re.Pattern[str]  # letters of other scripts
    span: re.Pattern[str]  # from the first to the last letter of these

    @classmethod
    def beside(cls, letters: str, signs: Mapping[int, str]) -> _Signs:
        """Give the signs beside the letters of a class of characters."""
        others = re.compile(rf"([^\W\d_{letters}]+)")
        return cls(signs, others, re.compile(f"[{letters}](?:.*[{letters}])?", re.DOTALL))


_SIGNS = (_Signs.beside(_LATIN, _WINDOWS), _Signs.beside(_ALPHABETS, _COMMON))


def _windows(line: str) -> str:
    r"""Give a line with C1 controls as what Windows has there, where the next letters on both sides allow it.

    Beside Chinese none of its tables is meant, so the controls stay as they are for the repair of controls.

    >>> _windows("l\x92eau 100\x80; 文\x92字")
    'l’eau 100\x80; 文\x92字'
    """
    for signs in _SIGNS:
        line = _with_signs(line, signs)
    return line


def _with_signs(line: str, wanted: _Signs) -> str:
    pieces = wanted.others.split(line)  # letters of other scripts are every second one
    if len(pieces) == 1 and not wanted.span.search(line):
        return line.translate(wanted.signs) if _DIGIT.search(line) else line
    for at in range(0, len(pieces), 2):
        piece = pieces[at]
        letters = wanted.span.search(piece)
        if letters:
            begin = letters.start() if at else 0
            end = letters.end() if at + 1 < len(pieces) else len(piece)
            pieces[at] = piece[:begin] + piece[begin:end].translate(wanted.signs) + piece[end:]
    return "".join(pieces)


def _by_ftfy(line: str) -> str:
    """Mend what ftfy knows; a long run of bytes of which it reads only a few is something else, and stays as it is."""
    fixed = ftfy.fix_encoding(line, _CONFIG)
    if fixed == line or fixed == line.translate(_WINDOWS):
        return _windows(line) if _C1.search(line) else line
    before = sum(map(len, _BYTES.findall(line)))
    left = sum(map(len, _BYTES.findall(fixed)))
    return line if 2 * left > before > 0 else fixed
