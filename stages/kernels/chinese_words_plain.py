"""What the kernels of Chinese words compute, in plain Python: slow, readable, what tests compare them with."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_RUN = re.compile(r"[\u4E00-\u9FD5a-zA-Z0-9+#&._%-]+")
_LINE_END_OR_CHARACTER = re.compile(r"\r\n|.", re.DOTALL)
_LETTERS = re.compile(r"[a-zA-Z0-9]+(?:\.[0-9]+)?%?|[^a-zA-Z0-9]+")
_HAN_OR_NOT = re.compile(r"[\u4E00-\u9FD5]+|[^\u4E00-\u9FD5]+")
_STATES_BEFORE = {"B": "ES", "M": "BM", "E": "BM", "S": "ES"}


class Knowledge(NamedTuple):
    """A dictionary, and the model of words that it lacks: logarithms of chances by state B, M, E or S."""

    frequencies: Mapping[str, int]  # 0 for a mere beginning of words
    total: int
    split: frozenset[str]
    starts: Mapping[str, float]
    steps: Mapping[str, Mapping[str, float]]
    emissions: Mapping[str, Mapping[str, float]]
    least: float  # for what has no chance


def words_of(text: str, known: Knowledge, *, model: bool) -> list[str]:
    """Give the words of a text; joined they are the text."""
    return list(_words(text, known, model=model))


def _words(text: str, known: Knowledge, *, model: bool) -> Iterator[str]:
    at = 0
    for run in _RUN.finditer(text):
        yield from _LINE_END_OR_CHARACTER.findall(text[at : run.start()])
        yield from (_with_model if model else _without_model)(run[0], known)
        at = run.end()
    yield from _LINE_END_OR_CHARACTER.findall(text[at:])


def _likeliest(run: str, known: Knowledge) -> list[str]:
    """Cut a run into words of the dictionary and unknown characters, so that the sum of logarithms is the greatest."""
    ways: list[tuple[float, int]] = [(0.0, 0)] * (len(run) + 1)
    log_total = math.log(known.total)
    for begin in range(len(run) - 1, -1, -1):
        ways[begin] = max(
            (math.log(known.frequencies.get(run[begin:end], 0) or 1) - log_total + ways[end][0], end)
            for end in _ends(run, begin, known.frequencies)
        )
    words, at = [], 0
    while at < len(run):
        words.append(run[at : ways[at][1]])
        at = ways[at][1]
    return words


def _ends(run: str, begin: int, frequencies: Mapping[str, int]) -> list[int]:
    found, end = [], begin + 1
    while end <= len(run) and run[begin:end] in frequencies:
        if frequencies[run[begin:end]]:
            found.append(end)
        end += 1
    return found or [begin + 1]


def _without_model(run: str, known: Knowledge) -> Iterator[str]:
    letters = ""
    for word in _likeliest(run, known):
        if len(word) == 1 and word.isascii() and word.isalnum():
            letters += word
            continue
        if letters:
            yield letters
        letters = ""
        yield word
    if letters:
        yield letters


def _with_model(run: str, known: Knowledge) -> Iterator[str]:
    singles = ""
    for word in _likeliest(run, known):
        if len(word) == 1:
            singles += word
            continue
        yield from _unknown(singles, known)
        singles = ""
        yield word
    yield from _unknown(singles, known)


def _unknown(run: str, known: Knowledge) -> Iterator[str]:
    """Cut a run of single characters; one that is a word all the same is left in its characters."""
    if len(run) < 2 or known.frequencies.get(run):
        yield from run
        return
    for part in _HAN_OR_NOT.findall(run):
        if part[0] < "\u4e00":  # ASCII
            yield from _LETTERS.findall(part)
            continue
        for word in _by_states(part, _states(part, known)):
            yield from word if word in known.split else (word,)


def _states(run: str, known: Knowledge) -> str:
    """Give the likeliest state of each character, by Viterbi's algorithm."""

    def chance(state: str, character: str) -> float:
        return known.emissions[state].get(character, known.least)

    best = {state: (known.starts[state] + chance(state, run[0]), state) for state in "BMES"}
    for character in run[1:]:
        following = {}
        for state, befores in _STATES_BEFORE.items():
            score, before = max(
                (best[before][0] + known.steps[before].get(state, known.least) + chance(state, character), before)
                for before in befores
            )
            following[state] = score, best[before][1] + state
        best = following
    _, last = max((best[state][0], state) for state in "ES")
    return best[last][1]


def _by_states(run: str, states: str) -> Iterator[str]:
    begin = 0
    for at, state in enumerate(states):
        if state in "ES":
            yield run[begin : at + 1]
            begin = at + 1
