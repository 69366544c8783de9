"""The first-seen index beside its plain twin: the verdicts of ask, verify and insert, whatever the input."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence, Set

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import Hashes, Signatures
from headrace.schemas.compiled import kernel
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.options import SimHash
from headrace.stages.deduplication.rules import Rules, rules_of
from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR
from headrace.stages.kernels.entries import SETS, SIGNATURE, SKETCH, Entries, Policy
from headrace.stages.kernels.likeness import likeness
from headrace.stages.kernels.plain_band_index import Document, Fate, fate_among, first_seen
from headrace.stages.kernels.plain_band_index import likeness as plain_likeness
from headrace.stages.kernels.plain_odd_sketch import sketch_of
from headrace.stages.kernels.plain_signatures import mix64
from headrace.stages.kernels.postings import BUCKET
from headrace.stages.kernels.sorted_postings import frozen

BANDS, ROWS = 3, 2
SLOTS = BANDS * ROWS
EMPTY = 0xFFFFFFFF  # the value of each slot where there are no shingles, and of some where there are
RULES = {
    "near": Rules(False, BANDS, ROWS, SLOTS, threshold=0.6),
    "both": Rules(True, BANDS, ROWS, SLOTS, threshold=0.6),
    "never near": Rules(True, BANDS, ROWS, SLOTS, threshold=1.0),
    "any band": Rules(False, BANDS, ROWS, SLOTS, threshold=1e-9),
    "values behind the bands": Rules(True, 2, 2, SLOTS, threshold=0.5),
    "wide values": Rules(True, BANDS, 1, BANDS, width=2, threshold=0.6),
    "sets": Rules(True, BANDS, ROWS, SLOTS, threshold=0.5, by=SETS),
    "sketches": Rules(True, BANDS, 1, BANDS, width=2, threshold=0.5, by=SKETCH),
    "fingerprints": rules_of(SimHash(), "signature", exact=True),
    "fingerprints, 6 bits": rules_of(SimHash(bits=6), "signature", exact=False),
    "fingerprints, sets": rules_of(SimHash(bits=4, threshold=0.5), "exact", exact=False),
    "fingerprints, sketches": rules_of(SimHash(bits=4, threshold=0.5), "sketch", exact=False),
    "keys alone": Rules(True),
}


def entries(documents: Sequence[Document], rules: Rules) -> Entries:
    """Give documents as the kernel takes them."""
    keys = np.array([d.key for d in documents] if rules.exact else [], np.uint64).reshape(-1, 2)
    signed = np.array([d.signed for d in documents], np.bool_)
    signatures = np.array([d.signature for d in documents], np.uint32).reshape(len(documents), rules.pieces)
    give: dict[int, Callable[[Set[int]], list[int]]] = {SIGNATURE: lambda _: [], SKETCH: sketch_of, SETS: sorted}
    sets = [give[rules.by](d.shingles) for d in documents]
    ends = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Entries(keys, signed, signatures, np.array([v for values in sets for v in values], np.uint64), ends)


def settled(documents: Sequence[Document], rules: Rules, size: int) -> list[Fate]:
    """Give the verdicts of the index over units of a size; each unit comes again at once, and once more at the end."""
    index, found, units = FirstSeenIndex(rules), [], []
    for begin in range(0, len(documents), size):
        unit, first = entries(documents[begin : begin + size], rules), index.count
        fates = index.settle(unit)
        units.append((unit, first, index.count, fates))
        found += zip(fates.fates.tolist(), fates.survivors.tolist(), fates.similarities.tolist(), strict=True)
    for unit, first, last, fates in units:
        again = index.settle_again(unit, first, last)
        assert again is not None
        assert again.survivors.tolist() == fates.survivors.tolist()
        assert again.similarities.tolist() == fates.similarities.tolist()
    return found


values = st.one_of(st.integers(0, 2), st.just(EMPTY))
documents = st.builds(
    Document,
    st.tuples(st.integers(0, 2), st.integers(0, 3)),
    st.booleans(),
    st.one_of(st.tuples(*[values] * SLOTS), st.just((EMPTY,) * SLOTS)),
    st.frozensets(st.integers(0, 4).map(mix64), min_size=1),
)


@given(batch=st.lists(documents, max_size=60), size=st.integers(1, 50))
@settings(max_examples=100, deadline=None)
def test_verdicts_are_those_of_the_plain_twin(batch: list[Document], size: int) -> None:
    """Few values, so that nearly all documents meet in some band, by chance as well as by likeness."""
    for rules in RULES.values():
        _agree(batch, rules, size)


def _agree(documents: Sequence[Document], rules: Rules, *sizes: int) -> None:
    """Compare the index with the plain twin; what rules have no signatures for is not signed."""
    cut = [d._replace(signed=d.signed and rules.bands > 0, signature=d.signature[: rules.pieces]) for d in documents]
    wanted = first_seen(cut, rules.policy)
    for size in sizes:
        assert settled(cut, rules, size) == wanted


@given(batch=st.lists(documents, max_size=30))
@settings(max_examples=30, deadline=None)
def test_the_plain_twin_misses_no_pair(batch: list[Document]) -> None:
    """It looks only where a band is common, and finds what a comparison with every kept document finds."""
    for rules in RULES.values():
        kept, numbers = list[Document](), dict[tuple[int, ...], int]()
        cut = [d._replace(signature=d.signature[: rules.pieces]) for d in batch]
        for document, fate in zip(cut, first_seen(cut, rules.policy), strict=True):
            assert fate == fate_among(document, kept, numbers, rules.policy)
            if fate[0] == KEPT:
                numbers.setdefault(document.key, len(kept))
                kept.append(document)


@pytest.mark.parametrize("name", RULES)
def test_tables_that_grow_change_no_verdict(name: str) -> None:
    """Eighteen hundred documents, a third of them changed copies: the tables start at a thousand and grow."""
    chance, made = random.Random(name), []
    for _ in range(1800):
        fresh = _random_document(chance)
        if made and chance.random() < 0.33:
            one = chance.choice(made)
            signature = tuple(v if chance.random() < 0.9 else chance.getrandbits(32) for v in one.signature)
            key = one.key if chance.random() < 0.5 else fresh.key
            fresh = Document(key, chance.random() < 0.95, signature, one.shingles | {mix64(chance.randrange(99))})
        made.append(fresh)
    _agree(made, RULES[name], 7, 900)


def _random_document(chance: random.Random) -> Document:
    signature = tuple(chance.getrandbits(32) for _ in range(SLOTS))
    return Document((chance.getrandbits(64), 1), True, signature, frozenset(map(mix64, chance.sample(range(99), 9))))


def test_all_equal_documents_leave_one() -> None:
    """Every other one names the first."""
    one = _random_document(random.Random(1))
    assert settled([one] * 200, RULES["near"], 64) == [(KEPT, -1, 0.0)] + [(NEAR, 0, 1.0)] * 199
    assert settled([one] * 200, RULES["both"], 64) == [(KEPT, -1, 0.0)] + [(EXACT, 0, 1.0)] * 199


def test_unlike_documents_with_a_common_band_are_all_kept() -> None:
    """They stand before a real repeat in the postings of that band: it is found behind all of them, and named."""
    chance = random.Random(2)
    same = (5, 6)
    made = [d._replace(signature=same + d.signature[2:]) for d in (_random_document(chance) for _ in range(300))]
    repeat = made[7]._replace(signature=(*made[7].signature[:-1], 1))
    found = settled([*made, repeat], RULES["near"], 100)
    assert found[:-1] == [(KEPT, -1, 0.0)] * 300
    assert found[-1] == (NEAR, 7, 5 / 6)


@kernel
def measured(known: Entries, batch: Entries, policy: Policy, least: float) -> float:
    """Call what only kernels can call."""
    return likeness(known, 0, batch, 0, policy, least)


@pytest.mark.parametrize(
    "rules", [Rules(False, 2, 50, 101), Rules(False, 2, 25, 55, width=2), Rules(False, 1, 1, 1, by=SETS)]
)
@pytest.mark.parametrize("changed", [0, 1, 20, 45, 99])
def test_counting_ends_early_but_never_too_early(rules: Rules, changed: int) -> None:
    """Two with some values changed: their similarity, for each bound up to just that; far below the bound it is -1."""
    one = Document((0, 0), True, tuple(range(rules.pieces)), frozenset(range(200)))
    cut = 2 * changed * rules.pieces // 200
    signature = (*(value + 1000 for value in one.signature[:cut]), *one.signature[cut:])
    two = Document((0, 0), True, signature, frozenset(range(2 * changed, 200 + 2 * changed)))
    exact = plain_likeness(one, two, rules.policy)
    sides = frozen(entries([one], rules)), frozen(entries([two], rules))
    for least in (0.0, exact / 2, exact):
        assert measured(*sides, rules.policy, least) == exact
    assert measured(*sides, rules.policy, np.nextafter(exact, 2.0)) < np.nextafter(exact, 2.0)
    if exact < 0.5:
        assert measured(*sides, rules.policy, 0.8) == -1.0


@pytest.mark.parametrize("bits", [3, 4, 5, 6])
def test_no_fingerprint_within_the_bits_is_missed(bits: int) -> None:
    """Copies with up to eight bits flipped, whichever they are: those within the limit are found, and no others."""
    chance, made = random.Random(bits), []
    for _ in range(900):
        pieces = tuple(chance.getrandbits(32) for _ in range(2))
        if made and chance.random() < 0.7:
            value = sum(piece << 32 * i for i, piece in enumerate(chance.choice(made).signature))
            for bit in chance.sample(range(64), chance.randrange(9)):
                value ^= 1 << bit
            pieces = value & 0xFFFFFFFF, value >> 32
        made.append(Document((0, 0), True, pieces, frozenset()))
    rules = rules_of(SimHash(bits=bits), "signature", exact=False)
    found = settled(made, rules, 100)
    assert found == first_seen(made, rules.policy)
    assert {round(64 * (1 - similarity)) for fate, _, similarity in found if fate == NEAR} == set(range(bits + 1))


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
    rules = Rules(False, 1, 4, 4, threshold=1e-9)
    made = [Document((0, 0), True, tuple(row), frozenset()) for row in signatures.tolist()]
    found = settled(made + made, rules, 5 * BUCKET)
    assert found[: len(made)] == [(KEPT, -1, 0.0)] * len(made)
    assert found[len(made) :] == [(NEAR, number, 1.0) for number in range(len(made))]
