"""The first-seen index in plain Python: ask, verify and insert, one document after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR
from headrace.stages.kernels.entries import SETS, SKETCH, Policy
from headrace.stages.kernels.plain_odd_sketch import sketched_similarity

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
    places: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    fates = []
    for document in documents:
        bands = _bands(document, policy)
        near = {number for band in bands for number in places.get(band, ())}
        candidates = [number for number in sorted(near) if meet(document, kept[number], policy)]
        fates.append(_fate(document, candidates, kept, numbers, policy))
        if fates[-1][0] == KEPT:
            numbers.setdefault(document.key, len(kept))
            for band in bands:
                places.setdefault(band, []).append(len(kept))
            kept.append(document)
    return fates


def _bands(document: Document, policy: Policy) -> list[tuple[int, tuple[int, ...]]]:
    """Give what documents that meet have in common: a band, or as many bits as cannot all differ."""
    if not document.signed:
        return []
    if not policy.bits:
        rows = policy.rows
        return [(band, document.signature[band * rows : (band + 1) * rows]) for band in range(policy.bands)]
    bits = sum(piece << 32 * number for number, piece in enumerate(document.signature))
    return [(first, (bits >> first & 0xFF,)) for first in range(0, 64, 8)]  # of eight bytes six at most differ


def fate_among(
    document: Document, kept: Sequence[Document], numbers: dict[tuple[int, ...], int], policy: Policy
) -> Fate:
    """Judge one document among kept ones; `numbers` has the first of them with each key."""
    candidates = [number for number, other in enumerate(kept) if meet(document, other, policy)]
    return _fate(document, candidates, kept, numbers, policy)


def _fate(
    document: Document,
    candidates: Iterable[int],
    kept: Sequence[Document],
    numbers: dict[tuple[int, ...], int],
    policy: Policy,
) -> Fate:
    if policy.exact and document.key in numbers:
        return EXACT, numbers[document.key], 1.0
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
    if policy.by == SETS:
        return len(one.shingles & two.shingles) / len(one.shingles | two.shingles)
    if policy.by == SKETCH:
        return sketched_similarity(one.shingles, two.shingles)
    if policy.bits:
        return 1 - _differing(one, two) / 64
    slots = [slice(at, at + policy.width) for at in range(0, len(one.signature), policy.width)]
    return sum(one.signature[slot] == two.signature[slot] for slot in slots) / len(slots)
