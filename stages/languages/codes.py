"""The codes that texts are given, and what a user may ask for by them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Chinese of any kind is asked for by zh; its kinds have codes of their own, as in ISO 639-3.
CHINESE = ("zh", "yue", "lzh")
BY_CHARACTERS = (*CHINESE, "ja", "ko", "code", "und")
# Those of py3langid's model that are not told by characters.
_MODEL = """
ace af am an ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu ext fa
fi fo fr fuv fy ga gcf gcr gd gl gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it jv ka kab
kik kk km kn ku ky la lb lg lij ln lo lt ltg lv mg mk ml mn mr ms mt my ne nl nn no nso oc om or pa
pcm pl ps pt qu ro ru rw sa sdh se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz
uzs vec vi vo wa xh yo zu
"""
BY_MODEL = tuple(_MODEL.split())
KNOWN = frozenset((*BY_CHARACTERS, *BY_MODEL))
# What other tools call the same, and people write.
_OTHER_NAMES = {
    **dict.fromkeys(("zho", "chi", "cmn", "wuu", "chinese", "mandarin"), "zh"),
    **dict.fromkeys(("eng", "english"), "en"),
    **dict.fromkeys(("jpn", "jp", "japanese"), "ja"),
    **dict.fromkeys(("kor", "kr", "korean"), "ko"),
    **dict.fromkeys(("cantonese", "zh-yue"), "yue"),
    **dict.fromkeys(("classical", "zh-classical"), "lzh"),
    **dict.fromkeys(("deu", "ger"), "de"),
    **dict.fromkeys(("fra", "fre"), "fr"),
    **dict.fromkeys(("spa", "es-419"), "es"),
    **dict.fromkeys(("rus", "russian"), "ru"),
}
_VARIANTS = {"hans": "simplified", "cn": "simplified", "sg": "simplified", "hant": "traditional", "tw": "traditional"}
_VARIANTS |= {"hk": "traditional", "mo": "traditional"}


def checked(codes: Iterable[str]) -> tuple[str, ...]:
    """Give the codes if all are known; ValueError says which is not, and what to write instead."""
    given = tuple(codes)
    for code in given:
        if code not in KNOWN:
            raise ValueError(f"no document is ever given the language {code!r}; {_instead(code)}")
    return given


def _instead(code: str) -> str:
    name, _, rest = code.lower().replace("_", "-").partition("-")
    base = _OTHER_NAMES.get(code.lower(), _OTHER_NAMES.get(name, name))
    if base == "zh" and rest in _VARIANTS:
        return f"write zh, and han_variant: {_VARIANTS[rest]}"
    if base in KNOWN:
        return f"write {base}"
    near = sorted(get_close_matches(name, [code for code in KNOWN if code[0] == name[:1]], n=3))
    return f"did you mean {' or '.join(near)}?" if near else "docs/how-to/language.md lists the codes"


def covers(asked: Iterable[str]) -> frozenset[str]:
    """Give the codes of documents that are asked for: zh takes in Cantonese and literary Chinese."""
    codes = set(asked)
    return frozenset(codes | set(CHINESE) if "zh" in codes else codes)
