"""The first-seen index: settle documents in order against the kept ones, exactly as a query-then-insert loop would.

A kept document is a number, counted up in order of arrival. Its bands and its key are found in `postings`, by
fingerprints; the bands and keys themselves are compared, so two never meet by their hash alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.stages.kernels.arrays import Classes, Counts, Floats, Hashes, Offsets, Signatures
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.minhash import EMPTY
from headrace.stages.kernels.mixing import mix64
from headrace.stages.kernels.postings import (
    Postings,
    bucket_of,
    document_of,
    enter,
    fetch_ahead,
    fingerprint,
    newest,
)

KEPT, EXACT, NEAR = range(3)
_AHEAD = 32  # documents whose entries are loaded ahead: 15 tables of two cache lines each fill an inner cache


class Entries(NamedTuple):
    """What is known of documents: 128-bit keys, signatures, and shingle sets (each empty where it is not used)."""

    keys: Hashes  # n x 2
    signatures: Signatures  # n x (bands * rows)
    shingles: Signatures
    ends: Offsets  # n + 1; document i has shingles[ends[i] : ends[i + 1]]


class Policy(NamedTuple):
    """What decides: keys, bands of how many rows, and from where on signatures (or sets) are too similar."""

    exact: bool
    bands: int
    rows: int
    threshold: float
    sets: bool


@part
def slot_factors(slots: int) -> Hashes:
    """Give an odd factor for each slot of a signature."""
    factors = np.empty(slots, np.uint64)
    for slot in range(slots):
        factors[slot] = mix64(np.uint64(slot + 1)) | np.uint64(1)
    return factors


@part
def print_all(batch: Entries, begin: int, end: int, policy: Policy, factors: Hashes, prints: Signatures) -> None:
    """Fingerprint the bands of documents, and behind these their keys; 0 where a document has none.

    Bands are hashed by multilinear hashing (Lemire and Kaser 2014, arXiv 1202.4961): the upper half of the sum is
    even, and one multiplication a slot is all.
    """
    for document in range(begin, end):
        to, signature = prints[document - begin], batch.signatures[document]
        signed = is_signed(signature)
        for band in range(policy.bands):
            value = np.uint64(0)
            for slot in range(band * policy.rows, (band + 1) * policy.rows):
                value += factors[slot] * np.uint64(signature[slot])
            to[band] = fingerprint(value) if signed else np.uint32(0)
        if policy.exact:
            to[policy.bands] = fingerprint(batch.keys[document, 0])


@part
def fetch_all(postings: Postings, prints: Signatures, count: int) -> None:
    """Begin to load the entries of some documents, table by table: a table's pages stay known that long."""
    for table in range(prints.shape[1]):
        for document in range(count):
            fetch_ahead(postings, table, prints[document, table])


@part
def look_up(postings: Postings, prints: Signatures, begins: Counts) -> bool:
    """Find the bucket of each fingerprint of a document, negative and less one where it is new; is any known?"""
    known = False
    for table in range(len(prints)):
        if prints[table] != 0:
            begin, found = bucket_of(postings.fingerprints[table], prints[table])
            begins[table] = begin if found else -1 - begin
            known |= found
        else:
            begins[table] = -1
    return known


@part
def enter_all(postings: Postings, prints: Signatures, begins: Counts, document: int) -> None:
    """Enter a document where it was looked up."""
    for table in range(len(prints)):
        if prints[table] != 0:
            begin = begins[table]
            found = begin >= 0
            enter(postings, table, begin if found else -1 - begin, found, prints[table], document)


@part
def same_band(one: Signatures, other: Signatures, band: int, rows: int) -> bool:
    """Compare one band of two signatures."""
    row = band * rows
    while row < (band + 1) * rows and one[row] == other[row]:
        row += 1
    return row == (band + 1) * rows


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
def first_shared_band(one: Signatures, two: Signatures, policy: Policy) -> int:
    """Give the first band that two signatures share, or how many there are."""
    band = 0
    while band < policy.bands and not same_band(one, two, band, policy.rows):
        band += 1
    return band


@part
def most_alike(
    postings: Postings,
    known: Entries,
    batch: Entries,
    document: int,
    visible: int,
    policy: Policy,
    prints: Signatures,
    begins: Counts,
) -> tuple[int, float]:
    """Give the most similar of the first `visible` kept documents that share a band, and the similarity.

    Among equally similar ones the earliest wins; -1 where none shares a band. Each is measured where it is first met.
    No two kept documents have equal signatures, unless sets decide, so after an equal one none is looked for.
    """
    best, similarity = -1, -1.0
    signature = batch.signatures[document]
    for band in range(policy.bands):
        more = begins[band] >= 0 and prints[band] != 0 and (policy.sets or similarity < 1.0)
        held = newest(postings, band, begins[band], prints[band]) if more else np.uint32(0)
        while more:
            other, held, more = document_of(postings, held)
            if other < visible and first_shared_band(known.signatures[other], signature, policy) == band:
                found = likeness(known, other, batch, document, policy)
                if found > similarity or (found == similarity and other < best):
                    best, similarity = other, found
    return best, similarity


@part
def same_key(
    postings: Postings, known: Entries, key: Hashes, visible: int, table: int, begin: int, wanted: np.uint32
) -> int:
    """Give the one of the first `visible` kept documents that has a key; -1 if there is none."""
    more = begin >= 0
    held = newest(postings, table, begin, wanted) if more else np.uint32(0)
    while more:
        other, held, more = document_of(postings, held)
        if other < visible and known.keys[other, 0] == key[0] and known.keys[other, 1] == key[1]:
            return other
    return -1


@part
def is_signed(signature: Signatures) -> bool:
    """Tell whether a view had shingles: an empty one leaves every slot at its largest value."""
    slot = 0
    while slot < len(signature) and signature[slot] == EMPTY:
        slot += 1
    return slot < len(signature)


@kernel
def insert(postings: Postings, known: Entries, begin: int, end: int, policy: Policy) -> None:
    """Enter the kept documents begin to end, which are in `known` already."""
    tables = len(postings.fingerprints)
    prints, begins = np.empty((_AHEAD, tables), np.uint32), np.empty(tables, np.int64)
    factors = slot_factors(known.signatures.shape[1])
    for first in range(begin, end, _AHEAD):
        count = min(_AHEAD, end - first)
        print_all(known, first, first + count, policy, factors, prints)
        fetch_all(postings, prints, count)
        for i in range(count):
            look_up(postings, prints[i], begins)
            enter_all(postings, prints[i], begins, first + i)


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
    postings: Postings,
    known: Entries,
    batch: Entries,
    document: int,
    visible: int,
    policy: Policy,
    prints: Signatures,
    begins: Counts,
) -> tuple[int, int, float]:
    """Give a document's fate among the first `visible` kept ones, which of them it repeats, and how similar it is."""
    if not look_up(postings, prints, begins):
        return KEPT, -1, 0.0
    if policy.exact:
        table = policy.bands
        key = batch.keys[document]
        other = same_key(postings, known, key, visible, table, begins[table], prints[table])
        if other >= 0:
            return EXACT, other, 1.0
    other, similarity = most_alike(postings, known, batch, document, visible, policy, prints, begins)
    if other >= 0 and similarity >= policy.threshold:
        return NEAR, other, similarity
    return KEPT, -1, 0.0


@kernel
def settle(
    postings: Postings, known: Entries, batch: Entries, first: int, last: int, policy: Policy
) -> tuple[Classes, Counts, Floats, int]:
    """Judge the documents of a unit in order: fates, survivors, similarities, and the number after its last kept one.

    The unit's kept documents get the numbers from `first` on and are entered at once, so that later documents of the
    unit meet them. With `last` >= 0 the unit comes again: nothing is entered, entries from the current number on are
    invisible, and the result is -1 if the kept documents are not those that were entered as `first` to `last`.
    """
    size, tables = len(batch.ends) - 1, len(postings.fingerprints)
    fates, survivors, similarities = np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.float64)
    prints, begins = np.empty((_AHEAD, tables), np.uint32), np.empty(tables, np.int64)
    factors = slot_factors(batch.signatures.shape[1])
    number = first
    for document in range(size):
        i = document % _AHEAD
        if i == 0:
            count = min(_AHEAD, size - document)
            print_all(batch, document, document + count, policy, factors, prints)
            fetch_all(postings, prints, count)
        found = judge(postings, known, batch, document, number, policy, prints[i], begins)
        fates[document], survivors[document], similarities[document] = found
        if found[0] != KEPT:
            continue
        if last < 0:
            append(known, number, batch, document)
            enter_all(postings, prints[i], begins, number)
        elif number == last or not same_entry(known, number, batch, document):
            return fates, survivors, similarities, -1
        number += 1
    return fates, survivors, similarities, number if last < 0 or number == last else -1
