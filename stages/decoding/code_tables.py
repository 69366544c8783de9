"""What each code of each charset means, out of Python's codecs, with what these lack or still have as in the year 2000.

A table has a code point for each code (0 = none). Two-byte codes are their own index. The three-byte codes of EUC-JP
(8F xx yy) stand at the index of their last two bytes without the high bits, where no two-byte code can be.
"""

from __future__ import annotations

import codecs
from functools import cache

import numpy as np
import numpy.typing as npt

from headrace.stages.decoding.cns11643 import cns_planes
from headrace.stages.decoding.hkscs import web_additions
from headrace.stages.kernels.charset_model import CP950_FIRST, CP950_LAST, GB_FOUR_BYTE_CODES, SEQUENCE, SEQUENCES

CODES = 1 << 16
Table = npt.NDArray[np.uint32]

_LEADS, _TRAILS = range(0x81, 0xFF), range(0x30, 0xFF)
# GB 18030-2022, table D.1 and the list of changes: code points that were private before, by their two-byte codes.
# The 2005 edition had moved A8BC and the six of Extension B already; Python's codec is that of the year 2000.
_GB18030_2022 = {
    **dict(zip((0xA6D9, 0xA6DA, 0xA6DB, 0xA6DC, 0xA6DD, 0xA6DE, 0xA6DF), b"\x10\x12\x11\x13\x14\x15\x16", strict=True)),
    **dict(zip((0xA6EC, 0xA6ED, 0xA6F3), b"\x17\x18\x19", strict=True)),
}
_VERTICAL_FORMS = 0xFE00
_GB18030_HAN = dict(
    zip((0xFE59, 0xFE61, 0xFE66, 0xFE67, 0xFE6D, 0xFE7E, 0xFE90, 0xFEA0), range(0x9FB4, 0x9FBC), strict=True)
)
_GB18030_2005 = {
    0xA8BC: 0x1E3F,
    0xA8BF: 0x01F9,
    0xFE51: 0x20087,
    0xFE52: 0x20089,
    0xFE53: 0x200CC,
    0xFE6C: 0x215D7,
    0xFE76: 0x2298F,
    0xFE91: 0x241FE,
}


def gb18030() -> Table:
    """Give GB 18030-2022; it holds GBK and GB 2312."""
    table = _two_byte("gb18030")
    for code, low in _GB18030_2022.items():
        table[code] = _VERTICAL_FORMS | low
    for changes in (_GB18030_HAN, _GB18030_2005):
        for code, point in changes.items():
            table[code] = point
    return table


@cache
def gb18030_four_byte() -> npt.NDArray[np.uint16]:
    """Give the code points of the four-byte codes of the basic plane, in their order.

    The eighteen codes that changed places with private code points in 2022 keep their older meaning: texts that hold
    them are older, and either way no character comes out private.
    """
    places = np.arange(GB_FOUR_BYTE_CODES)
    digits = np.stack(
        [places // 12_600 + 0x81, places // 1260 % 10 + 0x30, places // 10 % 126 + 0x81, places % 10 + 0x30]
    )
    data = digits.T.astype(np.uint8).tobytes()
    text = data.decode("gb18030", "replace")
    if len(text) != GB_FOUR_BYTE_CODES:
        raise ValueError("Python's gb18030 codec no longer has one code point for each four-byte code")
    points = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint16)
    return np.where(points == 0xFFFD, np.where(places == _REPLACEMENT_PLACE, 0xFFFD, 0), points).astype(np.uint16)


_REPLACEMENT_PLACE = 39_417  # 8431A437 is U+FFFD itself


def big5() -> Table:
    """Give Big5 as the web has it: CP950 and what Hong Kong added (HKSCS), whose layout rules in rows C6 to C8."""
    table = _two_byte("cp950")
    hkscs = _two_byte("big5hkscs")
    codes = np.arange(CODES)
    theirs = ((codes >= CP950_FIRST) & (codes <= CP950_LAST)) | (table == 0)
    table[theirs] = hkscs[theirs]
    table = _filled(table, _two_byte("big5"))
    for code, point in web_additions():
        table[code] = point
    return table


def big5_cp950() -> Table:
    """Give Big5 with the kana and Cyrillic of rows C6 to C8 where CP950 has them."""
    table = big5()
    table[CP950_FIRST : CP950_LAST + 1] = _two_byte("cp950")[CP950_FIRST : CP950_LAST + 1]
    return table


def euc_jp() -> Table:
    """Give EUC-JP: JIS X 0208 and 0212, half-width kana (8E xx), and the vendors' rows as CP932 has them."""
    table = _two_byte("euc_jp")
    vendor = np.zeros(CODES, np.uint32)
    for row in range(94):
        lead = row // 2 + (0x81 if row < 62 else 0xC1)
        for cell in range(94):
            trail = cell + 0x9F if row % 2 else cell + 0x40 + (cell >= 63)
            vendor[(row + 0xA1) << 8 | (cell + 0xA1)] = _one(bytes((lead, trail)), "cp932")
    table = _filled(table, vendor)
    for row in range(0xA1, 0xFF):
        for cell in range(0xA1, 0xFF):
            table[(row & 0x7F) << 8 | (cell & 0x7F)] = _one(bytes((0x8F, row, cell)), "euc_jp")
    return table


def euc_tw() -> Table:
    """Give the two-byte codes of EUC-TW: plane 1 of CNS 11643."""
    table = np.zeros(CODES, np.uint32)
    for row in range(94):
        at = (row + 0xA1) << 8 | 0xA1
        table[at : at + 94] = cns_planes()[1, row * 94 : (row + 1) * 94]
    return table


def two_byte(codec: str) -> Table:
    """Give the two-byte codes of a codec of Python."""
    return _two_byte(codec)


def page(codec: str) -> Table:
    """Give the 256 code points of a single-byte code page."""
    return np.array([_one(bytes((code,)), codec) if code else 0 for code in range(256)], np.uint32)


def _two_byte(codec: str) -> Table:
    table = np.zeros(CODES, np.uint32)
    for lead in _LEADS:
        for trail in _TRAILS:
            table[lead << 8 | trail] = _one(bytes((lead, trail)), codec)
    return table


def _one(code: bytes, codec: str) -> int:
    """Give the code point of one code, 0 if it is none, or is one byte and ASCII."""
    try:
        text = codecs.decode(code, codec)
    except UnicodeDecodeError:
        return 0
    if len(text) == 1:
        return ord(text)
    if len(text) == 2 and ord(text[1]) >= 0x300 and ord(text[0]) < 0x100:
        return SEQUENCE + SEQUENCES.index((ord(text[0]), ord(text[1])))
    return 0


def _filled(table: Table, other: Table) -> Table:
    return np.where(table == 0, other, table)
