"""The first-seen index: settle documents in order against the kept ones, exactly as a query-then-insert loop would.

A kept document is a number, counted up in order of arrival. Its bands and its key are found in `postings`, by
fingerprints; the bands and keys themselves are compared, so two never meet by their hash alone.

Signatures are of MinHash or SimHash, in pieces of 32 bits. A band of MinHash is some slots in a row, one of SimHash
the bits under a mask: two fingerprints of 64 bits that differ in few enough have one such band in common.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Classes, Counts, Floats, Hashes, Signatures
from headrace.schemas.compiled import inlined, kernel, lean, part
from headrace.schemas.lanes import prefetch
from headrace.stages.kernels.entries import SIGNATURE, Answers, Entries, Policy
from headrace.stages.kernels.likeness import likeness, same_band, whole
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.postings import (
    Postings,
    document_of,
    enter_again,
    fingerprint,
    home,
    place_of,
)
from headrace.stages.kernels.simhash import differing_bits

KEPT, EXACT, NEAR = range(3)
_AHEAD = 32  # documents whose entries are loaded ahead: 15 tables of two cache lines each fill an inner cache


@part
def print_all(batch: Entries, begin: int, end: int, policy: Policy, masks: Hashes, prints: Signatures) -> None:
    """Fingerprint the bands of documents, and behind these their keys; 0 where a document has none."""
    signed, signatures = batch.signed, batch.signatures
    for document in range(begin, end):
        row = document - begin
        for band in range(policy.bands):
            value = np.uint64(band + 1)
            if policy.bits:
                value = whole(signatures[document]) & masks[band]
            for slot in range(band * policy.rows, (band + 1) * policy.rows):
                value = rolled(value, np.uint64(signatures[document, slot]))
            prints[row, band] = fingerprint(mix64(value)) if signed[document] else np.uint32(0)
        if policy.exact:
            prints[row, policy.bands] = fingerprint(batch.keys[document, 0])


@part
def fetch_all(postings: Postings, prints: Signatures, count: int) -> None:
    """Begin to load the entries of some documents, table by table: a table's pages stay known that long."""
    room = postings.fingerprints.shape[1]
    for table in range(prints.shape[1]):
        for document in range(count):
            place = home(room, prints[document, table])
            prefetch(postings.fingerprints, table, place)
            prefetch(postings.numbers, table, place)


@inlined
def look_up(postings: Postings, prints: Signatures, row: int, unsigned: int, places: Counts) -> bool:
    """Find the places of a document's fingerprints, as `place_of` gives them; is any known? The first may be left out.

    One that is left out is given a place as if it were new.
    """
    known = False
    for table in range(unsigned):
        places[table] = -1
    for table in range(unsigned, prints.shape[1]):
        places[table] = place_of(postings.fingerprints, table, prints[row, table])
        known |= places[table] >= 0
    return known


@part
def enter_all(postings: Postings, prints: Signatures, row: int, unsigned: int, places: Counts, document: int) -> None:
    """Enter a document where it was looked up."""
    fingerprints, numbers = postings.fingerprints, postings.numbers  # as attributes they would be counted in the loop
    for table in range(unsigned, prints.shape[1]):
        place = places[table]
        if place < 0:
            fingerprints[table, -1 - place] = prints[row, table]
            numbers[table, -1 - place] = document
    for table in range(unsigned, prints.shape[1]):
        if places[table] >= 0:
            enter_again(postings, table, places[table], document)


@lean
def first_shared_band(one: Signatures, two: Signatures, policy: Policy) -> int:
    """Give the first band that two signatures share, or how many there are."""
    band = 0
    while band < policy.bands and not same_band(one, two, band, policy.rows):
        band += 1
    return band


@lean
def meets(one: Signatures, two: Signatures, band: int, policy: Policy) -> bool:
    """Tell whether two signatures that were found together in a band are near enough, or share it as their first."""
    if policy.bits:
        return differing_bits(whole(one), whole(two)) <= policy.bits
    return first_shared_band(one, two, policy) == band


@lean
def most_alike(
    postings: Postings,
    known: Entries,
    batch: Entries,
    document: int,
    visible: int,
    policy: Policy,
    places: Counts,
) -> tuple[int, float]:
    """Give the most similar of the first `visible` kept documents that share a band, and the similarity.

    Among equally similar ones the earliest wins; -1 where none is as similar as the threshold. Likeness is measured
    before it is asked whether one `meets`: that ends early where two are unlike. No two kept documents have equal
    signatures, unless these do not decide, so after an equal one none is looked for.
    """
    best, least = -1, policy.threshold
    signature = batch.signatures[document]
    for band in range(policy.bands):
        more = places[band] >= 0 and (policy.by != SIGNATURE or best < 0 or least < 1.0)
        held = postings.numbers[band, max(places[band], 0)]
        while more:
            other, held, more = document_of(postings, held)
            if other < visible and other != best:
                found = likeness(known, other, batch, document, policy, least)
                nearer = found > least or (found == least and (best < 0 or other < best))
                if nearer and meets(known.signatures[other], signature, band, policy):
                    best, least = other, found
    return best, least


@lean
def same_key(known: Entries, document: int, batch: Entries, source: int) -> bool:
    """Tell whether a kept document has the key of a document of a batch."""
    one, two = known.keys, batch.keys
    same: bool = one[document, 0] == two[source, 0] and one[document, 1] == two[source, 1]
    return same


@lean
def with_key(postings: Postings, known: Entries, batch: Entries, document: int, visible: int, places: Counts) -> int:
    """Give the one of the first `visible` kept documents that has a document's key; -1 if there is none."""
    table = len(places) - 1
    more = places[table] >= 0
    held = postings.numbers[table, max(places[table], 0)]
    while more:
        other, held, more = document_of(postings, held)
        if other < visible and same_key(known, other, batch, document):
            return other
    return -1


@kernel
def insert(postings: Postings, known: Entries, begin: int, end: int, policy: Policy, masks: Hashes) -> None:
    """Enter the kept documents begin to end, which are in `known` already."""
    tables = len(postings.fingerprints)
    prints, places = np.empty((_AHEAD, tables), np.uint32), np.empty(tables, np.int64)
    for first in range(begin, end, _AHEAD):
        count = min(_AHEAD, end - first)
        print_all(known, first, first + count, policy, masks, prints)
        fetch_all(postings, prints, count)
        for i in range(count):
            unsigned = 0 if prints[i, 0] else policy.bands
            look_up(postings, prints, i, unsigned, places)
            enter_all(postings, prints, i, unsigned, places, first + i)


@part
def append(known: Entries, document: int, batch: Entries, source: int) -> None:
    """Copy a document of a batch to its place among the kept ones.

    Item by item: to assign a slice costs two seconds, once, of compiling the messages of errors that cannot happen.
    """
    for half in range(known.keys.shape[1] if len(known.keys) else 0):
        known.keys[document, half] = batch.keys[source, half]
    known.signed[document] = batch.signed[source]
    for slot in range(known.signatures.shape[1]):
        known.signatures[document, slot] = batch.signatures[source, slot]
    to = known.ends[document]
    for at in range(batch.ends[source], batch.ends[source + 1]):
        known.sets[to] = batch.sets[at]
        to += 1
    known.ends[document + 1] = to


@part
def same_entry(known: Entries, document: int, batch: Entries, source: int) -> bool:
    """Tell whether a kept document has the key and the signature of a document of a batch."""
    if len(known.keys) and not same_key(known, document, batch, source):
        return False
    if known.signed[document] != batch.signed[source]:
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
    places: Counts,
) -> tuple[int, int, float]:
    """Give a document's fate among the first `visible` kept ones, which of them it repeats, and how similar it is."""
    if policy.exact:
        other = with_key(postings, known, batch, document, visible, places)
        if other >= 0:
            return EXACT, other, 1.0
    other, similarity = most_alike(postings, known, batch, document, visible, policy, places)
    if other >= 0:
        return NEAR, other, similarity
    return KEPT, -1, 0.0


@part
def outranks(fate: int, similarity: float, other: int, others: float) -> bool:
    """Tell whether an answer counts more than that of earlier documents: equal before near, then the more similar."""
    return fate == EXACT or (fate == NEAR and (other == KEPT or similarity > others))


@kernel
def settle(
    postings: Postings,
    known: Entries,
    batch: Entries,
    prior: Answers,
    base: int,
    first: int,
    last: int,
    policy: Policy,
    masks: Hashes,
) -> tuple[Classes, Counts, Floats, int]:
    """Judge the documents of a unit in order: fates, survivors, similarities, and the place after its last kept one.

    `masks` are those of SimHash's bands. `prior` says what documents before the number `base` say of the unit; the
    document at place p here has the number `base` + p. Of two answers the one counts that one index of all would give.

    The unit's kept documents get the places from `first` on and are entered at once, so that later documents of the
    unit meet them. With `last` >= 0 the unit comes again: nothing is entered, entries from the current place on are
    invisible, and the result is -1 if the kept documents are not those that were entered as `first` to `last`.
    """
    size, tables = len(batch.ends) - 1, len(postings.fingerprints)
    fates, survivors, similarities = np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.float64)
    prints, places = np.empty((_AHEAD, tables), np.uint32), np.empty(tables, np.int64)
    number = first
    for document in range(size):
        i = document % _AHEAD
        if i == 0:
            count = min(_AHEAD, size - document)
            print_all(batch, document, document + count, policy, masks, prints)
            fetch_all(postings, prints, count)
        fate, survivor = int(prior.fates[document]), int(prior.survivors[document])
        similarity = float(prior.similarities[document])
        unsigned = 0 if prints[i, 0] else policy.bands
        if fate != EXACT and look_up(postings, prints, i, unsigned, places):
            mine, other, alike = judge(postings, known, batch, document, number, policy, places)
            if outranks(mine, alike, fate, similarity):
                fate, survivor, similarity = mine, base + other, alike
        fates[document], survivors[document], similarities[document] = fate, survivor, similarity
        if fate != KEPT:
            continue
        if last < 0:
            append(known, number, batch, document)
            enter_all(postings, prints, i, unsigned, places, number)
        elif number == last or not same_entry(known, number, batch, document):
            return fates, survivors, similarities, -1
        number += 1
    return fates, survivors, similarities, number if last < 0 or number == last else -1
