"""The first-seen index in plain Python: ask, verify and insert, one document after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR, Policy
from headrace.stages.kernels.minhash import EMPTY

Fate = tuple[int, int, float]  # fate, survivor, similarity


class Document(NamedTuple):
    """What a document is found by."""

    key: tuple[int, ...]
    signature: tuple[int, ...]
    shingles: frozenset[int]


def first_seen(documents: Iterable[Document], policy: Policy) -> list[Fate]:
    """Give each document's fate, the number of the kept document that it repeats (-1 if none), and the similarity."""
    kept: list[Document] = []
    postings: dict[tuple[int, ...], list[int]] = {}
    numbers: dict[tuple[int, ...], int] = {}
    fates = []
    for document in documents:
        bands = _bands(document.signature, policy)
        candidates = {number for band in bands for number in postings.get(band, ())}
        fate = _fate(document, kept, numbers, candidates, policy)
        fates.append(fate)
        if fate[0] == KEPT:
            for band in bands:
                postings.setdefault(band, []).append(len(kept))
            numbers.setdefault(document.key, len(kept))
            kept.append(document)
    return fates


def _bands(signature: Sequence[int], policy: Policy) -> list[tuple[int, ...]]:
    if all(value == EMPTY for value in signature):
        return []
    return [(band, *signature[band * policy.rows : (band + 1) * policy.rows]) for band in range(policy.bands)]


def _fate(
    document: Document,
    kept: Sequence[Document],
    numbers: dict[tuple[int, ...], int],
    candidates: set[int],
    policy: Policy,
) -> Fate:
    if policy.exact and document.key in numbers:
        return EXACT, numbers[document.key], 1.0
    found = [(_similarity(document, kept[number], policy), -number) for number in candidates]
    similarity, number = max(found, default=(0.0, 1))
    return (NEAR, -number, similarity) if found and similarity >= policy.threshold else (KEPT, -1, 0.0)


def _similarity(one: Document, two: Document, policy: Policy) -> float:
    if policy.sets:
        return len(one.shingles & two.shingles) / len(one.shingles | two.shingles)
    return sum(a == b for a, b in zip(one.signature, two.signature, strict=True)) / len(one.signature)
