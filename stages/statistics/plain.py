"""What the kernels of document statistics compute, said in plain Python for one text; tests compare the two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from headrace.stages.statistics.characters import MARKS, TERMINALS, points
from headrace.stages.statistics.count import C4Settings, Settings

_TERMINALS = tuple(chr(point) for point in points(TERMINALS))
_MARKS = frozenset(chr(point) for point in points(MARKS)) | frozenset(_TERMINALS)
_CITATION = re.compile(r"\[\d*\]|\[edit\]|\[citation needed\]")
_POLICIES = (*("terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies"),)


def counts(text: str, words: Sequence[str], settings: Settings) -> dict[str, int]:
    """Give all counts of a text with its words, by name."""
    return line_counts(text, settings.short) | repeat_counts(text) | word_counts(words, settings.stops) | grams(words)


def line_counts(text: str, short: int) -> dict[str, int]:
    """Count characters, symbols and lines."""
    lines = text.splitlines()
    full = [line for line in text.split("\n") if line.strip()]
    return {
        "characters": len(text),
        "newlines": text.count("\n"),
        "hashes": text.count("#"),
        "ellipses": text.count("...") + text.count("…"),
        "lines": len(lines),
        "bullet_lines": sum(line.lstrip().startswith(("•", "-")) for line in lines),
        "ellipsis_lines": sum(line.rstrip().endswith(("...", "…")) for line in lines),
        "full_lines": len(full),
        "ended_lines": sum(line.endswith(_TERMINALS) for line in full),
        "short_lines": sum(len(line) <= short for line in full),
    }


def repeat_counts(text: str) -> dict[str, int]:
    """Count paragraphs and lines that are copies of earlier ones."""
    paragraphs, pieces = re.split(r"\n{2,}", text.strip()), re.split(r"\n+", text)
    of_paragraphs, of_pieces = copies(paragraphs), copies(pieces)
    return {
        "paragraphs": len(paragraphs),
        "repeated_paragraphs": len(of_paragraphs),
        "repeated_paragraph_characters": size(of_paragraphs),
        "pieces": len(pieces),
        "repeated_pieces": len(of_pieces),
        "repeated_piece_characters": size(of_pieces),
        "repeated_line_characters": size(copies([piece for piece in pieces if piece.strip()])),
    }


def copies(parts: Iterable[str]) -> list[str]:
    """Give the parts that have come before."""
    seen: set[str] = set()
    found = []
    for part in parts:
        if part in seen:
            found.append(part)
        seen.add(part)
    return found


def size(parts: Iterable[str]) -> int:
    """Give the characters of all parts."""
    return sum(len(part) for part in parts)


def word_counts(words: Sequence[str], stops: Sequence[str]) -> dict[str, int]:
    """Count words by kind."""
    solid = [word for word in words if not _MARKS.issuperset(word)]
    stopped = [word for word in words if word in stops]
    return {
        "words": len(words),
        "word_characters": size(words),
        "solid_words": len(solid),
        "solid_characters": size(solid),
        "alphabetic_words": sum(any(character.isalpha() for character in word) for word in words),
        "stop_words": len(stopped),
        "stop_word_kinds": len(set(stopped)),
    }


def grams(words: Sequence[str]) -> dict[str, int]:
    """Count what runs of words repeat."""
    found = {f"top_{n}_gram": top_run(words, n) for n in (2, 3, 4)}
    found |= {f"covered_{n}_gram": covered(words, n) for n in (2, 3, 4)}
    return found | {f"repeated_{n}_gram": said_before(words, n) for n in range(5, 11)}


def runs(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Give all runs of n words."""
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def top_run(words: Sequence[str], n: int) -> int:
    """Give the characters of the most frequent run, joined by spaces, times how often it occurs."""
    return sum(len(" ".join(run)) * times for run, times in Counter(runs(words, n)).most_common(1))


def covered(words: Sequence[str], n: int) -> int:
    """Give the characters of the words that the most frequent run covers."""
    top = [run for run, _ in Counter(runs(words, n)).most_common(1)]
    inside = {i + k for i, run in enumerate(runs(words, n)) if run in top for k in range(n)}
    return size(words[i] for i in inside)


def said_before(words: Sequence[str], n: int) -> int:
    """Give the characters of runs that have occurred, from left to right and without overlaps."""
    seen: set[str] = set()
    characters = at = 0
    while at <= len(words) - n:
        run = "".join(words[at : at + n])
        characters += len(run) if run in seen else 0
        at += n if run in seen else 1
        seen.add(run)
    return characters


def c4(text: str, settings: C4Settings) -> tuple[Counter[str], list[str]]:
    """Give how many lines each rule of C4 takes, and the lines kept."""
    judged = [c4_line(line.strip(), settings) for line in text.splitlines()]
    return Counter(reason for reason, _ in judged), [line for reason, line in judged if reason == "c4_kept"]


def c4_line(line: str, settings: C4Settings) -> tuple[str, str]:
    """Give the rule that takes a line, and the line without citations."""
    words = line.split()
    if any(len(word) > settings.longest_word for word in words):
        return "c4_long_word", line
    line = _CITATION.sub("", line)
    small = line.lower()
    broken = {
        "c4_unended": settings.ended and (not line.endswith((".", "?", "!", '"', "'")) or line.endswith("...")),
        "c4_few_words": len(words) < settings.fewest_words,
        "c4_lorem": "lorem ipsum" in small,
        "c4_javascript": "javascript" in small,
        "c4_curly": "{" in line,
        "c4_policy": any(phrase in small for phrase in _POLICIES),
    }
    return next((reason for reason, true in broken.items() if true), "c4_kept"), line
