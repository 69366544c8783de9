"""Cases made by rule: numbers with check digits computed another way than the stage does, in many surroundings."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

from tests.stages.privacy.tables import Case, case

# What may stand around anything: letters of Chinese, marks, line ends, tables, code, emoji.
AROUND = (
    "{}", " {} ", "{}。", "{}，谢谢", "（{}）", "({})", "[{}]", "【{}】", "「{}」", "《{}》",
    "“{}”", "\"{}\"", "'{}'", "{}；",
    "{}！", "{}？", "{}!", "{}?", "{};", "…{}…", "\n{}\n", "上一行\n{}\n下一行", "\t{}\t", "| {} |", "、{}、", "😀{}😀",
    "\u3000{}\u3000", "\u00a0{}\u00a0", "1. {}", "(1) {}", "① {}",
    "- {}", "* {}", "请记{}好", "的{}了", "**{}**", "`{}`",
    "<td>{}</td>", "<b>{}</b>", "> {}", "，{}。", "　　{}", "{}\r\n",
    "{} {{x}}", "见下：\n\n{}\n\n以上。", "\u200b{}\u200b",
)  # fmt: skip
# What makes a number of digits a part of something else.
BREAKING = ("{}0", "7{}", "{}x", "y{}", "{}_a", "_{}", "{}.25", "0.{}", "{}-77", "77-{}", "a1{}", "{}b2")
UNNAMED = ("{}", "编号{}", "型号：{}", "第{}号", "“{}”", "{}。", "共{}", "({})", "x {} y", "\n{}\n", "批次 {}", "图{}")


def full_width(text: str) -> str:
    """Give ASCII as full-width forms."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def parted(text: str, mark: str) -> str:
    """Put a mark between the characters of the second half."""
    half = len(text) // 2
    return text[:half] + mark.join(text[half:])


def digits(rng: random.Random, count: int) -> str:
    """Give random digits."""
    return "".join(rng.choice("0123456789") for _ in range(count))


def resident(rng: random.Random) -> str:
    """Give a resident id: the weighted sum, weights powers of 2 from the right, is 1 modulo 11 (GB 11643-1999)."""
    born = date(1920, 1, 1) + timedelta(days=rng.randrange(36_000))
    body = rng.choice(("110101", "310115", "440305", "510104", "650102")) + f"{born:%Y%m%d}" + digits(rng, 3)
    total = sum(int(digit) << (17 - i) for i, digit in enumerate(body))
    return body + "0123456789X"[(1 - total) % 11]


def luhn(body: str) -> str:
    """Append the digit with which the sum of digits, every second doubled and its digits added, ends with 0."""
    doubled = "0246813579"
    total = sum(int(doubled[int(d)]) if i % 2 == 0 else int(d) for i, d in enumerate(reversed(body)))
    return body + str(-total % 10)


def card(rng: random.Random) -> str:
    """Give a card's number."""
    prefix, size = rng.choice((("622202", 19), ("621700", 19), ("622588", 16), ("4", 16), ("53", 16), ("37", 15)))
    return luhn(prefix + digits(rng, size - len(prefix) - 1))


def credit_code(rng: random.Random) -> str:
    """Give a credit code: the sum of values times powers of 3 is 0 modulo 31 (GB 32100-2015)."""
    alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    body = "91" + rng.choice(("110108", "310115", "440300")) + "MA" + "".join(rng.choice(alphabet) for _ in range(7))
    total = sum(alphabet.index(c) * 3**i for i, c in enumerate(body))
    return body + alphabet[-total % 31]


def mobile(rng: random.Random) -> str:
    """Give a mobile number."""
    return rng.choice(("130", "139", "150", "158", "166", "177", "188", "199")) + "1" + digits(rng, 6) + "7"


def ipv4(rng: random.Random) -> str:
    """Give a public address: blocks that are handed out, and a number above 63."""
    first = rng.choice((61, 117, 183, 202, 211, 221))
    return f"{first}.{rng.randrange(1, 255)}.{rng.randrange(64, 255)}.{rng.randrange(1, 255)}"


def ipv6(rng: random.Random) -> str:
    """Give a public address."""
    groups = [rng.choice(("2408", "240e", "2a03", "2606"))] + [f"{rng.randrange(1, 65536):x}" for _ in range(7)]
    return ":".join(groups) if rng.random() < 0.5 else ":".join(groups[:4]) + "::" + groups[4]


def email(rng: random.Random) -> str:
    """Give an address."""
    name = "".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randrange(1, 12)))
    return (
        name + rng.choice(("", ".li", "_9", "-x", "+tag", "88")) + rng.choice(("@qq.com", "@mail.edu.cn", "@a-b.org"))
    )


def plate(rng: random.Random) -> str:
    """Give a plate, ordinary or electric, with or without a dot."""
    electric = rng.choice("DF") + rng.choice("ABC123") + digits(rng, 4)
    serial = rng.choice((digits(rng, 5), "B" + digits(rng, 4), digits(rng, 3) + "K" + digits(rng, 1), electric))
    return rng.choice("京沪粤苏川浙") + rng.choice("ABCDE") + rng.choice(("", "·", "-")) + serial


def landline(rng: random.Random) -> str:
    """Give a landline with its area code."""
    local = rng.choice("2345678") + digits(rng, 7)
    return rng.choice(("010-{}", "(021){}", "0755-{}", "0571 {}", "+86-10-{}")).format(local)


def hotline(rng: random.Random) -> str:
    """Give a 400 or 800 number."""
    a, b = digits(rng, 3), "12" + digits(rng, 2)
    return rng.choice((f"400-{a}-{b}", f"400 {a} {b}", f"800-{a}-{b}", f"400{a[0]}-{a[1:]}1-{b[1:]}"))


def phone(rng: random.Random) -> str:
    """Give a number with a calling code, or one of North America."""
    a, b = digits(rng, 3), "12" + digits(rng, 2)
    return rng.choice(
        (
            f"+44 20 7{a} {b}",
            f"+1-415-2{a[1:]}-{b}",
            f"+852 2{a} {b}",
            f"(415) 2{a[1:]}-{b}",
            f"+33 1 42 {a[:2]} 12 3{a[2]}",
        )
    )


LEADS: dict[str, tuple[tuple[str, ...], Callable[[random.Random], str]]] = {
    "passport": (("护照：", "护照号码：", "passport no. ", "护照号"), lambda rng: rng.choice("EG") + digits(rng, 8)),
    "permit": (("回乡证：", "台胞证号：", "港澳通行证 "),
               lambda rng: rng.choice(("H1", "M2", "C3", "1")) + digits(rng, 7)),
    "qq": (("QQ：", "QQ号：", "QQ群：", "qq:"), lambda rng: rng.choice("123456789") + digits(rng, rng.randrange(5, 9))),
    "wechat": (("微信号：", "微信：", "加微信", "VX："), lambda rng: "wang_" + digits(rng, rng.randrange(2, 8))),
}  # fmt: skip
ALONE: dict[str, Callable[[random.Random], str]] = {
    "resident_id": resident, "bank_card": card, "credit_code": credit_code, "mobile": mobile, "ipv4": ipv4,
    "ipv6": ipv6, "email": email, "plate": plate, "landline": landline,
    "hotline": hotline, "phone": phone,
}  # fmt: skip
_NOT_BREAKING = {  # where what stands beside is a part of the name, or means nothing
    "email": ("{}0", "7{}", "{}x", "y{}", "{}_a", "_{}", "{}.25", "0.{}", "{}-77", "77-{}", "a1{}", "{}b2"),
    "plate": ("7{}", "y{}", "_{}", "0.{}", "77-{}", "a1{}"),
    "resident_id": ("y{}",),
    "landline": ("{}-77",),
    "hotline": ("{}-77",),
    "ipv4": ("{}-77", "77-{}"),
    "ipv6": ("{}0", "{}b2", "{}.25", "{}-77", "77-{}"),
    "credit_code": ("{}.25", "0.{}", "{}-77", "77-{}"),
}


def made(kind: str) -> list[Case]:
    """Give the cases of a kind that are made by rule: found in all surroundings, and in no other number."""
    rng = random.Random(kind)
    if kind in ALONE:
        values = [ALONE[kind](rng) for _ in range(2 * len(AROUND))]
        leads: tuple[str, ...] = ("",)
        broken = [frame for frame in BREAKING if frame not in _NOT_BREAKING.get(kind, ())]
    else:
        leads, value = LEADS[kind]
        values = [value(rng) for _ in range(2 * len(AROUND))]
        broken = [frame for frame in UNNAMED if kind != "wechat" or frame != "{}"]
    found = [around.format(leads[i % len(leads)] + f"⟦{values[i]}⟧") for i, around in enumerate(2 * AROUND)]
    found += [f"{leads[i % len(leads)]}⟦{full_width(value)}⟧" for i, value in enumerate(values[:12])]
    if kind != "ipv6":
        found += [
            f"{leads[i % len(leads)]}⟦{parted(value, mark)}⟧"
            for i, (value, mark) in enumerate(zip(values[12:18], "\u200b\u200d\u2060\ufeff\u00ad\u200e", strict=True))
        ]
    lost = [frame.format(value) for frame in broken for value in values[20:24]]
    return [case(text, kind) for text in dict.fromkeys(found + lost)]
