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
_FEW_BLOCKS = 4
_TAB, _BOM, _END_OF_UNICODE = 9, 0xFEFF, 0x110000

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
    for encoding in ("utf-32-le", "utf-32-be"):
        code = units(head, encoding)
        if len(code) >= _MIN_UNITS and ((code < _END_OF_UNICODE) & (code >= _TAB)).all():
            return encoding
    anchors = {encoding: _anchors(units(head, encoding)) for encoding in ("utf-16-le", "utf-16-be")}
    best = max(anchors, key=anchors.__getitem__)
    return best if anchors[best] else None


def _anchors(code: Units) -> int:
    """Count ASCII and Chinese punctuation, 0 if the units are no text: in the wrong byte order there is hardly any."""
    code = code[code != _BOM]
    if len(code) < _MIN_UNITS or not _plain(code).all():
        return 0
    surrogate = (code & 0xF800) == 0xD800
    blocks = np.count_nonzero(np.bincount(_block(code[~surrogate])))
    # In the wrong order the low bytes scatter over all blocks; right, a text keeps to a few.
    if blocks > max(_FEW_BLOCKS, len(code) // 8):
        return 0
    return int(np.count_nonzero((code < 0x7F) | (code >> 8 == 0x30) | (code >> 8 == 0xFF)))


def _plain(code: Units) -> npt.NDArray[np.bool_]:
    control = (code < 32) & ~np.isin(code, (9, 10, 12, 13, 27))
    private = (code >= 0xE000) & (code < 0xF900)
    plain: npt.NDArray[np.bool_] = ~(control | private | (code >= 0xFFFE))
    return plain


def _block(code: Units) -> npt.NDArray[np.int64]:
    """Give the block of 256 characters; all Han count as one and all Hangul as one, since they do scatter."""
    block = np.where((code >= 0x3400) & (code < 0xA000), 0x4E, code >> 8)
    return np.where((code >= 0xAC00) & (code < 0xD7B0), 0xAC, block).astype(np.int64)
