"""What each tool says of a set of texts: the pairs that share a band, and how similar it takes them to be.

datasketch, rensa and gaoya have no shingles of their own to speak of: they are given ours, as tokens, so what differs
is the sketch. text-dedup is given the views and cuts them as it does.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from benchmarks import dedup_peers
from benchmarks.dedup_truth import Known, Pairs, alike, equal_pairs
from benchmarks.harness import scratch
from datasketch import MinHash, MinHashLSH

from headrace.schemas.arrays import Offsets
from headrace.stages.deduplication.options import MinHash as Options
from headrace.stages.deduplication.rules import scheme_of
from headrace.stages.deduplication.schemes import Values, signatures
from headrace.stages.deduplication.shingles import Shingles, Shingling
from headrace.stages.deduplication.simhash import simhashes
from headrace.stages.deduplication.verify import estimated
from headrace.stages.kernels.simhash import BITS

_SCRIPT = Path(__file__).parent / "peers" / "text_dedup_signatures.py"
_PYTHON = dedup_peers.ENVIRONMENTS / "dedup" / "bin" / "python"
_TOKEN = 8  # bytes of a shingle's hash


class Said(TypedDict):
    """What text-dedup says: signatures in hexadecimal digits, and the hashes of each text's n-grams."""

    signatures: list[str]
    hashes: list[list[int]]


def ours(known: Known, options: Options, seed: int) -> Pairs:
    """Sign views and give the pairs that the index would look at."""
    scheme = replace(scheme_of(options), seed=seed)
    return banded(signatures(known.data, known.offsets, scheme).values, scheme.bands, scheme.rows)


def banded(values: Values, bands: int, rows: int) -> Pairs:
    """Give the pairs of signatures that have a band in common, and the share of values that they have in common."""
    keys = [values[:, band * rows : (band + 1) * rows] for band in range(bands)]
    numbers = [np.unique(key, axis=0, return_inverse=True)[1].ravel() for key in keys]
    labels = np.concatenate([number + band * len(values) for band, number in enumerate(numbers)])
    members = equal_pairs(labels.astype(np.uint64), np.tile(np.arange(len(values)), bands))
    return Pairs(members, estimated(values, values, members))


def our_fingerprints(known: Known, bits: int, shingling: Shingling) -> Pairs:
    """Give the pairs whose fingerprints differ in at most so many bits, and the share of bits that they share."""
    prints = simhashes(known.data, known.offsets, shingling).values
    apart = [np.bitwise_count(prints[:number] ^ value) for number, value in enumerate(prints)]
    near = [np.flatnonzero(row <= bits) for row in apart]
    members = [(other, number) for number, others in enumerate(near) for other in others.tolist()]
    distances = np.concatenate([row[others] for row, others in zip(apart, near, strict=True)])
    return Pairs(np.array(members, np.int64).reshape(-1, 2), 1 - distances / BITS)


def by_datasketch(known: Known, bands: int, rows: int, seed: int) -> Pairs:
    """Sign by datasketch 2, ask its index for each text, and let the signatures say how similar they are."""
    signed = list(MinHash.bulk(tokens(known.sets), num_perm=bands * rows, seed=seed))
    index = MinHashLSH(num_perm=bands * rows, params=(bands, rows))
    for number, signature in enumerate(signed):
        index.insert(number, signature)
    members = _each_once([index.query(signature) for signature in signed])
    return Pairs(members, np.array([signed[a].jaccard(signed[b]) for a, b in members.tolist()]))


def by_rensa(rensa: Any, known: Known, bands: int, rows: int, seed: int) -> Pairs:  # it has no types
    """Do the same by rensa."""
    signed = rensa.RMinHash.from_token_sets(tokens(known.sets), bands * rows, seed)
    index = rensa.RMinHashLSH(0.5, bands * rows, bands)
    index.insert_many(signed)
    members = _each_once([index.query(signature) for signature in signed])
    return Pairs(members, np.array([signed[a].jaccard(signed[b]) for a, b in members.tolist()]))


def by_gaoya(gaoya: Any, known: Known, bits: int) -> Pairs:  # it has no types
    """Index fingerprints by gaoya; it does not say in how many bits two differ."""
    index = gaoya.simhash.SimHashStringIndex(64, bits + 1, bits, str.split, False, (1, 1))
    texts = [" ".join(token.hex() for token in row) for row in tokens(known.sets)]
    for number, text in enumerate(texts):
        index.insert_document(number, text)
    members = _each_once([index.query(text) for text in texts])
    return Pairs(members, np.ones(len(members)))


def by_text_dedup(known: Known, bands: int, rows: int, seed: int) -> tuple[Pairs, Known] | None:
    """Give the pairs by text-dedup's signatures, and the texts by its own n-grams; None if it is absent."""
    if not text_dedup_release():
        return None
    work = {"texts": known.texts, "bands": bands, "rows": rows, "seed": seed}
    with scratch() as folder:
        path = folder / "texts.json"
        path.write_text(json.dumps(work), encoding="utf-8")
        done = subprocess.run([_PYTHON, _SCRIPT, path], capture_output=True, text=True, check=True)
    said: Said = json.loads(done.stdout.splitlines()[-1])
    values = np.frombuffer(bytes.fromhex("".join(said["signatures"])), np.uint32).reshape(-1, bands * rows)
    sizes = [0, *(len(row) for row in said["hashes"])]
    sets = Shingles(np.array([value for row in said["hashes"] for value in row], np.uint64), np.cumsum(sizes))
    return banded(values, bands, rows), replace(known, sets=sets, pairs=alike(sets), given=None)


def text_dedup_release() -> str | None:
    """Give the release of text-dedup that is installed."""
    return dedup_peers.versions().get("text-dedup")


def tokens(sets: Shingles) -> list[list[bytes]]:
    """Give the shingles of each text as a peer's tokens: the eight bytes of their hashes."""
    raw, ends = sets.values.tobytes(), (_TOKEN * sets.ends).tolist()
    rows = [raw[begin:end] for begin, end in itertools.pairwise(ends)]
    return [[row[at : at + _TOKEN] for at in range(0, len(row), _TOKEN)] for row in rows]


def _each_once(found: Sequence[Sequence[int]]) -> Offsets:
    """Give the pairs of texts and what was found for them, each once and none with itself."""
    pairs = {(min(a, b), max(a, b)) for a, others in enumerate(found) for b in others if a != b}
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)
