"""Sorted postings: which documents of an immutable file have a band (or a key), by search in its sorted fingerprints.

A table is two arrays: fingerprints in ascending order and, beside each, the row of a document; equal fingerprints stand
in the order of their rows, and documents that have none in this table stand in front, under 0. Fingerprints are those
of `postings`, spread evenly, so their leading bits say where to look: a directory of some 64 of them an entry is all
that is kept in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headrace.schemas.arrays import Classes, Counts, Floats, Hashes, Signatures, read_only
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR, meets, print_all, same_key
from headrace.stages.kernels.entries import Entries, Policy
from headrace.stages.kernels.likeness import likeness

STRIDE = 64  # fingerprints an entry of the directory: 4 cache lines, far less than the page that is read
_PIECE = 1 << 20  # entries merged at a time, at the most: 40 MB that are no mapped memory
_HIGH, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_PRINTS = 1 << 32
Postings = tuple[Signatures, Signatures]  # sorted fingerprints, and the row of each


def frozen(batch: Entries) -> Entries:
    """Give entries that cannot be written: one type for the kernels, wherever they came from."""
    keys, signed, signatures, sets, ends = batch
    return Entries(read_only(keys), read_only(signed), read_only(signatures), read_only(sets), read_only(ends))


@kernel
def fingerprints(batch: Entries, policy: Policy, masks: Hashes) -> Signatures:
    """Give the fingerprints of documents, a row each: of their bands, and of their key; 0 where one has none."""
    count = len(batch.ends) - 1
    prints = np.empty((count, policy.bands + int(policy.exact)), np.uint32)
    print_all(batch, 0, count, policy, masks, prints)
    return prints


def packed(prints: Signatures) -> Hashes:
    """Give for each table (column) all fingerprints, sorted, each with its row behind it in the lower 32 bits."""
    numbered = prints.T.astype(np.uint64) << _HIGH | np.arange(len(prints), dtype=np.uint64)
    return np.sort(numbered, axis=1)


def unpacked(values: Hashes) -> tuple[Signatures, Signatures]:
    """Give the fingerprints and the rows of packed postings."""
    return (values >> _HIGH).astype(np.uint32), (values & _LOW).astype(np.uint32)


def directory_of(prints: Signatures) -> tuple[Signatures, int]:
    """Give for each value of the leading bits the first place of a fingerprint with it, and how far to shift to them.

    The last entry is the end of the table. 0.06 to 0.13 bytes a fingerprint.
    """
    bits = max(0, (len(prints) // STRIDE).bit_length())
    values = np.arange(1 << bits, dtype=np.uint64) << np.uint64(32 - bits)
    places = np.searchsorted(prints, values.astype(np.uint32))
    return read_only(np.append(places, len(prints)).astype(np.uint32)), 32 - bits


@kernel
def find(prints: Signatures, directory: Signatures, shift: int, wanted: Signatures) -> tuple[Counts, Counts]:
    """Give for each wanted fingerprint where those equal to it begin and end; 0 is in no table."""
    begins, ends = np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.int64)
    for i in range(len(wanted)):
        value = wanted[i]
        if value == 0:
            continue
        part = np.int64(np.uint64(value) >> np.uint64(shift))
        begin, end = np.int64(directory[part]), np.int64(directory[part + 1])
        while begin < end:
            middle = (begin + end) >> 1
            if prints[middle] < value:
                begin = middle + 1
            else:
                end = middle
        end = begin
        while end < len(prints) and prints[end] == value:
            end += 1
        begins[i], ends[i] = begin, end
    return begins, ends


@kernel
def verify(
    known: Entries,
    first: int,
    below: int,
    batch: Entries,
    documents: Counts,
    rows: Counts,
    tables: Counts,
    policy: Policy,
    fates: Classes,
    survivors: Counts,
    similarities: Floats,
) -> None:
    """Test pairs that met in a table, and better the answers to the documents by those that hold.

    A pair is a document of a batch and a row of `known`, which is number `first` + row; numbers from `below` on are
    invisible. The tests are those of the index in memory: the key as a whole, the whole band (of which the first that
    two have in common counts), or few enough bits; then the similarity. A pair may come more than once.
    """
    for i in range(len(documents)):
        document, row, table = documents[i], rows[i], tables[i]
        number = first + row
        if number >= below:
            continue
        fate, best, similarity = fates[document], survivors[document], similarities[document]
        if table == policy.bands:
            if same_key(known, row, batch, document) and (fate != EXACT or number < best):
                fates[document], survivors[document], similarities[document] = EXACT, number, 1.0
        elif fate != EXACT:
            least = similarity if fate == NEAR else policy.threshold
            found = likeness(known, row, batch, document, policy, least)
            nearer = found > least or (found == least and (fate == KEPT or number < best))
            if nearer and meets(known.signatures[row], batch.signatures[document], table, policy):
                fates[document], survivors[document], similarities[document] = NEAR, number, found


def merged_pieces(tables: Sequence[Postings], firsts: Counts) -> Iterator[Postings]:
    """Merge one table of several sources, piece by piece; the rows of source i are numbered from `firsts[i]` on.

    Rows without a fingerprint, which stand under 0, are left out. Pieces are cut by value and sorted as packed numbers:
    vector units sort 100 million of them a second, several times what a merge of heads through a heap does, whose every
    step is a branch that nobody foresees. Fingerprints are spread evenly, but for one that many documents share: its
    rows are in order already, and come in slices.
    """
    begins = np.array([np.searchsorted(prints, np.uint32(1)) for prints, _ in tables], np.int64)
    ends = np.array([len(prints) for prints, _ in tables], np.int64)
    yield from _within(tables, firsts, begins, ends, range(1, _PRINTS))


def count_postings(table: Signatures) -> int:
    """Give how many rows of a table have a fingerprint."""
    return len(table) - int(np.searchsorted(table, np.uint32(1)))


def _within(
    tables: Sequence[Postings], firsts: Counts, begins: Counts, ends: Counts, values: range
) -> Iterator[Postings]:
    """Merge what lies in a range of values, which is halved until it is small enough, or a single value."""
    total = int((ends - begins).sum())
    if total <= _PIECE:
        if total:
            yield unpacked(_sorted(tables, firsts, begins, ends))
    elif len(values) > 1:
        half = len(values) // 2
        middle = np.uint32(values[half])
        parts = (prints[begin:end] for (prints, _), begin, end in zip(tables, begins, ends, strict=True))
        cuts = begins + np.array([np.searchsorted(part, middle) for part in parts], np.int64)
        yield from _within(tables, firsts, begins, cuts, values[:half])
        yield from _within(tables, firsts, cuts, ends, values[half:])
    else:
        for (prints, rows), first, begin, end in zip(tables, firsts.astype(np.uint32), begins, ends, strict=True):
            for at in range(begin, end, _PIECE):
                here = slice(at, min(at + _PIECE, end))
                yield prints[here], rows[here] + first


def _sorted(tables: Sequence[Postings], firsts: Counts, begins: Counts, ends: Counts) -> Hashes:
    parts = [
        prints[begin:end].astype(np.uint64) << _HIGH | rows[begin:end] + first
        for (prints, rows), first, begin, end in zip(tables, firsts.astype(np.uint64), begins, ends, strict=True)
        if begin < end
    ]
    return np.sort(np.concatenate(parts))
