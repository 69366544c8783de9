"""The tables that the kernels of Chinese values read: what each character is, and the automaton of the phrases."""

from __future__ import annotations

from collections import deque
from functools import cache

import numpy as np

from headrace.schemas.arrays import Classes, CodePoints, Counts, read_only
from headrace.stages.filtering.chinese.phrases import CANTONESE, GROUPS, LITERARY, MODERN, PHRASES
from headrace.stages.kernels import chinese_values_lines as lines
from headrace.stages.kernels import chinese_values_signs as signs
from headrace.stages.kernels.characters import (
    BREAK,
    CODE_POINTS,
    DIGIT,
    EXPANDS,
    HAN,
    LATIN,
    LETTER,
    PUNCTUATION,
    SPACE,
    SYMBOL,
    UNSPACED,
    classes,
    fold_normalized,
    folding,
)
from headrace.stages.kernels.chinese_values_phrases import SIGN, SPACE_SIGN, STOP, Phrases

STOPS = "。！？!?；;，,：\n\r\v\f\x85\u2028\u2029"  # a phrase does not reach over these
ENDS = "。！？…；!?;｡‼⁇⁈⁉"
CLOSERS = "\"'”’」』）)】》"
SEPARATORS = "|｜丨│¦/／,，、_·•-—–#★☆◆●■▲※>»›～~+＋&＆ \u3000\t\u00a0"
PICTURES_FROM = 0x2190  # arrows, enclosed numbers, dingbats, emoji
DOMAINS = (
    "com cn net org cc top vip xyz info club shop site online ltd biz tv wang mobi asia pro fun work tech store tw hk"
)


@cache
def folded() -> CodePoints:
    """Give each code point's match form, and 0 where that is several characters or none."""
    table = folding().folded
    return read_only(np.where(table & np.uint32(EXPANDS), np.uint32(0), table))


@cache
def traits() -> lines.Traits:
    """Give the traits of every code point, by `chinese_values_lines`."""
    kinds, table = classes(), np.zeros(CODE_POINTS, np.uint16)
    table[kinds == HAN] |= lines.HAN
    table[(kinds == LATIN) | (kinds == LETTER) | (kinds == UNSPACED)] |= lines.LETTER
    table[kinds == DIGIT] |= lines.DIGIT
    table[(kinds == SPACE) | (kinds == BREAK)] |= lines.SPACE
    table[kinds == BREAK] |= lines.BREAK
    odd = (kinds == SYMBOL) | (kinds == SPACE)
    odd |= (kinds == PUNCTUATION) & (np.arange(CODE_POINTS) < 0x2010)
    table[odd] |= lines.SIGN
    for trait, characters in ((lines.END, ENDS), (lines.CLOSER, CLOSERS), (lines.SEPARATOR, SEPARATORS)):
        table[[ord(character) for character in characters]] |= trait
    table[ord(".")] |= lines.STOP
    table[[ord(character) for character in ENDS + CLOSERS + "(,:"]] &= 0xFFFF ^ lines.SIGN
    for trait, characters in ((lines.MODERN, MODERN), (lines.LITERARY, LITERARY), (lines.CANTONESE, CANTONESE)):
        points = [int(folded()[ord(character)]) or ord(character) for character in characters]
        table[np.isin(folded(), points) & (kinds == HAN)] |= trait
    table[[point for point in _misread() if kinds[point] == HAN]] |= lines.MISREAD
    table[_misread_letters()] |= lines.MISREAD_LETTER
    table[0xFFFD] = lines.LOST
    table[0xE000:0xF900] = lines.LOST
    return read_only(table)


def _misread() -> list[int]:
    """Give the Han characters that UTF-8 of Chinese gives when it is read as GBK, without the usual ones.

    Usual are those of the first level of GB 2312 and of Big5, which standards filled by how often they are written.
    """
    first, second = range(0xE3, 0xEA), range(0x80, 0xC0)
    pairs = ((a, b) for a in (*first, 0xEF, *second) for b in (*first, *second))
    found = (bytes(pair).decode("gbk", "ignore") for pair in pairs)
    return [ord(character) for character in found if len(character) == 1 and not _is_usual(character)]


def _is_usual(character: str) -> bool:
    simple, traditional = character.encode("gb2312", "ignore"), character.encode("big5", "ignore")
    return b"\xb0" <= simple[:1] < b"\xd8" or b"\xa4" <= traditional[:1] < b"\xc7"


@cache
def sign_kinds() -> Classes:
    """Give what every code point is, by `chinese_values_signs`."""
    kinds, table = classes(), np.zeros(CODE_POINTS, np.uint8)
    points = np.arange(CODE_POINTS)
    table[kinds == HAN] = signs.RARE
    table[[point for point in np.flatnonzero(kinds == HAN) if _is_usual(chr(point))]] = signs.USUAL
    table[(kinds == SYMBOL) & (points >= PICTURES_FROM)] = signs.PICTURE
    table[(kinds == DIGIT) & (points >= PICTURES_FROM)] = signs.OTHER_DIGIT
    ascii_letters = (kinds == LATIN) & (points < 0x80)
    table[ascii_letters] = signs.LETTER
    for zero in "0０":
        table[ord(zero) : ord(zero) + 10] = signs.DIGIT
    for kind, characters in ((signs.SHOUT, "!！"), (signs.MONEY, "￥¥$"), (signs.UNIT, "元块塊折")):
        table[[ord(character) for character in characters]] = kind
    table[ord("?")] = signs.QUESTION
    return read_only(table)


def _misread_letters() -> list[int]:
    """Give the characters beyond ASCII of Windows-1252, which any bytes give when they are read as it."""
    read = bytes(range(0x80, 0x100)).decode("cp1252", "ignore")
    return sorted({ord(character) for character in read if character not in "“”‘’…—–·×°"} | set(range(0x80, 0xA0)))


@cache
def automaton() -> Phrases:
    """Give the automaton of all phrases (Aho and Corasick 1975), its steps complete."""
    texts = [(fold_normalized(phrase), group) for group, phrases in enumerate(PHRASES) for phrase in phrases]
    alphabet = sorted({character for text, _ in texts for character in text})
    numbers = {character: number for number, character in enumerate(alphabet, 1)}
    symbols = np.zeros(CODE_POINTS, np.uint16)
    for character, number in numbers.items():
        symbols[folded() == ord(character)] = number
    nodes: list[dict[int, int]] = [{}]
    depths, ends = [0], {}
    sizes = [0]
    for phrase, (text, group) in enumerate(texts, 1):
        node = 0
        for character in text:
            if numbers[character] not in nodes[node]:
                nodes[node][numbers[character]] = len(nodes)
                nodes.append({})
                depths.append(depths[node] + 1)
            node = nodes[node][numbers[character]]
        ends[node, group] = phrase
        sizes.append(len(text))
    steps, table = _complete(nodes, ends, len(alphabet) + 1)
    return Phrases(
        read_only(symbols),
        read_only(_signs(symbols)),
        read_only(steps),
        read_only(np.array(depths, np.uint8)),
        read_only(table),
        read_only(np.array(sizes, np.int64)),
    )


def _complete(
    nodes: list[dict[int, int]], ends: dict[tuple[int, int], int], width: int
) -> tuple[lines.Traits, lines.Traits]:
    """Give the step from each node on each symbol, and the longest phrase of each group that ends at a node."""
    steps = np.zeros((len(nodes), width), np.uint16)
    table = np.zeros((len(nodes), len(GROUPS)), np.uint16)
    for (node, group), phrase in ends.items():
        table[node, group] = phrase
    waiting = deque([(0, 0)])
    while waiting:
        node, back = waiting.popleft()
        steps[node] = steps[back] if node else 0
        table[node] = np.where(table[node], table[node], table[back])
        for symbol, child in nodes[node].items():
            waiting.append((child, int(steps[back, symbol]) if node else 0))
        for symbol, child in nodes[node].items():
            steps[node, symbol] = child
    return steps, table


def _signs(symbols: lines.Traits) -> Classes:
    """Give what may stand inside a phrase: white space, signs, and what it never reaches over."""
    kinds, table = classes(), np.zeros(CODE_POINTS, np.uint8)
    table[(kinds == PUNCTUATION) | (kinds == SYMBOL) | (kinds == 0)] = SIGN
    table[kinds == SPACE] = SPACE_SIGN
    table[[ord(character) for character in STOPS]] = STOP
    table[kinds == BREAK] = STOP
    table[symbols > 0] = 0
    return table


@cache
def domains() -> Counts:
    """Give the top-level domains that pages write, their letters as numbers in base 32."""
    numbers = []
    for domain in DOMAINS.split():
        value = 0
        for character in domain:
            value = value * 32 + (ord(character) & 31)
        numbers.append(value)
    return read_only(np.array(sorted(numbers), np.int64))
