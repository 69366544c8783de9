"""Components and their survivors in plain Python: every pair is looked at, and sets are joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from headrace.stages.kernels.entries import Policy
from headrace.stages.kernels.plain_band_index import Document, likeness, meet


def tied(one: Document, two: Document, policy: Policy) -> bool:
    """Tell whether two documents are equal, or share a band and are near enough."""
    if policy.exact and one.key == two.key:
        return True
    return meet(one, two, policy) and likeness(one, two, policy) >= policy.threshold


def partition(documents: Sequence[Document], policy: Policy) -> list[frozenset[int]]:
    """Give the components of documents by their numbers, in the order of their first ones."""
    part_of = [frozenset({number}) for number in range(len(documents))]
    for one, two in combinations(range(len(documents)), 2):
        if part_of[one] is not part_of[two] and tied(documents[one], documents[two], policy):
            joined = part_of[one] | part_of[two]
            for number in joined:
                part_of[number] = joined
    return sorted(set(part_of), key=min)


def kept_in_order(documents: Sequence[Document], policy: Policy) -> list[int]:
    """Give what stays if each document is compared with the kept ones before it."""
    kept: list[int] = []
    for number, document in enumerate(documents):
        if not any(tied(documents[other], document, policy) for other in kept):
            kept.append(number)
    return kept
