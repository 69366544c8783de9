"""Tell UTF-16 and UTF-32 by the first bytes: their line ends are two or four bytes, so cutting lines must know."""

from __future__ import annotations

import codecs
from typing import Any

import numpy as np
import numpy.typing as npt

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its first two bytes are the same
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDTHS = {"utf-32-le": 4, "utf-32-be": 4, "utf-16-le": 2, "utf-16-be": 2}
_DTYPES = {"utf-32-le": "<u4", "utf-32-be": ">u4", "utf-16-le": "<u2", "utf-16-be": ">u2"}
_MIN_UNITS = 4

Units = npt.NDArray[np.unsignedinteger[Any]]


def bom_of(head: bytes) -> str | None:
    """Name the UTF-16 or UTF-32 form whose byte order mark begins the text."""
    return next((name for bom, name in _BOMS if head.startswith(bom)), None)


def width_of(encoding: str | None) -> int:
    """Give the bytes of one code unit: 4, 2, or 1 for everything that is not UTF-16 or UTF-32."""
    return _WIDTHS.get(encoding or "", 1)


def units(data: bytes | memoryview, encoding: str) -> Units:
    """View bytes as code units; an incomplete last one is left out."""
    width = _WIDTHS[encoding]
    return np.frombuffer(data, _DTYPES[encoding], count=len(data) // width)


def proxy(data: bytes, encoding: str | None) -> npt.NDArray[np.uint8]:
    """Give one byte per code unit, so that line ends and quotes are found in the same way in every encoding."""
    if width_of(encoding) == 1 or encoding is None:
        return np.frombuffer(data, np.uint8)
    return np.minimum(units(data, encoding), 255).astype(np.uint8)


def wide_by_zeros(head: bytes) -> str | None:
    """Name UTF-16 or UTF-32 without a byte order mark where zero bytes give it away (every line end holds some)."""
    if b"\0" not in head:
        return None
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        if len(head) >= _MIN_UNITS * _WIDTHS[encoding] and _fits(units(head, encoding), encoding):
            return encoding
    return None


def _fits(code: Units, encoding: str) -> bool:
    """Say whether the code units look like text: no NUL, no C0 control, legal, and of few scripts."""
    if encoding.startswith("utf-32"):
        return bool(((code < 0x110000) & (code >= 9)).all())
    code = code[code != 0xFEFF]
    if not _plain(code).all():
        return False
    surrogates = (code & 0xF800) == 0xD800
    blocks = np.bincount(np.where(code >= 0x3400, _folded(code), code >> 8)[~surrogates], minlength=1)
    # Read with the wrong byte order, the low bytes scatter over all blocks; right, a text keeps to a few.
    return bool(np.count_nonzero(blocks) <= max(3, len(code) // 8))


def _plain(code: Units) -> npt.NDArray[np.bool_]:
    control = (code < 32) & (code != 9) & (code != 10) & (code != 12) & (code != 13) & (code != 27)
    private = (code >= 0xE000) & (code < 0xF900)
    plain: npt.NDArray[np.bool_] = ~(control | private | (code >= 0xFFFE))
    return plain


def _folded(code: Units) -> Units:
    """Count all Han as one block and all Hangul as one: their characters do scatter."""
    block = code >> 8
    block = np.where((code >= 0x3400) & (code < 0xA000), 0x4E, block)
    return np.where((code >= 0xAC00) & (code < 0xD7B0), 0xAC, block)
