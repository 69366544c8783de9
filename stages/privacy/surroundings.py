"""What stands around a number and says what it is: a page's address, an order's number, a version, a price.

No question here looks past `<` or `>`: what is masked never decides about what stands beside it, so that masking a text
twice changes nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from headrace.stages.privacy.writing import DASH, either

# Gaps between a word and its number hold no letters, digits, brackets of placeholders or line ends.
_GAP = r"[^0-9a-z<>@\n]"
_NEAR = 32  # characters; no word and its gap are longer
_ADDRESS = re.compile(r"(?:://|^www\.|[a-z0-9]\.[a-z]{2,6}[/?:])")
_TOKEN_ENDS = re.compile(r"[\s<>]")
_NO_DIGITS = re.compile("[^0-9]+")
_CALLING = re.compile(r"(?:tel|phone|mobile|sms|callto|wa\.me|whatsapp)[:=/%a-z0-9]{0,8}\W{0,3}$")
_NUMBERING = re.compile(
    r"(?:订单|单号|编号|流水|序列|串号|条码|条形码|型号|货号|批号|票号|案号|书号|刊号|备案|专利|许可证|档案|学号|工号|准考证|交易号|"
    r"\b(?:isbn|issn|doi|order|sku|serial|s/n|sn|invoice|tracking|imei|imsi|iccid|uid|uuid|guid|ean|upc|pmid|pid|oid|arxiv|"
    r"ref|reference|ticket|version|build|timestamp|hash|commit|case|patent|bug|issue))"
    rf"(?: ?(?:号码|号|number|no\b))?{_GAP}{{0,6}}$"
)
_MONEY = re.compile(r"[$€£¥₩₹#№×^≈±] ?$")
_UNITS = re.compile(r" ?(?:[%‰元圆万亿吨]|美元|港元|欧元|日元|公里|km\b|kg\b|bytes?\b|[kmg]i?b\b|[×*^=] ?\d)")
_PART_BEFORE = re.compile(rf"\d\.$|[0-9a-z] ?{DASH}$")
_PART_AFTER = re.compile(rf"\.\d| ?{DASH}[0-9a-z]")


class Found(NamedTuple):
    """Something that has a pattern's form: what it is, and what stands before and behind it, folded."""

    text: str
    before: str
    after: str

    @property
    def digits(self) -> str:
        """The digits alone."""
        return _NO_DIGITS.sub("", self.text)

    @property
    def near(self) -> str:
        """What stands shortly before it."""
        return self.before[-_NEAR:]


def in_address(found: Found) -> bool:
    """Tell whether something is a part of a URL that is no call link."""
    token = found.before[found.before.rfind(" ") + 1 :]
    if "." not in token and "/" not in token:
        return False
    token = _TOKEN_ENDS.split(token)[-1]
    return _ADDRESS.search(token) is not None and _CALLING.search(found.near) is None


def is_part(found: Found) -> bool:
    """Tell whether something is a part of a longer number: of a decimal, or of a code with dashes."""
    return bool(_PART_AFTER.match(found.after) or _PART_BEFORE.search(found.before[-3:]))


def is_numbering(found: Found) -> bool:
    """Tell whether the word before says that this numbers an order, a book, a device and such."""
    return _NUMBERING.search(found.near) is not None


def is_amount(found: Found) -> bool:
    """Tell whether something is an amount or a term of a formula."""
    return bool(_UNITS.match(found.after) or _MONEY.search(found.before[-2:]))


def stands_alone(found: Found) -> bool:
    """Tell whether a number is none of those that look like one of a person's."""
    return not (is_part(found) or is_amount(found) or in_address(found) or is_numbering(found))


def says(*words: str, gap: int = 12) -> re.Pattern[str]:
    """Give a pattern for `near`: one of the words, and at most so many characters between it and the number."""
    return re.compile(either(*words) + f"{_GAP}{{0,{gap}}}$")
