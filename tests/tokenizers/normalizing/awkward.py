"""Texts that normalization may get wrong, whole and in pieces that a strategy puts together."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import sentencepiece
from hypothesis import strategies as st
from tests.tokenizers.model_bytes import charsmap, made_charsmap

from headrace.schemas.arrays import Bytes, Offsets, read_only

RULES = ("identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "made")
MADE = {
    "ab": "X",
    "abc": "  y  ",
    "a": "",
    "中国": "\u2581 \u2581",
    "中": "a very long replacement with spaces " * 3,
    "\n": " ",
    "é": "e",
    "😀": ":-)",
}
SYMBOLS: tuple[tuple[str, ...], ...] = (
    (),
    ("<s2>", "<a b>", "##", "中国", "  ", "\n\n"),
    ("A", "か\u3099x", "<", "ﬁn", "a b ", "Ａ１", " ", "，。", "a" * 30),
)
MARK = "\u2581".encode()
ATOMS = (
    *(" ", "  ", "   ", "\n", "\t", "\r\n", "\0", "\x01", "\x7f", "\x85"),
    *("\u2581", "\ufffd", "\u3000", "\u00a0", "\u200b", "\u2028", "\xad", "\ufeff"),
    *("a", "ab", "abc", "A", "Z", "<", ">", "=", "<s2>", "<a b>", "#", "##", "the wheel ", "x" * 40, "y " * 40),
    *("e\u0301", "A\u030a", "<\u0338", "か\u3099", "は\u309a", "\u1112\u1161\u11ab", "\u0344", "\u0fb2\u0f71\u0f80"),
    *("ﬁ", "ß", "İ", "é", "½", "…", "㈱", "ﷺ", "Ａ", "１", "，", "。", "中", "中国", "한", "水轮开始转动", "国" * 40),
    *("😀", "👩\u200d👩\u200d👧", "𠮷", "\U0010ffff", "\ud7ff", "\ue000", "ｶﾞ", "\u0300", "a\u0300\u0301"),
)
_BROKEN = (
    b"\xff",
    b"\x80",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xe2\x96",
    b"\xf4\x90\x80\x80",
)
_PIECES = st.one_of(
    st.sampled_from([atom.encode() for atom in ATOMS]),
    st.sampled_from(_BROKEN),
    st.characters(codec="utf-8").map(str.encode),
    st.binary(max_size=3),
)
TEXTS = st.lists(st.lists(_PIECES, max_size=12).map(b"".join), max_size=6)
PLAIN_TEXTS = [atom.encode() for atom in ATOMS] + list(_BROKEN)


@cache
def table(rule: str) -> bytes:
    """Give the table of a rule: the library's by name, or the one it makes of MADE."""
    if rule == "identity":
        return b""
    return made_charsmap(MADE) if rule == "made" else charsmap(rule)


def packed(texts: list[bytes], behind: bytes = b"") -> tuple[Bytes, Offsets]:
    """Give texts as one array and where each begins, with bytes behind the last one as in a slice of a column."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return read_only(np.frombuffer(b"".join(texts) + behind, np.uint8)), read_only(offsets)


def unpacked(data: Bytes, offsets: Offsets) -> list[bytes]:
    ends = offsets.tolist()
    return [data[begin:end].tobytes() for begin, end in pairwise(ends)]


def by_library(model: bytes, texts: list[bytes]) -> list[bytes]:
    """Give what the library makes of texts."""
    normalized: list[bytes] = sentencepiece.SentencePieceProcessor(model_proto=model).normalize(texts) if texts else []
    return normalized
