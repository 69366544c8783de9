"""What makes a number one of its kind: check digits, dates, ranges. Each takes the digits alone."""

from __future__ import annotations

import ipaddress
from calendar import monthrange

# GB/T 2260: the first two digits of provinces; 71, 81, 82, 83 are those of Taiwan, Hong Kong and Macau residents.
PROVINCES = frozenset(
    str(code)
    for code in (*range(11, 16), *range(21, 24), *range(31, 38), *range(41, 47), *range(50, 55), *range(61, 66))
)
OUTSIDE = frozenset(("710000", "810000", "820000", "830000"))
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)  # GB 11643-1999
_ID_CHECKS = "10x98765432"
_CODE_ALPHABET = "0123456789abcdefghjklmnpqrtuwxy"  # GB 32100-2015, no I, O, S, V, Z
_CODE_WEIGHTS = tuple(pow(3, power, 31) for power in range(17))
_FIRST_YEAR, _LAST_YEAR = 1900, 2049  # of birth; no clock decides what is found


def luhn(digits: str) -> bool:
    """Tell whether the check digit is right (ISO/IEC 7812-1).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(n - 9 if n > 9 else n for n in doubled)) % 10 == 0


def is_date(year: int, month: int, day: int) -> bool:
    """Tell whether a day is in the calendar, and not before the year 1900 or after 2049."""
    return _FIRST_YEAR <= year <= _LAST_YEAR and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def is_region(code: str) -> bool:
    """Tell whether six digits can be a county: provinces are listed, prefectures are 01 to 70 and 90."""
    if code in OUTSIDE:
        return True
    return code[:2] in PROVINCES and (1 <= int(code[2:4]) <= 70 or code[2:4] == "90") and code[4:] != "00"


def is_resident_id(number: str) -> bool:
    """Tell whether 18 characters are a resident id: region, date of birth, check character (GB 11643-1999)."""
    if not is_region(number[:6]) or not is_date(int(number[6:10]), int(number[10:12]), int(number[12:14])):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number, _ID_WEIGHTS, strict=False))
    return _ID_CHECKS[total % 11] == number[17]


def is_old_resident_id(number: str) -> bool:
    """Tell whether 15 digits can be a resident id of before 1999; they have no check digit."""
    return is_region(number[:6]) and is_date(1900 + int(number[6:8]), int(number[8:10]), int(number[10:12]))


def is_credit_code(code: str) -> bool:
    """Tell whether 18 characters are a unified social credit code: authority, region, check (GB 32100-2015)."""
    if code[0] not in "159anyh" or code[1] not in "1239" or not (code[2:4] in PROVINCES or code[2:6] == "1000"):
        return False
    total = sum(_CODE_ALPHABET.index(c) * weight for c, weight in zip(code, _CODE_WEIGHTS, strict=False))
    return _CODE_ALPHABET[-total % 31] == code[17]


# Issuers by the first digits, and how long their numbers are: what the schemes publish. China UnionPay is 62.
_CARDS = (
    (("62",), (16, 17, 18, 19)),
    (("4",), (16,)),
    (tuple(str(n) for n in (*range(51, 56), *range(2221, 2721))), (16,)),
    (("34", "37"), (15,)),
    (tuple(str(n) for n in (*range(300, 306), 3095, 36, 38, 39)), (14,)),
    (tuple(str(n) for n in range(3528, 3590)), (16, 17, 18, 19)),
    (("6011", "65", *(str(n) for n in range(644, 650))), (16, 19)),
    (("5018", "5019", "5020", "5038", "5893", "6304", "6759", "6761", "6762", "6763"), (16, 18, 19)),
    (("9558", "9559", "6013", "6014", "6029", "6033", "9400"), (16, 19)),  # older cards of Chinese banks
)
_LENGTHS = {prefix: lengths for prefixes, lengths in _CARDS for prefix in prefixes}


def is_card(digits: str) -> bool:
    """Tell whether digits are a card's: an issuer's first digits, its length, Luhn."""
    known = any(len(digits) in _LENGTHS.get(digits[:size], ()) for size in range(1, 5))
    return known and is_some_card(digits)


def is_some_card(digits: str) -> bool:
    """Tell whether digits can be a card's of any issuer; enough only where a word says that they are."""
    return 13 <= len(digits) <= 19 and digits[0] != "0" and luhn(digits)


# What 3GPP operators of mainland China were given (MIIT); 154 and 179 are not telephones.
_SEGMENTS = frozenset(
    (*range(130, 154), *range(155, 160), 162, 165, 166, 167, *range(170, 179), *range(180, 194), *range(195, 200))
)


def is_mobile(digits: str) -> bool:
    """Tell whether 11 digits are in a segment of Chinese mobile numbers, and not the same digit eight times."""
    return len(digits) == 11 and int(digits[:3]) in _SEGMENTS and len(set(digits[3:])) > 1


def is_area(code: str) -> bool:
    """Tell whether digits after the leading 0 are an area code of mainland China."""
    if len(code) == 2:
        return code in ("10", "20", "21", "22", "23", "24", "25", "27", "28", "29")
    return len(code) == 3 and code[0] in "3456789" and code[1] != "0" and code[:2] not in ("32", "36", "38", "61", "67")


_CALLING = (
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 "
    "86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 "
    "237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 "
    "266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 "
    "379 380 381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 "
    "596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 850 852 853 "
    "855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 "
    "992 993 994 995 996 998"
)  # ITU-T E.164, list of 2016 with its amendments
_CALLING_CODES = frozenset(_CALLING.split())
# Digits of a whole number, calling code included, where the plan is known; elsewhere 9 to 15.
_PLANS = {
    "1": (11, 11), "7": (11, 11), "33": (11, 11), "34": (11, 11), "39": (11, 13), "44": (11, 12), "49": (10, 15),
    "61": (11, 11), "65": (10, 10), "81": (11, 12), "82": (10, 12), "86": (12, 13), "91": (12, 12), "852": (11, 11),
    "853": (11, 11), "886": (11, 12),
}  # fmt: skip


def is_international(digits: str) -> bool:
    """Tell whether digits are a calling code and as many more as its plan has (E.164: at most 15)."""
    code = next((digits[:size] for size in (1, 2, 3) if digits[:size] in _CALLING_CODES), None)
    if code is None or len(set(digits[len(code) :])) < 3:
        return False
    least, most = _PLANS.get(code, (9, 15))
    return least <= len(digits) <= most and (code != "1" or digits[1] in "23456789")


# IANA's registers of special addresses: what is no public unicast address, or only for documents and tests.
_SPECIAL_4 = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"
)
_SPECIAL_6 = "2001:2::/48 2001:10::/28 2001:20::/28 2001:db8::/32 3fff::/20"
_NOT_PUBLIC_4 = tuple(
    (int(block.network_address), int(block.broadcast_address))
    for block in map(ipaddress.IPv4Network, _SPECIAL_4.split())
)
_NOT_PUBLIC_6 = tuple(ipaddress.IPv6Network(block) for block in _SPECIAL_6.split())
_PUBLIC_6 = ipaddress.IPv6Network("2000::/3")
_EMBEDDING = (
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("::ffff:0:0/96"),
    ipaddress.IPv6Network("::ffff:0:0:0/96"),
    ipaddress.IPv6Network("64:ff9b::/96"),
)


def is_public_4(text: str) -> bool:
    """Tell whether a text is a public IPv4 address, each number without leading zeros."""
    parts = text.split(".")
    numbers = [int(part) for part in parts]
    if max(numbers) > 255 or any(len(part) > 1 and part[0] == "0" for part in parts):
        return False
    address = int.from_bytes(bytes(numbers))
    return not any(first <= address <= last for first, last in _NOT_PUBLIC_4)


def is_public_6(text: str) -> bool:
    """Tell whether a text is a public IPv6 address of an interface, or embeds a public IPv4 address."""
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    if any(address in block for block in _EMBEDDING):
        return is_public_4(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
    written = sum(1 for part in text.split(":") if part)
    return written >= 3 and address in _PUBLIC_6 and not any(address in block for block in _NOT_PUBLIC_6)
