"""What the kernels of pii compute, in plain Python: slow, readable, and what the tests compare the kernels with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from headrace.stages.kernels.plain import view_with_places
from headrace.stages.privacy.documents import PROVINCE_SIGNS
from headrace.stages.privacy.kinds import KINDS
from headrace.stages.privacy.rule import Rule
from headrace.stages.view import view

_DIGIT = "[0-9０-９𝟎-𝟿]"
_ANCHORS = re.compile(
    "[@＠﹫Ａ-Ｚａ-ｚ]|微信|[vV]信|加[\u0800-\uffff]?(?:微|[vV](?!$))|[qQ]{2}|[vVwW][xX]|[wW][eE][cCiI]|[0-9a-fA-F]:(?::|(?:[0-9a-fA-F]{1,4}:){2})"
)
_JOINT = (
    "[\x00-\x09\x0b-\x20\x7f().\x80-\xbf\u0600-\u063f\u1000-\u2fff\u3000-\u303f\u307b\u30bb\u30fb"
    "\uf000-\ufe6a\ufe6c-\uff0f\uff1a-\uff1f\uff3b-\uff40\uff5b-\uffff\U000c0000-\U000fffff-]"
)
_CHAIN = re.compile(f"{_DIGIT}(?:{_JOINT}{{0,3}}{_DIGIT})*{_JOINT}{{0,3}}")
_BEFORE_PLATE = re.compile("[a-zA-Z]|[^\x00-\x7f]|" + _JOINT)


def marked_stretches(text: str) -> list[str]:
    """Give the runs of marked lines, each with the line before and the line behind it."""
    lines = re.findall("[^\n]*\n|[^\n]+$", text)
    marked = [is_marked(line.rstrip("\n")) for line in lines]
    stretches: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        near = any(marked[max(0, number - 1) : number + 2])
        if near and not (inside and _reaches(marked, number)):
            stretches.append("")
        if near:
            stretches[-1] += line
        inside = near
    return stretches


def _reaches(marked: Sequence[bool], number: int) -> bool:
    """Tell whether a line belongs to the stretch of the line before it."""
    return marked[number] or marked[number - 1]


def is_marked(line: str) -> bool:
    """Tell whether a line may hold personal data."""
    return _ANCHORS.search(line) is not None or any(_suffices(line, chain) for chain in _CHAIN.finditer(line))


def _suffices(line: str, chain: re.Match[str]) -> bool:
    """Tell whether digits and what joins them mark their line."""
    digits = [c for c in chain[0] if re.match(_DIGIT, c)]
    if len(digits) >= 6 or _begins_plate(line[: chain.start()]):
        return True
    for end in range(1, len(chain[0]) + 1):
        part = chain[0][:end]
        count = len(re.findall(_DIGIT, part))
        if count >= 4 and (part.count(".") >= 3 or re.search("[^\x00-\x7f]", "".join(re.findall(_DIGIT, part)))):
            return True
    return False


def _begins_plate(before: str) -> bool:
    letters = between = 0
    for character in reversed(before):
        if character.isascii() and character.isalpha():
            letters += 1
        elif view(character) in (*PROVINCE_SIGNS,):
            return letters > 0
        elif _BEFORE_PLATE.match(character):
            between += 1
        else:
            return False
        if letters > 3 or between > 3:
            return False
    return False


def with_lines(text: str) -> str:
    """Give the view of a text with its line ends, and with ~ for digits and dots that are none."""
    folded, places = view_with_places(text)
    pairs = [(character, text[begin:end]) for character, (begin, end) in zip(folded, places, strict=True)]
    return "".join(_lined(character, origin) for character, origin in pairs)


def _lined(character: str, origin: str) -> str:
    """Give a character of a view that came from some characters of its text."""
    breaks = len(re.findall("\r?\n|\r", origin))
    if character == " " and breaks:
        return "\n" if breaks == 1 else "\v"
    digit_of_none = "0" <= character <= "9" and not re.match(_DIGIT, origin)
    dot_of_none = character == "." and "\u2000" <= origin[0] <= "\u2fff"
    return "~" if digit_of_none or dot_of_none else character


def candidates(lined: str, rules: Sequence[Rule]) -> Iterator[tuple[int, int, int]]:
    """Give (rule, begin, end), in characters, of all that has the form of a rule and nothing that may not touch it."""
    for number, rule in enumerate(rules):
        pattern = re.compile(rule.pattern)
        for begin in range(len(lined)):
            if begin and lined[begin - 1] in rule.before and lined[begin].isascii():
                continue
            for end in range(begin + 1, len(lined) + 1):
                if pattern.fullmatch(lined, begin, end) and (lined[end : end + 1] or "\n") not in rule.after:
                    yield number, begin, end


def with_placeholders(text: str, spans: Sequence[tuple[int, int, int]]) -> str:
    """Give a text with the spans (begin, end, kind), in characters and in order, replaced."""
    out, at = "", 0
    for begin, end, kind in spans:
        out += text[at:begin] + KINDS[kind].placeholder
        at = end
    return out + text[at:]
