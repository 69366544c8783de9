"""What the kernel of RefinedWeb's line rules computes, in plain Python for one text; tests compare the two."""

from __future__ import annotations

import re
from collections import Counter

from headrace.stages.kernels.statistics_refinedweb import COUNTERS, PHRASES
from headrace.stages.statistics.refinedweb import LineSettings

_COUNTER = re.compile(
    r"\W*\d[,.\d]*[kmb]?\s+(?:" + "|".join(word.decode() for word in COUNTERS) + r")\W*", re.IGNORECASE
)
_ANYWHERE, _AT_THE_END, _IN_FRONT = (re.escape(phrase.decode()) for phrase in PHRASES)
_PHRASES = (
    re.compile(rf"[ \t]?{_ANYWHERE}", re.IGNORECASE),
    re.compile(rf"[ \t]?{_AT_THE_END}(?=\s*$)", re.IGNORECASE),
    re.compile(rf"(?<=^){_IN_FRONT}[ \t]?", re.IGNORECASE),
)


def lines(text: str, settings: LineSettings) -> tuple[Counter[str], str]:
    """Give how many lines each rule takes, and the text without them."""
    reasons: Counter[str] = Counter()
    kept = []
    parts = re.findall(r"[^\n]*\n|[^\n]+$", text)
    for part in parts:
        line = part.removesuffix("\n")
        reason = why(line.strip(), settings)
        without = line if reason else without_phrases(line, settings)
        if reason is None and without != line:
            reason = "refinedweb_phrase"
        if reason:
            reasons[reason] += 1
        if reason is None or (reason == "refinedweb_phrase" and without.strip()):
            kept.append(without + part[len(line) :])
    return reasons + Counter({"refinedweb_lines": len(parts)}), "".join(kept)


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


def without_phrases(line: str, settings: LineSettings) -> str:
    """Give a line without the phrases, if it is short."""
    if not 0 < len(line.split()) <= settings.phrase_words:
        return line
    for phrase in _PHRASES[:2]:
        line = phrase.sub("", line)
    indent = line[: len(line) - len(line.lstrip())]
    return indent + _PHRASES[2].sub("", line.lstrip(), count=1)
