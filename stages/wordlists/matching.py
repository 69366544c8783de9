"""Count the words of lists in texts, all lists in one pass of one Aho-Corasick automaton over the views."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from ahocorasick_rs import BytesAhoCorasick

from headrace.schemas.arrays import Bytes, Offsets
from headrace.stages.wordlists.entries import Words, parted_joined
from headrace.stages.wordlists.found import Found

# Scripts that put no spaces between words: Thai, Lao, Tibetan, Burmese; and from Hangul and Han on all, but for the
# Latin and Greek letters with marks in 1E00-1FFF (Vietnamese).
_UNSPACED = re.compile("[\u0e00-\u109f\u1100-\u1dff\u2000-\U0010ffff]")
_ALWAYS, _MAYBE = 1, 2  # whether a byte beside a word belongs to a letter or digit that joins it
_JOINS = bytes(_MAYBE if byte >= 0x80 else _ALWAYS if chr(byte).isalnum() else 0 for byte in range(256))
Match = tuple[int, int, int]  # pattern, begin, end


class Matcher:
    """Finds the words of lists. Within a list the longest word counts where several begin, and none inside of it.

    A word whose first or last letter is of a script with spaces (Latin, Greek, Cyrillic ...) counts only where no
    letter or digit of such a script is its neighbour there: `ass` is not in `assassin`, and is in `他ass了`.
    """

    def __init__(self, lists: Mapping[str, Words], *, parted: bool) -> None:
        known = {word: word.encode() for words in lists.values() for word in words}
        forms = {word: parted_joined(form) for word, form in known.items()} if parted else known
        self._parted = parted
        self._forms = sorted(set(forms.values()))
        numbers = {form: number for number, form in enumerate(self._forms)}
        self._owners: defaultdict[int, list[tuple[str, str, float]]] = defaultdict(list)
        for name, words in lists.items():
            for word, weight in words.items():
                self._owners[numbers[forms[word]]].append((name, word, weight))
        self._bordered = [(_spaced(text[0]), _spaced(text[-1])) for text in map(_text, self._forms)]
        self._search = BytesAhoCorasick(self._forms)

    def found(self, data: Bytes, offsets: Offsets) -> Iterator[dict[str, Found]]:
        """Give for each view what it holds, by list; lists of which it holds nothing are left out."""
        whole = memoryview(data.data)
        bounds: list[int] = offsets.tolist()
        for begin, end in pairwise(bounds):
            form = whole[begin:end]
            yield self._counted(memoryview(parted_joined(bytes(form))) if self._parted else form)

    def _counted(self, form: memoryview) -> dict[str, Found]:
        hits = self._search.find_matches_as_indexes(form, overlapping=True)
        if not hits:
            return {}
        by_list: defaultdict[str, list[Match]] = defaultdict(list)
        for hit in self._alone(form, hits):
            for name, _, _ in self._owners[hit[0]]:
                by_list[name].append(hit)
        return {name: self._tally(name, longest(matches)) for name, matches in by_list.items()}

    def _alone(self, form: memoryview, hits: Iterable[Match]) -> Iterator[Match]:
        """Give the hits that no letter or digit joins; a byte decides nearly always, so that none is decoded."""
        bordered, size = self._bordered, len(form)
        for hit in hits:
            number, begin, end = hit
            left, right = bordered[number]
            before = _JOINS[form[begin - 1]] if left and begin else 0
            if before == _ALWAYS or (before and _spaced(_decoded(form[max(0, begin - 4) : begin])[-1:])):
                continue
            behind = _JOINS[form[end]] if right and end < size else 0
            if behind == _ALWAYS or (behind and _spaced(_decoded(form[end : end + 4])[:1])):
                continue
            yield hit

    def _tally(self, name: str, matches: Iterable[Match]) -> Found:
        counts = Counter(number for number, _, _ in matches)
        words: Counter[str] = Counter()
        weight = 0.0
        for number, count in counts.items():
            _, word, each = next(owner for owner in self._owners[number] if owner[0] == name)
            words[word] += count
            weight += each * count
        return Found(words, weight)


def longest(matches: Iterable[Match]) -> Iterator[Match]:
    """Give matches that do not overlap, from left to right, the longest of those that begin at one place."""
    end = 0
    for match in sorted(matches, key=lambda match: (match[1], -match[2])):
        if match[1] >= end:
            end = match[2]
            yield match


def _text(form: bytes) -> str:
    return form.decode()


def _spaced(character: str) -> bool:
    """Say whether a character belongs to a word of a script that puts spaces between words."""
    return character.isalnum() and not _UNSPACED.match(character)


def _decoded(piece: memoryview) -> str:
    """Give the characters of a few bytes, those that are cut left out."""
    return bytes(piece).decode("utf-8", "ignore")
