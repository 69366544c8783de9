"""Sorted postings and their Bloom filter in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.stages.kernels.band_index import KEPT
from headrace.stages.kernels.entries import Policy
from headrace.stages.kernels.plain_band_index import Document, Fate, fate_among
from headrace.stages.kernels.plain_signatures import mix64

Posting = tuple[int, int]  # fingerprint, row


def postings_of(prints: Sequence[int]) -> list[Posting]:
    """Give the postings of one table of a file."""
    return sorted((value, row) for row, value in enumerate(prints))


def find(postings: Sequence[Posting], wanted: int) -> list[int]:
    """Give the rows with a fingerprint."""
    return [row for value, row in postings if value == wanted != 0]


def merged(tables: Sequence[Sequence[Posting]], firsts: Sequence[int]) -> list[Posting]:
    """Merge one table of several files, whose rows are numbered from `firsts` on; those under 0 are left out."""
    both = zip(tables, firsts, strict=True)
    return sorted((value, first + row) for table, first in both for value, row in table if value)


def ask(documents: Sequence[Document], known: Sequence[tuple[int, Document]], below: int, policy: Policy) -> list[Fate]:
    """Judge documents against numbered ones, of which those from `below` on are invisible."""
    visible = sorted((number, other) for number, other in known if number < below)
    others = [other for _, other in visible]
    places = {other.key: place for place, other in reversed(list(enumerate(others)))}
    fates = [fate_among(document, others, places, policy) for document in documents]
    return [(fate, visible[place][0] if fate != KEPT else -1, likeness) for fate, place, likeness in fates]


def bloom_bits(table: int, value: int, blocks: int) -> tuple[int, list[int]]:
    """Give the block of a fingerprint in the filter, and the bit that it has in each of the 8 words."""
    hashed = mix64((table + 1) << 32 | value)
    again = mix64(hashed)
    return (hashed >> 32) * blocks >> 32, [again >> 5 * word & 31 for word in range(8)]
