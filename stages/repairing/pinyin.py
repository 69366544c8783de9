"""Pages in which a copier put pinyin behind chosen traditional characters: the annotations go, the page is simplified.

Such a page is simplified Chinese that was made traditional character by character. A subset of the traditional
characters is chosen, and each of their GBK codes is followed by its reading, wherever the code is found in the bytes:
behind the character itself, behind a Latin letter that completes the code with the mark before it, and in the middle of
a character, which is torn by it. So a page is believed to be one only if it shows that pattern throughout.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from headrace.stages.kernels.characters import simplified
from headrace.stages.repairing.han_frequency import frequencies
from headrace.stages.repairing.readings import fits

# Annotations and characters that a page must have at least, the share of its annotations that the pattern explains,
# and the share of its characters that are too common to be glossed.
_ANNOTATIONS, _CHARACTERS, _EXPLAINED, _COMMON_SHARE = 3, 2, 0.9, 0.5
_COMMON = -9.0  # nats of a common character: some 1,700 are
_TONED = "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ"
_SYLLABLE = re.compile(rf"\(([a-zü]{{0,4}}[{_TONED}][a-zü]{{0,4}})\)")
_LOST = "\ufffd"
_SLIPPED = re.compile("[^\x00-\x7f\ufffd]*\ufffd?")


@dataclass(frozen=True, slots=True)
class Annotation:
    """A syllable in parentheses: where it begins and ends in the text, and the syllable."""

    begin: int
    end: int
    syllable: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """The reading of each character that the copier chose, and of each chosen GBK code."""

    characters: dict[str, str]
    codes: dict[bytes, str]

    def second_byte(self, lead: bytes, syllable: str) -> bytes:
        """Give the second byte of the chosen code with this first byte and reading; nothing if that is not one code."""
        seconds = [code[1:] for code, reading in self.codes.items() if code[:1] == lead and reading == syllable]
        return seconds[0] if len(seconds) == 1 else b""


def unannotated(text: str) -> tuple[str, int]:
    """Give the page as it was before, and how many annotations it had; a page without the pattern comes back as it is.

    >>> unannotated("數(shù)據(jù)的關(guān)鍵，參數(shù)與環(huán)境")
    ('数据的关键，参数与环境', 5)
    """
    found = [Annotation(m.start(), m.end(), m[1]) for m in _SYLLABLE.finditer(text) if m.start() > 0]
    pattern = _pattern(text, found)
    if pattern is None:
        return text, 0
    out: list[str] = []
    at = removed = 0
    for annotation in found:
        before, following = _without(text, at, annotation, pattern)
        removed += following > annotation.begin
        out.append(before)
        at = following
    return "".join([*out, text[at:]]).translate(simplified()), removed


def _pattern(text: str, found: list[Annotation]) -> Pattern | None:
    """Give the pattern of a page, None if there is none: each chosen character is annotated wherever it stands."""
    syllables: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for annotation in found:
        syllables[text[annotation.begin - 1]][annotation.syllable] += 1
    if len(syllables) < _CHARACTERS:
        return None
    occurrences = Counter(text)
    fitting = {c: next(iter(read)) for c, read in syllables.items() if len(read) == 1 and _fitting(c, next(iter(read)))}
    chosen = {c: syllable for c, syllable in fitting.items() if occurrences[c] == syllables[c][syllable]}
    explained = sum(occurrences[c] for c in chosen)
    behind_han = sum(read.total() for c, read in syllables.items() if c >= "\u2e80" and c != _LOST)
    common = sum(frequencies().characters[ord(c)] > _COMMON for c in chosen)
    if len(chosen) < _CHARACTERS or explained < max(_ANNOTATIONS, _EXPLAINED * behind_han):
        return None
    if common < _COMMON_SHARE * len(chosen):
        return None
    return Pattern(chosen, {code: syllable for c, syllable in chosen.items() if len(code := _gbk(c)) == 2})


def _fitting(character: str, syllable: str) -> bool:
    return ord(character) in simplified() and fits(character, syllable)


def _without(text: str, at: int, annotation: Annotation, pattern: Pattern) -> tuple[str, int]:
    """Give the text from `at` to an annotation as it was, and where to go on: behind the annotation if it goes."""
    before = text[at : annotation.begin]
    base = before[-1:]
    if pattern.characters.get(base) == annotation.syllable:
        return before, annotation.end
    if base == _LOST:
        return _joined(text, before, annotation, pattern)
    across = _gbk(before[-2:-1])[-1:] + base.encode()  # of a mark and a Latin letter
    if base.isascii() and pattern.codes.get(across) == annotation.syllable:
        return before, annotation.end
    return before, annotation.begin


def _joined(text: str, before: str, annotation: Annotation, pattern: Pattern) -> tuple[str, int]:
    """Mend a character that an annotation tore apart: its first byte is the second one of a chosen code.

    That byte became U+FFFD and is known from the code, which begins with the last byte before it. The bytes behind the
    annotation have slipped by one, up to the next U+FFFD or ASCII character; a byte that is not there stays lost.
    """
    second = pattern.second_byte(_gbk(before[-2:-1])[-1:], annotation.syllable)
    slipped = _SLIPPED.match(text, annotation.end)
    run = slipped[0] if slipped else ""
    if not second or not run:
        return before, annotation.begin
    data = second + _gbk(run.rstrip(_LOST))
    mended = _decoded(data) or _decoded(data[:-1])
    if not mended:
        return before, annotation.begin
    lost = _LOST if len(mended.encode("gbk")) < len(data) else ""
    return before[:-1] + mended + lost, annotation.end + len(run)


def _gbk(text: str) -> bytes:
    return text.encode("gbk", "ignore")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("gbk")
    except UnicodeDecodeError:
        return ""
