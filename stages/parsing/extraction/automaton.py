"""Automata that find all words of a list in one pass over bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from headrace.schemas.arrays import read_only
from headrace.stages.kernels.extraction_model import STARTS, WORD_BEGIN, WORD_END, Automata, Numbers


def joined(lists: Sequence[Mapping[str, int]]) -> Automata:
    """Build an automaton for each list of words; where a word ends, its value is or-ed to what is found.

    A. V. Aho and M. J. Corasick, Efficient string matching, Communications of the ACM 18 (6), 1975; here with the
    failure links followed beforehand, so that each byte costs one step.
    """
    spelled = [{word.encode(): value for word, value in words.items()} for words in lists]
    columns = _columns(b"".join(word for words in spelled for word in words))
    tables: list[Numbers] = []
    found: list[int] = []
    starts: list[int] = []
    for words in spelled:
        starts.append(len(found))
        steps, values = _automaton(words, columns)
        tables.append(steps + starts[-1])
        found += values
    columns = np.concatenate((columns, np.array(starts, np.int32)))
    steps = np.concatenate(tables)
    if len(steps) > np.iinfo(np.int16).max:
        raise OverflowError(f"{len(steps)} states are more than 16 bits number")
    return Automata(read_only(columns), read_only(steps.astype(np.int16)), read_only(np.array(found, np.int32)))


def whole(words: Mapping[str, int]) -> dict[str, int]:
    """Give words that are to be found as whole names only."""
    return {f"{chr(WORD_BEGIN)}{word}{chr(WORD_END)}": value for word, value in words.items()}


def _automaton(words: Mapping[bytes, int], columns: Numbers) -> tuple[Numbers, list[int]]:
    children, found = _tree(words, columns)
    steps = np.zeros((len(children), int(columns.max()) + 1), np.int32)
    failure = [0] * len(children)
    waiting = deque([0])
    while waiting:
        state = waiting.popleft()
        steps[state] = steps[failure[state]]
        found[state] |= found[failure[state]]
        for column, child in children[state].items():
            failure[child] = int(steps[state, column])
            steps[state, column] = child
            waiting.append(child)
    return steps, found


def _columns(used: bytes) -> Numbers:
    """Give each byte that occurs in a word a column; all others share one that leads back to the start."""
    columns = np.zeros(STARTS, np.int32)
    for column, byte in enumerate(sorted(set(used)), start=1):
        columns[byte] = column
    return columns


def _tree(words: Mapping[bytes, int], columns: Numbers) -> tuple[list[dict[int, int]], list[int]]:
    children: list[dict[int, int]] = [{}]
    found = [0]
    for word, value in words.items():
        state = 0
        for byte in word:
            column = int(columns[byte])
            if column not in children[state]:
                children[state][column] = len(children)
                children.append({})
                found.append(0)
            state = children[state][column]
        found[state] |= value
    return children, found
