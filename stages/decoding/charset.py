"""Find the charset of bytes: marks first, then proofs, then a race between the declared charset and a detector."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import chardet
import numpy as np

from headrace.stages.decoding.oddness import oddness
from headrace.stages.reading.wide import bom_of, wide_by_zeros, width_of

# What a web page or an old archive of China, Japan, Korea, Europe or the Near East may hold. Left out are EBCDIC and
# the DOS and Mac pages of single countries: a detector that knows them sees them where they are not.
PLAUSIBLE = (
    *("gb18030", "gbk", "gb2312", "big5", "cp950", "big5hkscs", "euc-jp", "shift_jis", "cp932", "euc-kr", "cp949"),
    *("johab", "hz", "iso-2022-jp", "iso-2022-kr", "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"),
    *("windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256"),
    *("windows-1257", "koi8-r", "koi8-u", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-5", "iso-8859-6"),
    *("iso-8859-7", "iso-8859-8", "iso-8859-9", "iso-8859-15", "cp855", "cp866", "mac-cyrillic", "mac-roman"),
    *("tis-620", "cp874"),
)
# The codec that reads a charset and what is really found under its name, as the web's encoding standard has it.
_SUPERSETS = {
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "cp936", "hz-gb-2312"), "gb18030"),
    **dict.fromkeys(("big5", "cp950", "big5hkscs"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "cp932", "shift_jis_2004", "shift_jisx0213"), "cp932"),
    **dict.fromkeys(("euc_kr", "cp949"), "cp949"),
    **dict.fromkeys(("euc_jp", "euc_jis_2004", "euc_jisx0213"), "euc_jp"),
    **dict.fromkeys(("iso8859-1", "ascii", "cp1252"), "cp1252"),
    **dict.fromkeys(("tis-620", "cp874", "iso8859-11"), "cp874"),
    "iso8859-9": "cp1254",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
}
_ESCAPES = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(\$[@B(]|\([IJ])"), "iso2022_jp_2004"),
    (re.compile(rb"~\{[\x21-\x77][\x21-\x7e]"), "hz"),
)
_WEIGHED = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "utf-16-le", "utf-16-be")
_NO_MATCH, _DEFAULT = "windows-1252", "cp1252"
_UNSURE, _NO_IDEA = 0.2, 0.02
_ASCII_RUN = re.compile(rb"([\x00-\x7f]{32})[\x00-\x7f]+([\x00-\x7f]{32})")
_ASCII = re.compile(r"[\x00-\x7f]")
_DECLARATION = re.compile(rb"(charset|encoding)\s*=", re.IGNORECASE)  # the detector would believe it
_SAMPLE_BYTES = 1 << 16
_WINDOWS = 64
_PRIOR = 0.05  # a declared charset may look this much odder than the detector's choice and still win
_GOOD_PER_BAD = 2  # whole UTF-8 sequences per damaged one that make it UTF-8 all the same


@dataclass(frozen=True, slots=True)
class Charset:
    """A charset, how it was found (bom, escape, utf-8, declared, detected), and how sure that is, 0 to 1."""

    codec: str
    method: str
    confidence: float


def find_charset(data: bytes, declared: str | None) -> Charset:
    """Find the charset of a text, given the one that it is said to have."""
    bom = "utf-8" if data.startswith(codecs.BOM_UTF8) else bom_of(data)
    if bom:
        return Charset(bom, "bom", 1.0)
    found = _escaped(data) or _wide(data, declared) or _utf8(data)
    if found:
        return found
    sample = _sample(data)
    return _damaged_utf8(sample) or _raced(sample, declared)


def codec_of(name: str | None) -> str | None:
    """Give the codec that reads a charset as it is found in the wild; None for a name that is not known."""
    try:
        known = codecs.lookup((name or "").strip())
    except LookupError:
        return None
    if not known._is_text_encoding:
        return None
    return _SUPERSETS.get(known.name, known.name)


def fits(data: bytes, codec: str) -> bool:
    """Say whether bytes are legal in a charset, apart from a last character that is cut."""
    try:
        codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _escaped(data: bytes) -> Charset | None:
    if (b"\x1b" not in data and b"~{" not in data) or not data.isascii():
        return None
    for mark, codec in _ESCAPES:
        if mark.search(data):
            text = data.decode(codec, "ignore")
            if fits(data, codec) and oddness(text) <= _PRIOR and not text.isascii():
                return Charset(codec, "escape", 1.0)
    return None


def _wide(data: bytes, declared: str | None) -> Charset | None:
    head, said = data[:_SAMPLE_BYTES], codec_of(declared)
    if said and width_of(said) > 1 and fits(data, said) and oddness(head.decode(said, "ignore")) <= _PRIOR:
        return Charset(said, "declared", 1.0)
    found = wide_by_zeros(head)
    return Charset(found, "detected", 1.0) if found else None


def _utf8(data: bytes) -> Charset | None:
    return Charset("utf-8", "utf-8", 1.0) if fits(data, "utf-8") else None


def _damaged_utf8(sample: bytes) -> Charset | None:
    """Find UTF-8 in which some bytes are lost: other charsets hold hardly any whole sequence of it."""
    text = sample.decode("utf-8", "replace")
    bad = text.count("\ufffd") - sample.count("\ufffd".encode())
    good = len(text) - bad - len(_ASCII.findall(text))
    return Charset("utf-8", "utf-8", good / (good + bad)) if good >= _GOOD_PER_BAD * bad else None


def _raced(sample: bytes, declared: str | None) -> Charset:
    detected = _detected(sample)
    said = codec_of(declared)
    if said is None or said in ("utf-8", "utf-7") or not fits(sample, said):
        return detected
    if said == detected.codec:
        return Charset(said, "declared", 1.0)
    ours, theirs = (oddness(sample.decode(codec, "ignore")) for codec in (said, detected.codec))
    if said == _DEFAULT or ours > theirs + _PRIOR:  # the default of the web says nothing
        return detected
    return Charset(said, "declared", 1 - ours)


def _detected(sample: bytes) -> Charset:
    """Ask the detector; where it hardly believes its own answer, codecs of two bytes are weighed by oddness."""
    found = chardet.detect(sample, include_encodings=PLAUSIBLE, no_match_encoding=_NO_MATCH)
    sure = float(found["confidence"]) if found["encoding"] else 0.0
    best = Charset(codec_of(found["encoding"]) or _DEFAULT, "detected", sure)
    if sure > _UNSURE:
        return best
    if sure <= _NO_IDEA and fits(sample, _DEFAULT):
        best = Charset(_DEFAULT, "detected", sure)
    least = oddness(sample.decode(best.codec, "replace")) if sure > _NO_IDEA else 1.0
    for codec in _WEIGHED if _in_pairs(sample) or not found["encoding"] else ():
        if fits(sample, codec):
            odd = oddness(sample.decode(codec, "ignore"))
            if odd < least and odd <= _PRIOR:
                best, least = Charset(codec, "detected", _UNSURE), odd
    return best


def _in_pairs(sample: bytes) -> bool:
    """Say whether most bytes beyond ASCII stand side by side, as in scripts that need two bytes a character."""
    beyond = np.frombuffer(sample, np.uint8) >= 128
    beside = beyond[1:] & beyond[:-1]
    return bool(2 * beside.sum() >= beyond.sum())


def _sample(data: bytes) -> bytes:
    """Give what says something about the charset: bytes beyond ASCII with some ASCII around, from the whole length."""
    if len(data) > _SAMPLE_BYTES:
        data = _windows(data)
    return _ASCII_RUN.sub(rb"\1 \2", _DECLARATION.sub(b" ", data))


def _windows(data: bytes) -> bytes:
    """Give stretches of a long text, spread evenly over its bytes beyond ASCII."""
    beyond = np.flatnonzero(np.frombuffer(data, np.uint8) >= 128)
    chosen = beyond[np.linspace(0, len(beyond) - 1, _WINDOWS).astype(np.int64)]
    pieces, last = [], 0
    for place in chosen.tolist():
        begin = max(last, _border_before(data, place))
        last = max(last, _border_before(data, min(len(data), place + _SAMPLE_BYTES // _WINDOWS)))
        pieces.append(data[begin:last])
    return b"".join(pieces)


def _border_before(data: bytes, place: int) -> int:
    """Give a place at or before another that is surely no middle of a character: behind white space."""
    begin = max(0, place - _SAMPLE_BYTES // _WINDOWS)
    found = max(data.rfind(space, begin, place) for space in (b"\n", b" ", b"\t", b"\r"))
    return place if found < 0 else found + 1
