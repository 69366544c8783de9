"""English words by spaCy's tokenizer rules, for runs without white space; long ones in time that grows with them.

spaCy strips one prefix or suffix at a time and searches what is left each time: 8,000 brackets take it four seconds.
Here a run longer than `LONG` is stripped by the same expressions on windows that grow where a match reaches their edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language

LONG = 256  # characters from which a run is stripped by windows
LONGEST = 4000  # characters up to which a run is tried as a URL, whose expression is slow, and has emoticons
_WINDOW = 8  # the longest suffix but a row of dots has five, such as a unit
_WINDOWS = 1 << 14  # remembered: long runs are mostly of few kinds of characters
_MARGIN = 2  # characters that the rules look back
_TABOO, _STAND_IN = "IS_ALPHA", "IS_ALPHB"
_PLAIN = re.compile(r"""(["(\[]?)([A-Za-z]*[a-z]|[0-9]+)([,;:.!?)"\]]?)""")
_TOGETHER = 2000  # runs that spaCy sees at a time


@dataclass(frozen=True, slots=True)
class Rules:
    """spaCy's English without its pipeline, and the pairs and single words that its special cases consist of."""

    language: Language
    tokenizer: Any  # compiled, without types
    marks: frozenset[str]  # that end a sentence
    pairs: frozenset[tuple[str, str]]
    singles: frozenset[str]
    parts: frozenset[str]  # all words that special cases with marks in them may leave
    longest: int  # characters of a special case


@cache
def rules() -> Rules:
    """Load spaCy's rules, once a process."""
    import spacy
    from spacy.pipeline import Sentencizer

    language = spacy.blank("en")
    ruled: Any = language.tokenizer
    bare = type(ruled)(language.vocab, None, ruled.prefix_search, ruled.suffix_search, ruled.infix_finditer)
    bare.url_match = ruled.url_match
    parts = {case: tuple(word.text for word in bare(case)) for case in ruled.rules if not case.isspace()}
    pairs = frozenset(pair for part in parts.values() for pair in pairwise(part))
    singles = frozenset(
        part[0]
        for part in parts.values()
        if len(part) == 1 and (ruled.find_prefix(part[0]) or ruled.find_infix(part[0]) or ruled.find_suffix(part[0]))
    )
    left = frozenset(word for case, part in parts.items() if len(part) > 1 for word in spelled(ruled.rules[case]))
    marks = frozenset(Sentencizer.default_punct_chars)
    return Rules(language, ruled, marks, pairs, singles, left | singles, max(map(len, ruled.rules)))


def spelled(case: Sequence[Mapping[int | str, str]]) -> list[str]:
    """Give the words of a special case; 65 is spaCy's number of ORTH."""
    return [part[65] if 65 in part else part["ORTH"] for part in case]


def cut_text(text: str) -> list[str]:
    """Give the words of a whole text, white space left out.

    The word IS_ALPHA, a name of spaCy's own, makes its vocabulary fail; another word of its shape stands in for it.
    """
    own = rules()
    safe = text.replace(_TABOO, _STAND_IN)
    with own.language.memory_zone():
        words = [word.text for word in own.tokenizer(safe)]
    words = [word for word in words if not word.isspace()]
    return words if safe == text else restored(words, safe, text)


def restored(words: Sequence[str], safe: str, text: str) -> list[str]:
    """Give the words of a text out of those of another of the same size."""
    out, at = [], 0
    for word in words:
        at = safe.index(word, at)
        out.append(text[at : at + len(word)])
        at += len(word)
    return out


def cut_runs(runs: Sequence[str]) -> Iterator[list[str]]:
    """Give the words of each run; joined again they are the run.

    Short runs are cut by spaCy itself, many at once: a line feed between two is a word, and no rule reaches over it.
    """
    known = [cut_plain(run) for run in runs]
    short = cut_short([run for run, words in zip(runs, known, strict=True) if not words and len(run) <= LONG])
    for run, words in zip(runs, known, strict=True):
        yield words or (next(short) if len(run) <= LONG else cut_long(run))


def cut_plain(run: str) -> list[str]:
    """Give the words of a run of ASCII letters or of digits, with at most a mark before and behind; else nothing.

    Most new runs are such; without spaCy they are learnt five times as fast.
    """
    match = _PLAIN.fullmatch(run)
    if match is None:
        return []
    own = rules()
    before, stem, behind = match.groups()
    special = own.tokenizer.rules
    if any(text in special for text in (run, stem, before + stem, stem + behind)):
        return []
    if (before, stem) in own.pairs or (stem, behind) in own.pairs or not own.singles.isdisjoint((before, stem, behind)):
        return []
    return [word for word in (before, stem, behind) if word]


def cut_short(runs: Sequence[str]) -> Iterator[list[str]]:
    """Give the words of each run, by spaCy."""
    for first in range(0, len(runs), _TOGETHER):
        group = runs[first : first + _TOGETHER]
        words = iter(cut_text("\n".join(group)))
        for run in group:
            row, size = [], 0
            while size < len(run):
                row.append(next(words))
                size += len(row[-1])
            yield row


def cut_long(run: str) -> list[str]:
    """Give the words of a long run.

    Where special cases may stand within it, spaCy cuts it, up to `LONGEST` characters.
    """
    words = without_special(run)
    return cut_text(run) if len(run) <= LONGEST and is_special(words) else words


def without_special(run: str) -> list[str]:
    """Give the words of a run before spaCy looks for special cases in them."""
    begin, end, prefixes, suffixes = stripped(run)
    return [*prefixes, *inner(run[begin:end]), *reversed(suffixes)]


def is_special(words: Sequence[str]) -> bool:
    """Tell whether special cases may stand in words of `without_special`."""
    own = rules()
    return any(pair in own.pairs for pair in pairwise(words)) or not own.singles.isdisjoint(words)


def stripped(run: str) -> tuple[int, int, list[str], list[str]]:
    """Strip prefixes and suffixes and give the bounds of what is left, and both in the order in which they came off."""
    own = rules()
    special = own.tokenizer.rules
    begin, end = 0, len(run)
    prefixes: list[str] = []
    suffixes: list[str] = []
    while begin < end:
        if end - begin <= own.longest and run[begin:end] in special:
            break
        before = prefix(run, begin, end)
        if before and 0 < end - begin - before <= own.longest and run[begin + before : end] in special:
            prefixes.append(run[begin : begin + before])
            return begin + before, end, prefixes, suffixes
        behind = suffix(run, begin + before, end)
        if behind and 0 < end - begin - behind <= own.longest and run[begin : end - behind] in special:
            suffixes.append(run[end - behind : end])
            return begin, end - behind, prefixes, suffixes
        if not before and not behind:
            break
        if before:
            prefixes.append(run[begin : begin + before])
        if behind and before + behind <= end - begin:
            suffixes.append(run[end - behind : end])
            end -= behind
        begin += before
    return begin, end, prefixes, suffixes


def prefix(run: str, begin: int, end: int) -> int:
    """Give the characters of the prefix of a part of a run."""
    size = _WINDOW
    while True:
        window = run[begin : min(begin + size, end)]
        found = prefix_of(window)
        if found < len(window) - _MARGIN or begin + size >= end:
            return found
        size *= 2


def suffix(run: str, begin: int, end: int) -> int:
    """Give the characters of the suffix of a part of a run."""
    size = _WINDOW
    while True:
        window = run[max(end - size, begin) : end]
        found = suffix_of(window)
        if found < len(window) - _MARGIN or end - size <= begin:
            return found
        size *= 2


@lru_cache(maxsize=_WINDOWS)
def prefix_of(window: str) -> int:
    """Give the characters of the prefix of a text."""
    return int(rules().tokenizer.find_prefix(window))


@lru_cache(maxsize=_WINDOWS)
def suffix_of(window: str) -> int:
    """Give the characters of the suffix of a text."""
    return int(rules().tokenizer.find_suffix(window))


def inner(middle: str) -> Iterator[str]:
    """Give the words of what is left when prefixes and suffixes are off."""
    own = rules()
    if not middle:
        return
    if case := own.tokenizer.rules.get(middle):
        yield from spelled(case)
        return
    if len(middle) <= LONGEST and own.tokenizer.url_match(middle):
        yield middle
        return
    start = 0
    begun = 0
    for match in own.tokenizer.infix_finditer(middle):
        if match.start() == begun:
            continue
        if match.start() != start:
            yield middle[start : match.start()]
        if match.start() != match.end():
            yield middle[match.start() : match.end()]
        start = match.end()
    if start < len(middle):
        yield middle[start:]
