"""What the first-seen index says of documents that are not entered, or not yet."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Classes, Counts, Floats, Hashes
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.band_index import EXACT, fetch_all, judge, look_up, outranks, print_all
from headrace.stages.kernels.entries import Answers, Entries, Policy
from headrace.stages.kernels.postings import Postings

_AHEAD = 32  # documents whose entries are loaded ahead, as in `settle`


@kernel
def ask(
    postings: Postings,
    known: Entries,
    batch: Entries,
    prior: Answers,
    base: int,
    visible: int,
    policy: Policy,
    masks: Hashes,
) -> tuple[Classes, Counts, Floats]:
    """Say of a unit's documents what the first `visible` kept ones say, and `prior`, as `settle` does; none is kept."""
    size, tables = len(batch.ends) - 1, len(postings.fingerprints)
    fates, survivors, similarities = prior.fates.copy(), prior.survivors.copy(), prior.similarities.copy()
    prints, places = np.empty((_AHEAD, tables), np.uint32), np.empty(tables, np.int64)
    for document in range(size if visible > 0 else 0):
        i = document % _AHEAD
        if i == 0:
            count = min(_AHEAD, size - document)
            print_all(batch, document, document + count, policy, masks, prints)
            fetch_all(postings, prints, count)
        unsigned = 0 if prints[i, 0] else policy.bands
        if fates[document] != EXACT and look_up(postings, prints, i, unsigned, places):
            mine, other, alike = judge(postings, known, batch, document, visible, policy, places)
            if outranks(mine, alike, fates[document], similarities[document]):
                fates[document], survivors[document], similarities[document] = mine, base + other, alike
    return fates, survivors, similarities
