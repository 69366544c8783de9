"""The first-seen index: settle documents in order against the kept ones, exactly as a query-then-insert loop would.

A kept document is a number, counted up in order of arrival. Bands live in open addressing, one table a band: an entry
holds half of the band's hash and the newest document with that band; `chains` leads from a document to the next older
one with the same band. The band itself is compared in the signatures, so two bands never meet by their hash alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.stages.kernels.arrays import Classes, Counts, Floats, Hashes, Links, Offsets, Signatures
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.minhash import EMPTY
from headrace.stages.kernels.mixing import mix64, rolled

KEPT, EXACT, NEAR = range(3)
_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(32)


class Entries(NamedTuple):
    """What is known of documents: 128-bit keys, signatures, and shingle sets (each empty where it is not used)."""

    keys: Hashes  # n x 2
    signatures: Signatures  # n x (bands * rows)
    shingles: Signatures
    ends: Offsets  # n + 1; document i has shingles[ends[i] : ends[i + 1]]


class Tables(NamedTuple):
    """How kept documents are found: `slots` by key, `heads` and `chains` by band. An entry of 0 is free."""

    slots: Hashes
    heads: Hashes  # bands x room
    chains: Links  # documents x bands


class Policy(NamedTuple):
    """How many rows a band has, and from where on signatures (or, with `sets`, shingle sets) are too similar."""

    rows: int
    threshold: float
    sets: bool


@part
def band_hash(signature: Signatures, band: int, rows: int) -> np.uint64:
    """Hash one band of a signature."""
    value = np.uint64(band + 1)
    for row in range(band * rows, (band + 1) * rows):
        value = rolled(value, np.uint64(signature[row]))
    return mix64(value)


@part
def same_band(one: Signatures, other: Signatures, band: int, rows: int) -> bool:
    """Compare one band of two signatures."""
    row = band * rows
    while row < (band + 1) * rows and one[row] == other[row]:
        row += 1
    return row == (band + 1) * rows


@part
def find_band(heads: Hashes, known: Signatures, signature: Signatures, band: int, rows: int) -> int:
    """Give the place of a band in its table: of its entry, or the free one where it would go."""
    value = band_hash(signature, band, rows)
    mask = np.uint64(len(heads) - 1)
    place = value & mask
    while heads[place] != 0:
        entry = heads[place]
        if entry >> _HIGH == value >> _HIGH and same_band(known[newest(entry)], signature, band, rows):
            break
        place = (place + np.uint64(1)) & mask
    return int(place)


@part
def newest(entry: np.uint64) -> int:
    """Give the document of an entry; -1 for a free one."""
    return int(entry & _LOW) - 1


@part
def find_key(slots: Hashes, known: Hashes, key: Hashes) -> int:
    """Give the place of a 128-bit key: of its entry, or the free one where it would go."""
    mask = np.uint64(len(slots) - 1)
    place = key[0] & mask
    while slots[place] != 0:
        document = newest(slots[place])
        if known[document, 0] == key[0] and known[document, 1] == key[1]:
            break
        place = (place + np.uint64(1)) & mask
    return int(place)


@part
def likeness(known: Entries, other: int, batch: Entries, document: int, policy: Policy) -> float:
    """Give the share of equal slots of two signatures, or the Jaccard similarity of the two shingle sets."""
    if policy.sets:
        one = known.shingles[known.ends[other] : known.ends[other + 1]]
        two = batch.shingles[batch.ends[document] : batch.ends[document + 1]]
        common = shared_values(one, two)
        return common / (len(one) + len(two) - common)
    slots: int = batch.signatures.shape[1]
    equal = 0
    for slot in range(slots):
        equal += int(known.signatures[other, slot] == batch.signatures[document, slot])
    return equal / slots


@part
def shared_values(one: Signatures, two: Signatures) -> int:
    """Count the values that two sorted arrays without repeats share."""
    i = j = common = 0
    while i < len(one) and j < len(two):
        common += int(one[i] == two[j])
        step = one[i] <= two[j]
        j += int(two[j] <= one[i])
        i += int(step)
    return common


@part
def first_shared_band(one: Signatures, two: Signatures, rows: int) -> int:
    """Give the first band that two signatures share."""
    band = 0
    while not same_band(one, two, band, rows):
        band += 1
    return band


@part
def most_alike(
    tables: Tables, known: Entries, batch: Entries, document: int, visible: int, policy: Policy
) -> tuple[int, float]:
    """Give the most similar of the first `visible` kept documents that share a band, and the similarity.

    Among equally similar ones the earliest wins; -1 where none shares a band.
    """
    best, similarity = -1, -1.0
    signature = batch.signatures[document]
    for band in range(len(tables.heads)):
        place = find_band(tables.heads[band], known.signatures, signature, band, policy.rows)
        other = newest(tables.heads[band, place])
        while other >= 0:
            if other < visible and first_shared_band(known.signatures[other], signature, policy.rows) == band:
                found = likeness(known, other, batch, document, policy)
                if found > similarity or (found == similarity and other < best):
                    best, similarity = other, found
            other = tables.chains[other, band]
    return best, similarity


@part
def is_signed(signature: Signatures) -> bool:
    """Tell whether a view had shingles: an empty one leaves every slot at its largest value."""
    slot = 0
    while slot < len(signature) and signature[slot] == EMPTY:
        slot += 1
    return slot < len(signature)


@kernel
def insert(tables: Tables, known: Entries, begin: int, end: int, rows: int) -> None:
    """Enter the kept documents begin to end, which are in `known` already, into the tables."""
    for document in range(begin, end):
        entry = np.uint64(document + 1)
        if len(known.keys):
            tables.slots[find_key(tables.slots, known.keys, known.keys[document])] = entry
        signature = known.signatures[document]
        if not is_signed(signature):
            continue
        for band in range(len(tables.heads)):
            place = find_band(tables.heads[band], known.signatures, signature, band, rows)
            tables.chains[document, band] = newest(tables.heads[band, place])
            tables.heads[band, place] = band_hash(signature, band, rows) >> _HIGH << _HIGH | entry


@part
def append(known: Entries, document: int, batch: Entries, source: int) -> None:
    """Copy a document of a batch to its place among the kept ones.

    Item by item: to assign a slice costs two seconds, once, of compiling the messages of errors that cannot happen.
    """
    for half in range(known.keys.shape[1] if len(known.keys) else 0):
        known.keys[document, half] = batch.keys[source, half]
    for slot in range(known.signatures.shape[1]):
        known.signatures[document, slot] = batch.signatures[source, slot]
    to = known.ends[document]
    for at in range(batch.ends[source], batch.ends[source + 1]):
        known.shingles[to] = batch.shingles[at]
        to += 1
    known.ends[document + 1] = to


@part
def same_entry(known: Entries, document: int, batch: Entries, source: int) -> bool:
    """Tell whether a kept document has the key and the signature of a document of a batch."""
    if len(known.keys) and (
        known.keys[document, 0] != batch.keys[source, 0] or known.keys[document, 1] != batch.keys[source, 1]
    ):
        return False
    slots = batch.signatures.shape[1]
    return same_band(known.signatures[document], batch.signatures[source], 0, slots)


@part
def judge(
    tables: Tables, known: Entries, batch: Entries, document: int, visible: int, policy: Policy
) -> tuple[int, int, float]:
    """Give a document's fate among the first `visible` kept ones, which of them it repeats, and how similar it is."""
    if len(known.keys):
        other = newest(tables.slots[find_key(tables.slots, known.keys, batch.keys[document])])
        if 0 <= other < visible:
            return EXACT, other, 1.0
    if is_signed(batch.signatures[document]):
        other, similarity = most_alike(tables, known, batch, document, visible, policy)
        if other >= 0 and similarity >= policy.threshold:
            return NEAR, other, similarity
    return KEPT, -1, 0.0


@kernel
def settle(
    tables: Tables, known: Entries, batch: Entries, first: int, last: int, policy: Policy
) -> tuple[Classes, Counts, Floats, int]:
    """Judge the documents of a unit in order: fates, survivors, similarities, and the number after its last kept one.

    The unit's kept documents get the numbers from `first` on and are entered at once, so that later documents of the
    unit meet them. With `last` >= 0 the unit comes again: nothing is entered, entries from the current number on are
    invisible, and the result is -1 if the kept documents are not those that were entered as `first` to `last`.
    """
    count = len(batch.ends) - 1
    fates = np.empty(count, np.uint8)
    survivors = np.empty(count, np.int64)
    similarities = np.empty(count, np.float64)
    number = first
    for document in range(count):
        fate, survivor, similarity = judge(tables, known, batch, document, number, policy)
        fates[document], survivors[document], similarities[document] = fate, survivor, similarity
        if fate != KEPT:
            continue
        if last < 0:
            append(known, number, batch, document)
            insert(tables, known, number, number + 1, policy.rows)
        elif number == last or not same_entry(known, number, batch, document):
            return fates, survivors, similarities, -1
        number += 1
    return fates, survivors, similarities, number if last < 0 or number == last else -1
