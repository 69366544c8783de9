"""The first-seen index beside its plain twin: the verdicts of ask, verify and insert, whatever the input."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.deduplication.index import FirstSeenIndex, Rules
from headrace.stages.kernels.arrays import Hashes, Signatures
from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR, Entries, Policy
from headrace.stages.kernels.minhash import EMPTY
from headrace.stages.kernels.plain_band_index import Document, Fate, first_seen
from headrace.stages.kernels.plain_signatures import mix64
from headrace.stages.kernels.postings import BUCKET

BANDS, ROWS = 3, 2
SLOTS = BANDS * ROWS
POLICIES = {
    "near": Policy(False, BANDS, ROWS, 0.6, sets=False),
    "both": Policy(True, BANDS, ROWS, 0.6, sets=False),
    "never near": Policy(True, BANDS, ROWS, 1.0, sets=False),
    "any band": Policy(False, BANDS, ROWS, 1e-9, sets=False),
    "sets": Policy(True, BANDS, ROWS, 0.5, sets=True),
    "keys alone": Policy(True, 0, 0, 1.0, sets=False),
}


def entries(documents: Sequence[Document], policy: Policy) -> Entries:
    """Give documents as the kernel takes them."""
    keys = np.array([d.key for d in documents] if policy.exact else [], np.uint64).reshape(-1, 2)
    slots = policy.bands * policy.rows
    signatures = np.array([d.signature[:slots] for d in documents], np.uint32).reshape(len(documents), slots)
    sets = [sorted(d.shingles) if policy.sets else [] for d in documents]
    ends = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Entries(keys, signatures, np.array([v for values in sets for v in values], np.uint32), ends)


def opened(policy: Policy) -> FirstSeenIndex:
    return FirstSeenIndex(Rules(policy.exact, policy.bands, policy.rows, policy.threshold, policy.sets))


def settled(documents: Sequence[Document], policy: Policy, size: int) -> list[Fate]:
    """Give the verdicts of the index over units of a size; each unit comes again at once, and once more at the end."""
    index, found, units = opened(policy), [], []
    for begin in range(0, len(documents), size):
        unit, first = entries(documents[begin : begin + size], policy), index.count
        fates = index.settle(unit)
        units.append((unit, first, index.count, fates))
        found += zip(fates.fates.tolist(), fates.survivors.tolist(), fates.similarities.tolist(), strict=True)
    for unit, first, last, fates in units:
        again = index.settle_again(unit, first, last)
        assert again is not None
        assert again.survivors.tolist() == fates.survivors.tolist()
        assert again.similarities.tolist() == fates.similarities.tolist()
    return found


values = st.one_of(st.integers(0, 2), st.just(int(EMPTY)))
documents = st.builds(
    Document,
    st.tuples(st.integers(0, 2), st.integers(0, 3)),
    st.one_of(st.tuples(*[values] * SLOTS), st.just((int(EMPTY),) * SLOTS)),
    st.frozensets(st.integers(0, 4), min_size=1),
)


@pytest.mark.parametrize("name", POLICIES)
@given(batch=st.lists(documents, max_size=60), size=st.integers(1, 50))
@settings(max_examples=80, deadline=None)
def test_verdicts_are_those_of_the_plain_twin(name: str, batch: list[Document], size: int) -> None:
    """Few values, so that nearly all documents meet in some band, by chance as well as by likeness."""
    policy = POLICIES[name]
    assert settled(batch, policy, size) == first_seen([_cut(d, policy) for d in batch], policy)


def _cut(document: Document, policy: Policy) -> Document:
    return document._replace(signature=document.signature[: policy.bands * policy.rows])


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("size", [7, 1500])
def test_tables_that_grow_change_no_verdict(name: str, size: int) -> None:
    """Three thousand documents, a third of them changed copies: the tables start at a thousand and grow."""
    chance, made = random.Random(name), []
    for _ in range(3000):
        fresh = _random_document(chance)
        if made and chance.random() < 0.33:
            one = chance.choice(made)
            signature = tuple(v if chance.random() < 0.9 else chance.getrandbits(32) for v in one.signature)
            key = one.key if chance.random() < 0.5 else fresh.key
            fresh = Document(key, signature, one.shingles | {chance.randrange(99)})
        made.append(fresh)
    policy = POLICIES[name]
    assert settled(made, policy, size) == first_seen([_cut(d, policy) for d in made], policy)


def _random_document(chance: random.Random) -> Document:
    signature = tuple(chance.getrandbits(32) for _ in range(SLOTS))
    return Document((chance.getrandbits(64), 1), signature, frozenset(chance.sample(range(99), 9)))


def test_all_equal_documents_leave_one() -> None:
    """Every other one names the first."""
    one = _random_document(random.Random(1))
    assert settled([one] * 200, POLICIES["near"], 64) == [(KEPT, -1, 0.0)] + [(NEAR, 0, 1.0)] * 199
    assert settled([one] * 200, POLICIES["both"], 64) == [(KEPT, -1, 0.0)] + [(EXACT, 0, 1.0)] * 199


def test_unlike_documents_with_a_common_band_are_all_kept() -> None:
    """They stand before a real repeat in the postings of that band: it is found behind all of them, and named."""
    chance = random.Random(2)
    same = (5, 6)
    made = [d._replace(signature=same + d.signature[2:]) for d in (_random_document(chance) for _ in range(300))]
    repeat = made[7]._replace(signature=(*made[7].signature[:-1], 1))
    found = settled([*made, repeat], POLICIES["near"], 100)
    assert found[:-1] == [(KEPT, -1, 0.0)] * 300
    assert found[-1] == (NEAR, 7, 5 / 6)


def one_band_prints(signatures: Signatures) -> Hashes:
    """Give the fingerprints of the first band, as the index has them."""
    value = np.ones(len(signatures), np.uint64)
    for column in signatures.T.astype(np.uint64):
        value = value * np.uint64(0x9E3779B97F4A7C15) + column
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> np.uint64(33)) * np.uint64(factor)
    assert int((value ^ value >> np.uint64(33))[0]) == mix64(_rolled(signatures[0].tolist()))
    return (value ^ value >> np.uint64(33)) >> np.uint64(32)


def _rolled(band: list[int]) -> int:
    value = 1
    for slot in band:
        value = (value * 0x9E3779B97F4A7C15 + slot) % (1 << 64)
    return value


def test_bands_whose_fingerprints_are_equal_do_not_meet() -> None:
    """Among 400,000 bands some twenty pairs have equal fingerprints; any band in common would be a repeat here."""
    signatures = np.random.default_rng(3).integers(0, 1 << 32, (400_000, 4), np.uint32)
    prints = one_band_prints(signatures)
    order = np.argsort(prints, kind="stable")
    twins = np.flatnonzero(np.diff(prints[order]) == 0)
    assert len(twins) >= 5
    pairs = signatures[np.stack((order[twins], order[twins + 1]), axis=1).ravel()]
    _all_kept_then_all_found(pairs)


@pytest.mark.parametrize("part", ["first", "last"])
def test_a_crowd_in_one_bucket_goes_on_to_the_next(part: str) -> None:
    """Many more fingerprints than a bucket holds have their home in one; behind the last bucket comes the first."""
    signatures = np.random.default_rng(4).integers(0, 1 << 32, (100_000, 4), np.uint32)
    order = np.argsort(one_band_prints(signatures))
    _all_kept_then_all_found(signatures[order[:400] if part == "first" else order[-400:]])


def _all_kept_then_all_found(signatures: Signatures) -> None:
    policy = Policy(False, 1, 4, 1e-9, sets=False)
    made = [Document((0, 0), tuple(row), frozenset()) for row in signatures.tolist()]
    found = settled(made + made, policy, 5 * BUCKET)
    assert found[: len(made)] == [(KEPT, -1, 0.0)] * len(made)
    assert found[len(made) :] == [(NEAR, number, 1.0) for number in range(len(made))]
