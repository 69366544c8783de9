"""Radicals and compatibility forms that stand for ordinary characters: what a PDF's font table left of them."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, CodePoints, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.repair_tables import CONTEXT, RADICAL
from headrace.stages.kernels.utf8 import decode, encode, width

_LISTED = 2  # a document lists radicals if this many follow each other in the order of the standard ...
_LISTED_SHARE = 2  # ... and they are at least one in this many of its radicals


@kernel
def replace_look_alikes(
    data: Bytes, offsets: Offsets, forms: CodePoints, kinds: Classes
) -> tuple[Bytes, Offsets, Counts]:
    """Give the documents with `forms` (0 = none) in place of look-alikes, and how many each had.

    A radical is replaced beside Chinese text alone, and not in a document that lists radicals.
    """
    out = np.empty(offsets[-1] - offsets[0] + growth(data, offsets, forms), np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    counts = np.zeros(len(offsets) - 1, np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        listed = lists_radicals(data, at, end, kinds)
        before = 0
        while at < end:
            point, at = decode(data, at)
            form = forms[point]
            kind = kinds[point]
            if form and (
                kind != RADICAL or (not listed and (before >= CONTEXT or context_follows(data, at, end, kinds)))
            ):
                point = int(form)
                counts[document] += 1
            before = kind
            to = encode(out, to, point)
        ends[document + 1] = to
    return out[:to], ends, counts


@part
def context_follows(data: Bytes, at: int, end: int, kinds: Classes) -> bool:
    """Tell whether Chinese text follows at once."""
    return at < end and kinds[decode(data, at)[0]] >= CONTEXT


@part
def lists_radicals(data: Bytes, at: int, end: int, kinds: Classes) -> bool:
    """Tell whether the radicals of a document stand in the order of the standard: a table of radicals, or a part."""
    radicals = ascents = before = 0
    while at < end:
        point, at = decode(data, at)
        if kinds[point] == RADICAL:
            radicals += 1
            ascents += int(point == before + 1)
            before = point
    return ascents >= _LISTED and ascents * _LISTED_SHARE >= radicals


@part
def growth(data: Bytes, offsets: Offsets, forms: CodePoints) -> int:
    """Give by how many bytes all documents grow at most: some forms lie outside the first plane."""
    more = 0
    for document in range(len(offsets) - 1):
        at = offsets[document]
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            more += max(0, width(int(forms[point])) - width(point))
    return more
