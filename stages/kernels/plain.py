"""What the kernels compute, in plain Python: slow, readable, and what the tests compare the kernels with."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import groupby, pairwise

from headrace.stages.kernels.characters import (
    BRACKETS,
    BREAK,
    CLOSER,
    DIGIT,
    END,
    HAN,
    LATIN,
    LETTER,
    PUNCTUATION,
    SPACE,
    STOP,
    SYMBOL,
    UNSPACED,
    classes,
    composing,
    fold_normalized,
    sentence_marks,
)

LINE_BREAK = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")
DAMAGE = re.compile("\ufffd|锟斤拷?|烫{3,}|屯{3,}")
BYTES = re.compile("[\u0080-\u00ff]+")
LOST = re.compile("\u00ef\u00bf\u00bd?")


def narrow(text: str) -> str:
    """Give the text with half-width ASCII letters and digits."""
    return re.sub("[Ａ-Ｚａ-ｚ０-９]", lambda match: chr(ord(match[0]) - 0xFEE0), text)


def space_out(text: str, max_blank_lines: int) -> str:
    """Give the text with collapsed spaces and blank lines."""
    lines = "\n".join(_spaced(line) for line in LINE_BREAK.split(text))
    most = max_blank_lines + 1
    return re.sub(f"\n{{{most + 1},}}", "\n" * most, lines.strip("\n").lstrip("\t "))


def _spaced(line: str) -> str:
    words = "".join(" " if kind(c) == SPACE else c for c in line).split()
    indentation = line[: next((i for i, c in enumerate(line) if kind(c) != SPACE), 0)]
    return "".join("\t" if c == "\t" else " " for c in indentation if c != "\u3000") + " ".join(words)


def sentence_counts(text: str) -> tuple[int, int, int, int, int, int]:
    """Give: 1 if the text ends like a sentence, sentences, brackets without a partner, brackets, lines, line ends."""
    roles = "".join(_role(character, before) for before, character in pairwise("\n" + text))
    runs = re.findall("[ES][ESC]*(?s:.?)", roles)  # a run of marks, and what follows it
    sentences = sum("E" in run or not run.endswith(("x", ";")) for run in runs)
    lines = [line for line in roles.replace("\n", " \n").split("\n") if line.strip()]
    ends = sum(line.rstrip("C ")[-1:] in ("E", "S", ";") for line in lines)
    return int(roles.rstrip("C \n")[-1:] in ("E", "S")), sentences, *_unpaired(text), len(lines), ends


def _role(character: str, before: str) -> str:
    if kind(character) in (SPACE, BREAK):
        return "\n" if kind(character) == BREAK else " "
    if character == "；":
        return ";"
    if character in "!?" and kind(before) in (HAN, UNSPACED):
        return "E"
    return {END: "E", STOP: "S", CLOSER: "C"}.get(int(sentence_marks()[ord(character)]), "x")


def _unpaired(text: str) -> tuple[int, int]:
    counts = [(sum(map(text.count, opening)), sum(map(text.count, closing))) for opening, closing in BRACKETS]
    return sum(abs(a - b) for a, b in counts), sum(a + b for a, b in counts)


def kind(character: str) -> int:
    """Give a character's class."""
    return int(classes()[ord(character)])


def line_copies(text: str) -> list[int]:
    """Give for each line with a letter how many lines before it are equal but for white space; 0 for others."""
    seen: Counter[str] = Counter()
    copies = []
    for line in re.findall("[^\n]*\n|[^\n]+$", text):
        content = "".join(" " if is_space(c) else c for c in line).strip()
        copies.append(seen[content] if any(map(is_letter, content)) else 0)
        seen[content] += 1
    return copies


def measure(text: str, function_words: set[str], rows: tuple[str, ...]) -> list[int]:
    """Give the counts of `kernels.measures`, in its order."""
    kinds = Counter(map(kind, text))
    words = [w.translate(_LOWER) for w in re.split("\\W", "".join(c if kind(c) == LATIN else " " for c in text)) if w]
    lines = LINE_BREAK.split(text)
    return [
        sum(not is_space(c) for c in text),
        sum(map(is_letter, text)),
        kinds[DIGIT],
        kinds[PUNCTUATION],
        kinds[SYMBOL],
        _length(DAMAGE.findall(text)) + sum(_damaged_bytes(run) for run in BYTES.findall(text)),
        sum(any(not is_space(c) for c in line) for line in lines),
        kinds[LATIN],
        len(words),
        sum(map(len, words)),
        sum(word in function_words for word in words),
        sum(max(_consonants(word), _walks(word, rows)) for word in words),
        sum(n for c, run in groupby(text) if is_letter(c) and (n := len(list(run))) >= 5),
        max(map(len, lines)),
    ]


def _damaged_bytes(run: str) -> int:
    return len(run) if len(run) >= 6 else _length(LOST.findall(run))


def _length(parts: list[str]) -> int:
    return sum(map(len, parts))


_LOWER = {ord(c): ord(c.lower()) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _consonants(word: str) -> int:
    return sum(len(run) for run in re.findall("[bcdfghjklmnpqrstvwxz]{6,}", word))


def _walks(word: str, rows: tuple[str, ...]) -> int:
    near = {(a, b) for row in rows for a, b in [*pairwise(row), *pairwise(row[::-1])]}
    walks = [1]
    for step in pairwise(word):
        if step in near:
            walks[-1] += 1
        else:
            walks.append(1)
    return sum(walk for walk in walks if walk >= 4)


def tokens(view: str) -> list[str]:
    """Split a view into runs of letters and digits, and single characters where words are not spaced."""
    roles = [
        ("word" if LATIN <= kind(c) <= DIGIT else i if kind(c) in (HAN, UNSPACED) else "") for i, c in enumerate(view)
    ]
    groups = groupby(zip(roles, view, strict=True), key=lambda pair: pair[0])
    return ["".join(c for _, c in group) for role, group in groups if role != ""]


def repeated_characters(view: str, gram: int) -> tuple[int, int]:
    """Give the characters in stretches of `gram` tokens seen before, and the characters of all tokens."""
    found = tokens(view)
    seen: set[tuple[str, ...]] = set()
    covered: set[int] = set()
    for i in range(len(found) - gram + 1):
        stretch = tuple(found[i : i + gram])
        covered.update(range(i, i + gram) if stretch in seen else ())
        seen.add(stretch)
    return sum(len(found[i]) for i in covered), sum(map(len, found))


def view_with_places(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Give the view, and for each of its characters the characters of the text that it came from."""
    view = ""
    places: list[tuple[int, int]] = []
    space: tuple[int, int] | None = None
    for begin, end in pairwise(_segment_borders(text)):
        for character in fold_normalized(unicodedata.normalize("NFKC", text[begin:end])):
            if is_space(character):
                space = (space[0] if space else begin, end)
                continue
            if space and view:
                view += " "
                places.append(space)
            view += character
            places.append((begin, end))
            space = None
    return view, places


def _segment_borders(text: str) -> list[int]:
    """Give where segments begin, and the end: Unicode normalization reaches over none of these borders."""
    joining = [bool(composing()[ord(unicodedata.normalize("NFKD", c)[0])]) for c in text]
    return [0, *(i for i, joins in enumerate(joining) if i and not joins), *([len(text)] if text else [])]


def is_space(character: str) -> bool:
    """Tell whether a character is white space."""
    return SPACE <= kind(character) <= BREAK


def is_letter(character: str) -> bool:
    """Tell whether a character is a letter of any script, or a mark on one."""
    return HAN <= kind(character) <= LETTER
