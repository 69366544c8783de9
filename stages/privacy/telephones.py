"""Telephones: Chinese mobile numbers, landlines, 400 and 800 numbers, and numbers with a calling code."""

from __future__ import annotations

import re

from headrace.stages.privacy import checks
from headrace.stages.privacy.rule import Rule
from headrace.stages.privacy.surroundings import Found, in_address, is_amount, is_part, says, stands_alone
from headrace.stages.privacy.writing import DASH, DASHED, DIGIT, DOTTED, JOINT, WORD, either, grouped, singly

_CHINA_CODE = r"(?:\(\+?86\)|\+86|0086|86)"
_MOBILE_DIGITS = ["1", "[3-9]", *9 * [DIGIT]]
_MOBILE_FORMS = either(
    grouped(_MOBILE_DIGITS, "11", "3-4-4", "4-4-3", "3-8"),
    grouped(_MOBILE_DIGITS, "7-4", "5-6", joints=[DASHED]),
    grouped(_MOBILE_DIGITS, "3-4-4", joints=[DOTTED]),
    singly(_MOBILE_DIGITS),
)
_AREA = r"(?:10|2\d|[3-9]\d\d)"
_LOCAL = rf"(?:[2-8]\d{{6,7}}|[2-8]\d{{2,3}}{JOINT}\d{{4}})"
_EXTENSION = rf"(?:(?: ?(?:转|分机|ext\.?) ?:? ?| ?x ?| ?# ?|{DASH})\d{{1,5}})?"
_LANDLINE = either(
    rf"0{_AREA}{JOINT}{_LOCAL}",
    rf"\(0{_AREA}\){JOINT}?{_LOCAL}",
    rf"{_CHINA_CODE}{JOINT}?(?:0?{_AREA}{JOINT}|\(0?{_AREA}\){JOINT}?){_LOCAL}",
    rf"\+860?{_AREA}[2-8]\d{{6,7}}",
)
# A word that says that a telephone's number follows; then it may lack its area code, or stand in one piece.
_CALL = (
    r"(?:电话|座机|固话|传真|热线|手机|电传|tel|fax|phone|telephone)"
    r"(?: ?(?:/ ?(?:传真|手机|fax|tel)|号码|号|\((?:tel|fax|办公|家庭|传真)\)|numbers?|no\.?|\.))?"
    r"(?: ?[:=] ?| ?是 ?| ?为 ?| |\n){1,2}"
)
_HOTLINE_DIGITS = ["[48]", "0", "0", *7 * [DIGIT]]
_HOTLINE = either(
    grouped(_HOTLINE_DIGITS, "3-3-4", "3-4-3", "4-3-3"), grouped(_HOTLINE_DIGITS, "10", "3-7", "4-6", joints=[DASHED])
)
_INTERNATIONAL = rf"(?:\(\+[1-9]\d{{0,2}}\)|\+[1-9]\d{{0,2}})(?:(?:{JOINT}|\.)?(?:\(\d{{1,5}}\)|\d{{1,12}})){{1,6}}"
_INTERNATIONAL_00 = rf"00[1-9]\d{{0,2}}(?:{JOINT}(?:\(\d{{1,5}}\)|\d{{2,12}})){{1,5}}"
_AMERICAN = either(
    rf"\([2-9]\d\d\) ?[2-9]\d\d{JOINT}\d{{4}}",
    *(rf"(?:1{joint})?[2-9]\d\d{joint}[2-9]\d\d{joint}\d{{4}}" for joint in (DASH, r"\.")),
)
_calling = says(
    *("电话", "热线", "客服", "咨询", "拨打", "致电", "服务", "免费", "订购", "tel", "call", "hotline", "phone", "dial")
)


def _mobile(found: Found) -> bool:
    foreign = found.before[-1:] == "+"
    return checks.is_mobile(found.digits[-11:]) and stands_alone(found) and not foreign and found.after[:1] != "@"


def _landline(found: Found) -> bool:
    local = re.split(r"转|分机|ext|x|#", found.text)[0]
    digits = re.sub(r"\D", "", local)
    national = re.sub(r"^(?:0086|86)?0?", "", digits)
    for size, lengths in ((2, (8,)), (3, (7, 8))):
        rest = len(national) - size
        extension = _dashed_extension(local)
        if checks.is_area(national[:size]) and (rest in lengths or rest - extension in lengths):
            return stands_alone(found) and found.after[:1] != "@"
    return False


def _dashed_extension(text: str) -> int:
    """Give how many digits stand behind the last dash of a number, which may be an extension."""
    return len(re.split(DASH, text)[-1].strip())


def _called(found: Found) -> bool:
    """Decide on digits behind a word for telephones or another landline: in one piece, or without an area code."""
    digits = found.digits
    if digits[0] != "0":
        return not is_part(found) and not is_amount(found)
    cuts = ((3, (8,)), (4, (7, 8)))
    return any(checks.is_area(digits[1:cut]) and len(digits) - cut in sizes for cut, sizes in cuts)


def _hotline(found: Found) -> bool:
    if len(set(found.digits[3:10])) == 1 or not stands_alone(found):
        return False
    if re.fullmatch(r"\d+(?: \d+)+", found.text):  # groups of a table of numbers look alike
        return not (re.search(r"\d $", found.before[-2:]) or re.match(r" \d", found.after))
    return found.text != found.digits or _calling.search(found.near) is not None


def _international(found: Found) -> bool:
    if found.after[:1] in ("%", "@", "=") or is_part(found) or is_amount(found) or in_address(found):
        return False
    if re.fullmatch(r"\+\d+\.\d+", found.text):
        return False  # a decimal
    digits = re.sub(r"\D", "", found.text.replace("(0)", ""))
    return checks.is_international(digits.removeprefix("00"))


def _american(found: Found) -> bool:
    digits = found.digits.removeprefix("1")
    return digits[1:3] != "11" and digits[4:6] != "11" and len(set(digits)) > 2 and stands_alone(found)


RULES = (
    Rule("mobile", rf"(?:{_CHINA_CODE}{JOINT}?)?0?{_MOBILE_FORMS}", _mobile),
    Rule("mobile", _MOBILE_FORMS, _mobile, lead="(?:tel|phone|telephone|mobile|mob|call|cell|fax)"),
    Rule("hotline", _HOTLINE + _EXTENSION, _hotline),
    Rule("landline", _LANDLINE + _EXTENSION, _landline),
    Rule("landline", rf"(?:0\d{{9,11}}|{_LOCAL}){_EXTENSION}", _called, lead=_CALL, many=True),
    Rule("landline", r"[2-8]\d{6,7}", _called, lead=_LANDLINE + _EXTENSION + " ?(?:、|,|/|;) ?", many=True),
    Rule("phone", _INTERNATIONAL, _international, before=WORD + "_)"),
    Rule("phone", _INTERNATIONAL_00, _international),
    Rule("phone", _AMERICAN, _american, before=WORD + "_+"),
)
