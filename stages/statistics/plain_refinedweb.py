"""What the kernel of RefinedWeb's line rules computes, in plain Python for one text; tests compare the two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate

from headrace.stages.kernels.statistics_refinedweb import COUNTERS, PHRASES
from headrace.stages.statistics.refinedweb import LineSettings

_COUNTER = re.compile(
    r"\W*\d[,.\d]*[kmb]?\s+(?:" + "|".join(word.decode() for word in COUNTERS) + r")\W*", re.IGNORECASE
)
_ANYWHERE, _AT_THE_END, _IN_FRONT = (re.escape(phrase.decode()) for phrase in PHRASES)
_PHRASES = (  # what goes is in brackets
    re.compile(rf"([ \t]?{_ANYWHERE})", re.IGNORECASE),
    re.compile(rf"([ \t]?{_AT_THE_END})\s*$", re.IGNORECASE),
    re.compile(rf"^\s*({_IN_FRONT}[ \t]?)", re.IGNORECASE),
)


def lines(text: str, settings: LineSettings) -> tuple[Counter[str], frozenset[int]]:
    """Give how many lines each rule takes, and the places of the characters that stay."""
    reasons: Counter[str] = Counter()
    stay: set[int] = set()
    at = 0
    for part in re.findall(r"[^\n]*\n|[^\n]+$", text):
        line = part.removesuffix("\n")
        reason, places = why(line.strip(), settings), kept_places(line, settings)
        if reason is None and len(places) < len(line):
            reason = "refinedweb_phrase"
            places = places if any(not line[place].isspace() for place in places) else []
        elif reason:
            places = []
        if places or reason is None:
            stay.update(at + place for place in (*places, *range(len(line), len(part))))
        reasons.update(["refinedweb_lines", *([reason] if reason else [])])
        at += len(part)
    return reasons, frozenset(stay)


def removed_words(text: str, words: Sequence[str], begins: Sequence[int], stay: Collection[int]) -> tuple[int, int]:
    """Give how many words begin with a letter or digit, and how many of them go; `begins` are in bytes of UTF-8."""
    places = {at: place for place, at in enumerate(accumulate((len(c.encode()) for c in text), initial=0))}
    of_letters = [begin for word, begin in zip(words, begins, strict=True) if word[0].isalnum()]
    return len(of_letters), sum(places[begin] not in stay for begin in of_letters)


def why(line: str, settings: LineSettings) -> str | None:
    """Give the first rule that takes a line, or None."""
    if not line:
        return None
    broken = {
        "refinedweb_uppercase": sum(map(str.isupper, line)) / len(line) > settings.uppercase,
        "refinedweb_numeric": line.isdigit(),
        "refinedweb_counter": _COUNTER.fullmatch(line) is not None,
        "refinedweb_few_words": len(line.split()) < settings.fewest_words,
    }
    return next((reason for reason, true in broken.items() if true), None)


def kept_places(line: str, settings: LineSettings) -> list[int]:
    """Give the places of a line's characters that are not in phrases, if it is short; else all."""
    places = list(range(len(line)))
    if not 0 < len(line.split()) <= settings.phrase_words:
        return places
    for phrase in _PHRASES:
        left = "".join(line[place] for place in places)
        for found in reversed(list(phrase.finditer(left))):
            del places[found.start(1) : found.end(1)]
    return places
