"""What an office or a bank gives to a person, or to a company: ids, passports, permits, plates, cards, codes."""

from __future__ import annotations

import re

from headrace.stages.privacy import checks
from headrace.stages.privacy.rule import LABEL, LINK, Rule
from headrace.stages.privacy.surroundings import Found, in_address, is_amount, is_numbering, is_part, says
from headrace.stages.privacy.writing import DIGIT, either, grouped, singly

_ID_DIGITS = ["[1-9]", *16 * [DIGIT], r"[\dx]"]
_RESIDENT = either(
    grouped(
        _ID_DIGITS, "18", "6-8-4", "6-4-4-4", "6-4-2-2-4", "6-12", "14-4", "10-8", "17-1", "4-4-4-4-2", "3-3-4-4-4"
    ),
    singly(_ID_DIGITS),
)
_OLD_RESIDENT = grouped(["[1-9]", *14 * [DIGIT]], "15", "6-6-3")
_ID_WORDS = r"(?:身份证|身分证|证件|id ?card|identity card|identification)"
_CREDIT_CODE = r"[159anyh][1239]\d{6}[0-9a-hj-npqrtuwxy]{10}"

_CARD_DIGITS, _ANY_CARD_DIGITS = (["[2-69]", *18 * [DIGIT]], ["[1-9]", *18 * [DIGIT]])
_CARD_SHAPES = (
    *("4-4-4-4", "4-4-4-4-1", "4-4-4-4-2", "4-4-4-4-3", "4-6-5", "4-6-4", "6-13", "6-10", "8-8", "4-4-4-6", "6-4-4-5"),
)
_CARD = either(
    "".join(_CARD_DIGITS[:14]) + r"\d{0,5}",
    *(grouped(_CARD_DIGITS, shape) for shape in _CARD_SHAPES),
    *(singly(_CARD_DIGITS[:size]) for size in (16, 19)),
)
_ANY_CARD = either(
    "".join(_ANY_CARD_DIGITS[:13]) + r"\d{0,6}", *(grouped(_ANY_CARD_DIGITS, shape) for shape in _CARD_SHAPES)
)
_CARD_WORDS = (
    "(?:银行卡|信用卡|借记卡|储蓄卡|贷记卡|卡号|银行账户|银行账号|收款账号|账号|帐号|"
    "credit card|debit card|bank card|card)"
)

_FORMS = rf"(?:{LABEL}|{LINK}){{0,4}}"  # between the name of a document and its number
_PERMIT = r"(?:[hmcwlt]\d{8}(?:\d\d)?|c[a-z]\d{7}|\d{8}(?:\d\d(?:\([0-9a-z]{1,2}\))?)?)"
_PERMIT_WORDS = (
    "(?:(?:港澳居民)?来往内地通行证|往来港澳通行证|港澳通行证|(?:台湾居民)?来往大陆通行证|(?:大陆居民)?往来台湾通行证|"
    "台湾通行证|回乡证|台胞证|home return permit|mainland travel permit|taiwan compatriot permit)"
)

PROVINCE_SIGNS = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_SERIAL = "[a-hj-np-z0-9]"  # GA 36-2018: neither I nor O
_PLATE = rf"[{PROVINCE_SIGNS}][a-hj-np-z](?: ?[·•・‧.] ?| ?- ?| )?" + either(
    rf"{_SERIAL}{{5}}", rf"[a-hjk]{_SERIAL}\d{{4}}", r"\d{5}[a-hjk]", rf"{_SERIAL}{{4}}[学警挂港澳领使试超]"
)


def _resident(found: Found) -> bool:
    return checks.is_resident_id(re.sub(r"[^\dx]", "", found.text)) and not is_part(found)


def _old_resident(found: Found) -> bool:
    return checks.is_old_resident_id(found.digits) and not is_part(found)


_coded = says("代码", "信用", "税号", "识别号", "登记号", "uscc")


def _credit_code(found: Found) -> bool:
    """Decide on a code; one of 31 numbers of 18 digits would pass, so one without a letter needs a word."""
    return checks.is_credit_code(found.text) and (found.text != found.digits or _coded.search(found.near) is not None)


def _card(found: Found) -> bool:
    named_otherwise = is_numbering(found) or is_amount(found) or in_address(found)
    return checks.is_card(found.digits) and not is_part(found) and not named_otherwise


def _some_card(found: Found) -> bool:
    return checks.is_some_card(found.digits) and not is_part(found)


def _passport(found: Found) -> bool:
    text = found.text
    dated = len(text) == 8 and text.isdigit() and checks.is_date(int(text[:4]), int(text[4:6]), int(text[6:]))
    return not dated and not is_part(found)


def _permit(found: Found) -> bool:
    return not is_part(found)


def _plate(found: Found) -> bool:
    serial = found.text[2:]
    letters = sum("a" <= c <= "z" for c in serial)
    town = found.text[0] == "京" and found.before[-1:] in ("北", "南", "东")
    return letters <= 2 and not town and not re.match(r"\.\d|-[0-9a-z]|[%元万亿]", found.after)


RULES = (
    Rule("resident_id", _RESIDENT, _resident, before="0123456789_"),
    Rule("resident_id", _OLD_RESIDENT, _old_resident, lead=_ID_WORDS + _FORMS, many=True),
    Rule("credit_code", _CREDIT_CODE, _credit_code),
    Rule("bank_card", _CARD, _card),
    Rule("bank_card", _ANY_CARD, _some_card, lead=rf"{_CARD_WORDS}{LABEL}{{0,2}}{LINK}{{1,3}}"),
    Rule("passport", r"(?:[a-z]{1,2}\d{6,8}|\d{8,9})", _passport, lead=f"(?:护照|passport){_FORMS}", many=True),
    Rule("passport", r"(?:[dgps]|e[a-z]?)\d{7,8}", _passport, lead=f"证件{_FORMS}"),
    Rule("passport", r"[a-z]{1,2}\d{7,8}", _passport, trail=r" ?\((?:中国|普通|外交|公务)?(?:护照|passport)"),
    Rule("permit", _PERMIT, _passport, lead=_PERMIT_WORDS + _FORMS, many=True),
    Rule("permit", r"[hmcwlt]\d{8}(?:\d\d)?", _permit, lead=f"(?:通行证|证件){_FORMS}"),
    Rule("plate", _PLATE, _plate, before=""),
)
