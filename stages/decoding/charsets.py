"""The charsets that Headrace tells apart, by the names that stand in the column `encoding`.

Names are those of Python's codecs (`codecs.lookup(name).name`), so that `bytes.decode` reads what a column says. Two
have no codec there: `euc-tw` and `iso-2022-cn`. What is really found under a narrow name is read by its superset, as
the web's encoding standard has it, so that no character is lost to a label:

    gb2312, gbk, cp936 -> gb18030        big5, cp950 -> big5hkscs       shift_jis -> cp932       euc_kr -> cp949
    iso8859-1, ascii -> cp1252           iso8859-9 -> cp1254            tis-620, iso8859-11 -> cp874
"""

from __future__ import annotations

import codecs

DOUBLE_BYTE = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "euc-tw", "johab")  # in the order of the families
UTF_8 = "utf-8"
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
ISO_2022_CN = "iso-2022-cn"
CP950 = "cp950"  # Big5 whose kana and Cyrillic stand where CP950 has them; all other Big5 is called big5hkscs
ESCAPING = ("hz", ISO_2022_CN, "iso2022_kr", "iso2022_jp_2004", "iso2022_jp_ext", "iso2022_jp_2", "iso2022_jp_3")
DEFAULT = "cp1252"  # what the web takes where nothing is said

_WESTERN = ("fr", "de", "es", "pt", "it", "sv", "da", "nb", "is", "fi", "nl", "ca", "en")
_CENTRAL = ("pl", "cs", "sk", "hu", "ro", "hr", "sl", "sq", "de", "en")
_BALTIC = ("lv", "lt", "et", "en")
_CYRILLIC = ("ru", "uk", "be", "bg", "sr", "mk")
# A single-byte page, how likely it is before anything is read (centinats), and the languages that write it.
PAGES: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("cp1252", -200, _WESTERN),
    ("iso8859-15", -500, _WESTERN),
    ("mac-roman", -600, _WESTERN),
    ("cp850", -750, _WESTERN),
    ("cp437", -850, _WESTERN),
    ("cp1250", -350, _CENTRAL),
    ("iso8859-2", -420, _CENTRAL),
    ("cp852", -750, _CENTRAL),
    ("mac-latin2", -850, _CENTRAL),
    ("iso8859-16", -700, ("ro", "pl", "hu")),
    ("cp1254", -400, ("tr",)),
    ("cp857", -850, ("tr",)),
    ("mac-turkish", -900, ("tr",)),
    ("iso8859-3", -700, ("eo", "mt", "tr")),
    ("cp1257", -500, _BALTIC),
    ("iso8859-13", -650, _BALTIC),
    ("iso8859-4", -700, _BALTIC),
    ("iso8859-10", -850, ("sv", "da", "nb", "is", "lt", "lv")),
    ("cp1258", -600, ("vi",)),
    ("cp1251", -300, _CYRILLIC),
    ("koi8-r", -390, ("ru", "bg")),
    ("koi8-u", -400, ("uk", "ru", "be")),
    ("iso8859-5", -500, _CYRILLIC),
    ("cp866", -500, ("ru", "uk", "be", "bg")),
    ("mac-cyrillic", -600, _CYRILLIC),
    ("cp855", -650, _CYRILLIC),
    ("cp1253", -350, ("el",)),
    ("iso8859-7", -390, ("el",)),
    ("cp737", -800, ("el",)),
    ("mac-greek", -900, ("el",)),
    ("cp1255", -350, ("he",)),
    ("iso8859-8", -450, ("he",)),
    ("cp862", -800, ("he",)),
    ("cp1256", -350, ("ar", "fa")),
    ("iso8859-6", -450, ("ar",)),
    ("cp874", -400, ("th",)),
)
# As kernels number them (`charset_model`).
NUMBERED = (*DOUBLE_BYTE, CP950, UTF_8, *WIDE[:2], *(name for name, _, _ in PAGES))
RARER_LANGUAGES = {
    "eo": -50,
    "mt": -50,
    "vi": -50,
    "ca": -50,
    "hr": -50,
    "sl": -50,
    "sq": -150,
    "is": -50,
    "fa": -100,
    "sr": -150,
    "mk": -200,
    "be": -100,
}

_SUPERSETS = {
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("big5", "cp950", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "shift_jis_2004", "shift_jisx0213", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc_kr", "ks_c_5601-1987", "windows-949", "x-windows-949", "uhc"), "cp949"),
    **dict.fromkeys(("euc_jis_2004", "euc_jisx0213", "x-euc-jp"), "euc_jp"),
    **dict.fromkeys(("iso8859-1", "ascii"), DEFAULT),
    **dict.fromkeys(("tis-620", "iso8859-11", "windows-874"), "cp874"),
    **dict.fromkeys(("euc_tw", "x-euc-tw", "cns11643"), "euc-tw"),
    **dict.fromkeys(("iso2022_cn", "iso-2022-cn-ext"), ISO_2022_CN),
    **dict.fromkeys(("x-gbk", "x-gb18030"), "gb18030"),
    "iso8859-9": "cp1254",
    "iso-8859-8-i": "iso8859-8",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
    "utf-8-sig": UTF_8,
    "unicode-1-1-utf-8": UTF_8,
    "x-mac-cyrillic": "mac-cyrillic",
    "macintosh": "mac-roman",
}
_OWN = ("euc-tw", ISO_2022_CN)
_NO_CHARSETS = (
    "idna",
    "punycode",
    "unicode-escape",
    "raw-unicode-escape",
    "undefined",
    "utf-7",
)  # for Python, text codecs


def codec_of(name: str | None) -> str | None:
    """Give the charset by which a name's texts are read; None for a name that is not known.

    >>> codec_of("GB2312"), codec_of("Shift_JIS"), codec_of("x-euc-tw"), codec_of("base64")
    ('gb18030', 'cp932', 'euc-tw', None)
    """
    wanted = (name or "").strip().lower()
    if wanted in _OWN:
        return wanted
    if wanted in _SUPERSETS:
        return _SUPERSETS[wanted]
    try:
        known = codecs.lookup(wanted)
    except (LookupError, ValueError):  # a name with a NUL is a ValueError
        return None
    if not known._is_text_encoding or known.name in _NO_CHARSETS:
        return None
    return _SUPERSETS.get(known.name, known.name)
