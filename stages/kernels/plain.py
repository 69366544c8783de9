"""What the kernels compute, in plain Python: slow, readable, and what the tests compare the kernels with."""

from __future__ import annotations

import re

from headrace.stages.kernels.characters import BRACKETS, BREAK, CLOSER, END, SPACE, STOP, classes, sentence_marks

LINE_BREAK = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")


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


def sentence_counts(text: str) -> tuple[int, int, int, int]:
    """Give: whether the text ends like a sentence, its sentences, its brackets without a partner, all its brackets."""
    roles = "".join(map(_role, text))
    runs = re.findall("[ES][ESC]*.?", roles)  # a run of marks, and what follows it
    sentences = sum("E" in run or not run.endswith("x") for run in runs)
    return int(roles.rstrip("C ")[-1:] in ("E", "S")), sentences, *_unpaired(text)


def _role(character: str) -> str:
    marks = {END: "E", STOP: "S", CLOSER: "C"}
    other = " " if kind(character) in (SPACE, BREAK) else "x"
    return marks.get(int(sentence_marks()[ord(character)]), other)


def _unpaired(text: str) -> tuple[int, int]:
    counts = [(sum(map(text.count, opening)), sum(map(text.count, closing))) for opening, closing in BRACKETS]
    return sum(abs(a - b) for a, b in counts), sum(a + b for a, b in counts)


def kind(character: str) -> int:
    """Give a character's class."""
    return int(classes()[ord(character)])
