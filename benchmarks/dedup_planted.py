"""Texts with known repeats: new documents of real sentences, and a changed copy of each at a wanted similarity.

The amount of a change is found by bisection, so that the Jaccard similarity of the shingle sets, which is measured on
all pairs afterwards, is spread evenly over the wanted range.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from benchmarks import text

from headrace.schemas.arrays import Floats
from headrace.stages.deduplication.shingles import Shingling, shingle_sets
from headrace.stages.deduplication.verify import measured
from headrace.stages.view import views

Change = Literal["scattered", "block", "inserted", "reordered", "truncated"]
CHANGES: tuple[Change, ...] = get_args(Change)
LEAST, MOST = 0.5, 0.95
_STEPS = 10
_INSERTED = 12  # items an insertion
_SHINGLING = Shingling()


def planted(language: str, seed: int, count: int) -> tuple[list[str], list[str]]:
    """Give documents, and a changed copy of each; changes take turns, similarities are drawn evenly."""
    made = list(itertools.islice(text.documents(language, seed, text.Shape(exact=0, near=0)), count + 1))
    wanted = np.random.default_rng(seed).uniform(LEAST, MOST, count)
    between = " " if language == "en" else ""
    items = [document.split(" ") if between else list(document) for document in made]
    low, high, originals = np.zeros(count), np.ones(count), made[:count]
    copies = originals
    for _ in range(_STEPS):
        amounts = (low + high) / 2
        copies = [between.join(_copy(items, number, amounts[number], seed)) for number in range(count)]
        enough = similarities(originals, copies) >= wanted
        low, high = np.where(enough, amounts, low), np.where(enough, high, amounts)
    return originals, copies


def similarities(ones: Sequence[str], others: Sequence[str]) -> Floats:
    """Give the exact Jaccard similarity of each text and its counterpart, by the shingles of their views."""
    sets = [shingle_sets(*views(pa.array(texts, pa.large_string())), _SHINGLING) for texts in (ones, others)]
    return measured(sets[0], sets[1], np.stack([np.arange(len(ones))] * 2, axis=1))


def _copy(items: Sequence[list[str]], number: int, amount: float, seed: int) -> list[str]:
    """Change a document by an amount between nothing (0) and everything (1), with items of the next document."""
    chance = random.Random(f"{seed} {number}")  # the same for each amount, so that more of it changes more
    return changed(items[number], items[number + 1], CHANGES[number % len(CHANGES)], amount, chance)


def changed(items: list[str], foreign: list[str], change: Change, amount: float, chance: random.Random) -> list[str]:
    """Give items with some replaced one by one, or in a block, or more put in, or pieces shuffled, or the end cut."""
    affected = round(amount * len(items))
    match change:
        case "scattered":
            places = chance.sample(range(len(items)), len(items))[:affected]
            new = dict(zip(places, chance.choices(foreign, k=affected), strict=True))
            return [new.get(place, item) for place, item in enumerate(items)]
        case "block":
            begin = chance.randrange(len(items) - affected + 1)
            return items[:begin] + _stretch(foreign, affected) + items[begin + affected :]
        case "inserted":
            return _with_insertions(items, foreign, affected, chance)
        case "reordered":
            borders = sorted(chance.sample(range(1, len(items)), min(1 + affected // 2, len(items) - 1)))
            pieces = [items[a:b] for a, b in itertools.pairwise([0, *borders, len(items)])]
            return [item for piece in chance.sample(pieces, len(pieces)) for item in piece]
        case "truncated":
            return items[: max(1, len(items) - affected)]


def _with_insertions(items: list[str], foreign: list[str], size: int, chance: random.Random) -> list[str]:
    new = _stretch(foreign, size)
    pieces = [new[at : at + _INSERTED] for at in range(0, size, _INSERTED)]
    places = sorted(chance.choices(range(len(items) + 1), k=len(pieces)))
    out, done = [], 0
    for place, piece in zip(places, pieces, strict=True):
        out += items[done:place] + piece
        done = place
    return out + items[done:]


def _stretch(foreign: list[str], size: int) -> list[str]:
    """Give so many items of a text that is read round and round."""
    return list(itertools.islice(itertools.cycle(foreign), size))
