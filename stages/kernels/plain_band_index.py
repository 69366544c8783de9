"""The first-seen index in plain Python: ask, verify and insert, one document after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR, Policy

Fate = tuple[int, int, float]  # fate, survivor, similarity


class Document(NamedTuple):
    """What a document is found by; `signed` is False if it has no shingles."""

    key: tuple[int, ...]
    signed: bool
    signature: tuple[int, ...]
    shingles: frozenset[int]


def first_seen(documents: Iterable[Document], policy: Policy) -> list[Fate]:
    """Give each document's fate, the number of the kept document that it repeats (-1 if none), and the similarity."""
    kept: list[Document] = []
    numbers: dict[tuple[int, ...], int] = {}
    fates = []
    for document in documents:
        fate = fate_among(document, kept, numbers, policy)
        fates.append(fate)
        if fate[0] == KEPT:
            numbers.setdefault(document.key, len(kept))
            kept.append(document)
    return fates


def fate_among(
    document: Document, kept: Sequence[Document], numbers: dict[tuple[int, ...], int], policy: Policy
) -> Fate:
    """Judge one document among kept ones; `numbers` has the first of them with each key."""
    if policy.exact and document.key in numbers:
        return EXACT, numbers[document.key], 1.0
    candidates = [number for number, other in enumerate(kept) if meet(document, other, policy)]
    found = [(likeness(document, kept[number], policy), -number) for number in candidates]
    similarity, number = max(found, default=(0.0, 1))
    return (NEAR, -number, similarity) if found and similarity >= policy.threshold else (KEPT, -1, 0.0)


def meet(one: Document, two: Document, policy: Policy) -> bool:
    """Tell whether two documents share a band, or differ in few enough bits."""
    if not (one.signed and two.signed):
        return False
    if policy.bits:
        return _differing(one, two) <= policy.bits
    bands = [slice(band * policy.rows, (band + 1) * policy.rows) for band in range(policy.bands)]
    return any(one.signature[band] == two.signature[band] for band in bands)


def _differing(one: Document, two: Document) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one.signature, two.signature, strict=True))


def likeness(one: Document, two: Document, policy: Policy) -> float:
    """Give the share of equal values or bits, or the Jaccard similarity of the two sets."""
    if policy.sets:
        return len(one.shingles & two.shingles) / len(one.shingles | two.shingles)
    if policy.bits:
        return 1 - _differing(one, two) / 64
    slots = [slice(at, at + policy.width) for at in range(0, len(one.signature), policy.width)]
    return sum(one.signature[slot] == two.signature[slot] for slot in slots) / len(slots)
