"""How many bytes a document an index takes: what the process grows by, less what it keeps a copy of to verify by.

Usage: python -m benchmarks.dedup_memory headrace|rensa DOCUMENTS. No document repeats another one.
"""

from __future__ import annotations

import gc
import sys

import numpy as np
import psutil
from benchmarks import dedup_peers
from benchmarks.dedup_peers import BANDS, ROWS

from headrace.schemas.arrays import Signatures
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.kernels.entries import Entries

_FEW = 4
_WORDS = 33  # of a sketch of 2,048 bits


def entries(signed: Signatures) -> Entries:
    """Give hashes of bands and sketches of a thousand shingles as the index takes them."""
    ones, ends = np.ones(len(signed), np.bool_), np.arange(len(signed) + 1) * _WORDS
    sketches = np.random.default_rng(2).integers(0, 1 << 64, (len(signed), _WORDS), np.uint64)
    sketches[:, 0] = 1000
    return Entries(np.zeros((0, 2), np.uint64), ones, signed, sketches.ravel(), ends)


def headrace(signed: Signatures) -> tuple[object, int]:
    """Index documents; give the index and the bytes of bands and sketches in it."""
    rules = Dedup(exact=False).rules
    made = entries(signed[:, : rules.pieces].copy())
    FirstSeenIndex(rules).settle(entries(made.signatures[:2].copy()))  # compiles
    before = resident()
    index = FirstSeenIndex(rules)
    index.settle(made)
    return (index, made), before + made.signatures.nbytes + made.sets.nbytes  # what is let go here would count as less


def rensa(signed: Signatures) -> tuple[object, int]:
    """Index as many signatures of rensa's own, of a few hashes each, lest memory of theirs is used again unseen."""
    package = dedup_peers.peers().rensa
    hashes = signed[:, :_FEW].astype(np.uint64).ravel()
    matrix = dedup_peers.rensa_matrix(package, hashes, np.arange(len(signed) + 1) * _FEW)
    before = resident()
    return dedup_peers.rensa_index(package, matrix)[0], before


def resident() -> int:
    """Give the bytes of this process that are in memory."""
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def main() -> None:
    """Index and print the bytes a document."""
    signed = np.random.default_rng(1).integers(0, 1 << 32, (int(sys.argv[2]), BANDS * ROWS), np.uint32)
    index, before = {"headrace": headrace, "rensa": rensa}[sys.argv[1]](signed)
    print((resident() - before) / len(signed))
    del index


if __name__ == "__main__":
    main()
