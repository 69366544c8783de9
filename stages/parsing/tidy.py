"""What every text goes through, whatever it was taken out of: one kind of line end, no NUL."""

from __future__ import annotations

import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Flags
from headrace.stages.reading.columns import bytes_of

_RETURN = 13


def tidy(text: Array) -> Array:
    """Give texts with line feeds as line ends and without NUL; a null is an empty text."""
    text = text.fill_null("")
    code = bytes_of(text)
    if (code == 0).any():
        text = _replaced(text, "\0", "")
    if (code == _RETURN).any():
        text = _replaced(_replaced(text, "\r\n", "\n"), "\r", "\n")
    return text


def _replaced(text: Array, old: str, new: str) -> Array:
    changed: Array = pc.call_function("replace_substring", [text], pc.ReplaceSubstringOptions(old, new))
    return changed


def blank(text: Array) -> Flags:
    """Say which texts hold nothing but white space."""
    lengths = pc.call_function("binary_length", [text])
    flags: Flags = pc.or_(pc.call_function("equal", [lengths, 0]), pc.utf8_is_space(text)).to_numpy(
        zero_copy_only=False
    )
    return flags
