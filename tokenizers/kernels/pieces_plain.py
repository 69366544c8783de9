"""The kernels of SentencePiece models as one would write them: whole texts, no units, no cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

_RESET = np.float32(100_000)
_MOST_NESTED = 64


@dataclass(frozen=True, slots=True)
class PlainModel:
    """What text is made of: pieces by their text, with a space for U+2581, and what stands for all else."""

    ids: dict[str, int]
    scores: dict[str, np.float32]  # what a unigram model adds for a piece, or a merge of a BPE model is chosen by
    unknown: int
    unknown_score: np.float32
    byte_ids: tuple[int, ...]  # empty if bytes spell nothing
    frozen: frozenset[str] = frozenset()  # pieces of a user
    space: str = " "  # what a space stands for


def units_of(text: str, model: PlainModel) -> list[str]:
    """Cut a text wherever no piece holds the characters on both sides of the cut side by side."""
    joined = {pair for piece in model.ids for pair in pairwise(piece)}
    cuts = [0, *(at for at in range(1, len(text)) if (text[at - 1], text[at]) not in joined), len(text)]
    return [text[begin:end] for begin, end in pairwise(cuts) if begin < end]


def unigram_ids(text: str, model: PlainModel) -> list[int]:
    """Give the ids of the pieces whose scores, added up from the front in float32, come to the most."""
    best: list[tuple[np.float32, int, int]] = [(np.float32(0), -1, -1)] * (len(text) + 1)  # score, begin, id
    longest = max(map(len, model.ids), default=1)
    for begin in range(len(text)):
        if abs(best[begin][0]) > _RESET:
            offset = best[begin][0]
            best[begin:] = [
                (np.float32(score - offset) if at >= 0 else score, at, id_) for score, at, id_ in best[begin:]
            ]
            best[begin] = np.float32(0), *best[begin][1:]
        for end in range(begin + 1, min(len(text), begin + longest) + 1):
            piece = text[begin:end]
            known = piece in model.ids
            if known or end == begin + 1:
                added = model.scores[piece] if known else model.unknown_score
                total = np.float32(added + best[begin][0])
                if best[end][1] < 0 or total > best[end][0]:
                    best[end] = total, begin, model.ids.get(piece, model.unknown)
    end, way = len(text), []
    while end > 0:
        _, begin, id_ = best[end]
        way.append((text[begin:end], id_))
        end = begin
    return list(_written(way[::-1], model))


def bpe_ids(text: str, model: PlainModel) -> list[int]:
    """Give the ids after all merges: always the piece with the highest score, and of equal ones the first."""
    symbols = list(_symbols(text, model.frozen))
    while True:
        merges = [
            (-model.scores[first + second], at)
            for at, ((first, free), (second, too)) in enumerate(pairwise(symbols))
            if free and too and first + second in model.ids
        ]
        if not merges:
            break
        at = min(merges)[1]
        symbols[at : at + 2] = [(symbols[at][0] + symbols[at + 1][0], True)]
    return list(_written([(text, model.ids.get(text, model.unknown)) for text, _ in symbols], model))


def _symbols(text: str, frozen: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Give what is merged and, marked with False, the pieces of a user, the longest where several begin."""
    at = 0
    while at < len(text):
        found = [piece for piece in frozen if text.startswith(piece, at)]
        symbol = sorted(found, key=len)[:_MOST_NESTED][-1] if found else text[at]
        yield symbol, not found
        at += len(symbol)


def _written(way: list[tuple[str, int]], model: PlainModel) -> Iterator[int]:
    """Spell what is unknown in bytes, or leave one id of a run of it."""
    before = -1
    for text, id_ in way:
        if id_ == model.unknown and model.byte_ids:
            yield from (model.byte_ids[byte] for byte in text.replace(" ", model.space).encode())
        elif id_ != model.unknown or before != model.unknown:
            yield id_
        before = id_
