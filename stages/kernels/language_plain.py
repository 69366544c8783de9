"""What the kernels of language compute, in plain Python: slow, readable, and what tests compare the kernels with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np

from headrace.stages.kernels.language_lines import (
    BIAS,
    CALLS,
    CODE,
    COMMAS,
    DOTS,
    HARD_END,
    HUMPS,
    INDENTED,
    KEYWORD,
    KEYWORDS,
    MARKS,
    OTHERS,
    PIPES,
    PROSE,
    QUOTES,
    SOFT_END,
    STOPS,
    TABLE,
    TABS,
    UNSURE,
    WORDS,
)
from headrace.stages.kernels.language_sample import PIECE
from headrace.stages.kernels.language_scan import (
    COUNTS,
    DIGIT,
    HAN,
    HANGUL,
    HANS,
    HANT,
    JPAN,
    LONG,
    LOOK_UPS,
    MARK,
    NOTHING,
    SPACE,
    STANDARD,
    YUE,
    Tables,
    pair_slots,
)
from headrace.stages.kernels.plain import narrow

_BLANKS = "".join(map(chr, range(0x21)))
_ADDRESS = re.compile(r"(?:https?://|www\.)[!-;=?-~]*")
_MARKS = re.compile(r"[{}\[\]=<>;_&*+\\|$]")


def line_kinds(text: str) -> list[tuple[str, int]]:
    """Give the stretches of lines that are not blank, and whether each is PROSE, CODE or a TABLE's row."""
    kinds, before = [], PROSE
    for line in chain.from_iterable(map(_stretches, text.split("\n"))):
        if line.strip(_BLANKS):
            before = _kind(line, before)
            kinds.append((line, before))
    return kinds


def _stretches(line: str) -> Iterator[str]:
    begin = size = 0
    for place, character in enumerate(line):
        if size >= LONG and (character == " " or "\u3000" <= character <= "\udfff"):
            yield line[begin:place]
            begin, size = place, 0
        size += _bytes(character)
    yield line[begin:]


def _kind(line: str, before: int) -> int:
    content = line.strip(_BLANKS)
    if _is_row(content):
        return TABLE
    indented = line.startswith("\t") or len(line) - len(line.lstrip(_BLANKS)) >= 4
    word = re.match("#?([a-z]*)", content)
    known = word is not None and word[1] in KEYWORDS.split()
    score = _code_score(content) + INDENTED * indented + KEYWORD * known
    if abs(score) < UNSURE and before != TABLE:
        return before
    return CODE if score > 0 else PROSE


def _is_row(content: str) -> bool:
    if content.count("|") >= PIPES and "|" in (content[0], content[-1]):
        return True
    bare = not _MARKS.search(content) and "(" not in content and ", " not in content
    return content.count("\t") >= TABS or (content.count(",") >= COMMAS and bare)


def _code_score(content: str) -> int:
    content = _ADDRESS.sub("\x01", content)
    patterns = (
        (_MARKS.pattern, MARKS),
        (r"(?<=[A-Za-z0-9_])\(", CALLS),
        (r"(?<=[A-Za-z]\.)[A-Za-z]", DOTS),
        ("(?<=[a-z])[A-Z]", HUMPS),
        ("(?<=[A-Za-z] )[a-z]", WORDS),
        (r"[^\x00-\x7f]", OTHERS),
        ("(?<![A-Za-z])[\"'`]", QUOTES),
        ("(?<=[.,?!] )[A-Za-z]", STOPS),
    )
    score = BIAS + HARD_END * (content[-1] in "{};([\\") + SOFT_END * (content[-1] in ",:)]")
    return score + sum(min(len(re.findall(pattern, content)), most) * each for pattern, (each, most) in patterns)


def scan(text: str, tables: Tables) -> tuple[list[int], list[int]]:
    """Give the counts of a text, in the scan's order, and its bytes of letters by script."""
    kinds = line_kinds(text)
    script = {c: int(tables.scripts[ord(c)]) for c in text}
    dense = [c for line, kind in kinds for c in line if (c > " " if kind == CODE else script[c] != SPACE)]
    code = "".join(line for line, kind in kinds if kind == CODE)
    prose = [line for line, kind in kinds if kind != CODE]
    rows = "".join(line for line, kind in kinds if kind == TABLE)
    counts = [0] * COUNTS
    counts[0] = _bytes("".join(dense))
    counts[1] = _bytes("".join(c for c in code if c > " "))
    counts[2] = _bytes("".join(c for c in rows if c > " "))
    counts[3] = len(dense)
    counts[4] = sum(script[c] == DIGIT for line in prose for c in line) + len(re.findall("[0-9]", code))
    written = [_ADDRESS.sub(_hidden, line) for line in prose]
    han = [c for line in written for c in line if script.get(c) == HAN]
    for place, bit in enumerate((HANS, HANT, JPAN, YUE, STANDARD), start=5):
        counts[place] = sum(bool(tables.signs[ord(c)] & bit) for c in han)
    counts[10] = len(han)
    counts[11] = sum(int(tables.weights[ord(c)]) for c in han)
    counts[12:] = _pairs(written, len(text.encode()), script, tables)
    scripts = [0] * int(tables.scripts.max() + 1)
    for line in written:
        for character, number in zip(line, _scripts(line, tables), strict=True):
            if number >= HAN:
                scripts[number] += _bytes(character)
    return counts, scripts


def _scripts(line: str, tables: Tables) -> list[int]:
    found = [NOTHING]
    for character in line:
        number = int(tables.scripts[ord(character)])
        if number == MARK:
            number = found[-1] if found[-1] > HANGUL else NOTHING
        found.append(number)
    return found[1:]


def _pairs(lines: list[str], size: int, script: dict[str, int], tables: Tables) -> tuple[int, int]:
    stride = 1 + size // LOOK_UPS
    seen = looked_up = known = 0
    for line in lines:
        for first, second in pairwise("\n" + line):
            if script.get(second) != HAN:
                continue
            if script.get(first) == HAN and seen % stride == 0:
                looked_up += 1
                known += _is_known(first, second, tables)
            seen += 1
    return looked_up, known


def _is_known(first: str, second: str, tables: Tables) -> bool:
    key = int(tables.folded[ord(first)]) << 32 | int(tables.folded[ord(second)])
    slot = int(pair_slots(np.array([key]))[0])
    return bool(tables.pairs[slot >> 3] >> (slot & 7) & 1)


def sample(text: str, main: int, stride: int, tables: Tables) -> str:
    """Give every n-th piece of the letters of one script, one space behind each run."""
    out, seen = "", 0
    kinds = line_kinds(text)
    if all(kind != CODE for _, kind in kinds):
        kinds = [(line, PROSE) for line in text.split("\n")]
    for line, kind in kinds:
        if kind == CODE:
            continue
        written = _ADDRESS.sub("\0", line) + "\0"
        for character, script in zip(written, _scripts(written, tables), strict=True):
            if script != main:
                out += " " * (out[-1:] not in ("", " "))
                continue
            out += narrow(character) * (seen // PIECE % stride == 0)
            seen += _bytes(character)
    return out


def _hidden(address: re.Match[str]) -> str:
    return "\0" * len(address[0])


def _bytes(text: str) -> int:
    return len(text.encode())
