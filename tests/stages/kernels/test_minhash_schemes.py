"""MinHash schemes beside their plain twins, datasketch, and datatrove where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from datasketch import MinHash
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.kernels.test_shingles import VIEWS

from headrace.schemas.arrays import text_buffers
from headrace.stages.deduplication.schemes import SCHEMES, Name, Scheme, Signed, draw, signatures, signer
from headrace.stages.deduplication.shingles import Shingles, Shingling, shingles
from headrace.stages.kernels import plain_signatures as plain

NAMES: tuple[Name, ...] = ("datasketch", "datasketch_legacy", "datatrove", "nemo", "fss")
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
TEXTS = [*VIEWS, *(view * 40 for view in VIEWS), "".join(map(chr, range(0x4E00, 0x9000)))]


def signed(texts: Sequence[str], scheme: Scheme) -> Signed:
    return signatures(*text_buffers(pa.array(texts, pa.large_string())), scheme)


def hashes_of(texts: Sequence[str], scheme: Scheme) -> list[list[int]]:
    found = shingles(*text_buffers(pa.array(texts, pa.large_string())), scheme.shingling)
    return [found.of(i).tolist() for i in range(len(texts))]


def sign_hashes(hashes: Sequence[Sequence[int]], scheme: Scheme) -> list[list[int]]:
    ends = np.cumsum([0, *map(len, hashes)])
    values = np.array([value for row in hashes for value in row], np.uint64)
    rows: list[list[int]] = signer(scheme)(Shingles(values, ends)).tolist()
    return rows


def twin(hashes: Sequence[int], scheme: Scheme) -> list[int]:
    a, b = (values.tolist() for values in draw(scheme))
    match scheme.name:
        case "datasketch":
            return plain.affine32(hashes, a, b)
        case "fss":
            return plain.fast_sketch(hashes, scheme.seed, scheme.slots)
        case name:
            return plain.affine61(hashes, a, b, M64 if name == "datatrove" else M32)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_the_plain_twin(name: Name) -> None:
    """Shingles of awkward views, from none to more than a block."""
    scheme = replace(SCHEMES[name], bands=4, rows=5)
    found = signed(TEXTS, scheme)
    hashes = hashes_of(TEXTS, scheme)
    assert found.counts.tolist() == list(map(len, hashes))
    assert found.values.tolist() == [twin(row, scheme) for row in hashes]


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(st.lists(st.integers(0, M64), max_size=70), min_size=1, max_size=3), st.integers(0, M32))
@settings(max_examples=40, deadline=None)
def test_any_hashes_are_signed_as_the_plain_twin_does(name: Name, hashes: list[list[int]], seed: int) -> None:
    """Random hashes and seeds, the largest values among them."""
    scheme = Scheme(name, 3, 3, seed, Shingling())
    assert sign_hashes(hashes, scheme) == [twin(row, scheme) for row in hashes]


@pytest.mark.parametrize("name", NAMES)
def test_repeats_and_order_change_nothing(name: Name) -> None:
    """A signature is that of a set."""
    scheme = SCHEMES[name]
    hashes = [plain.mix64(i) for i in range(1, 300)]
    once, again = sign_hashes([hashes, [*hashes[::-1], *hashes[:50]]], scheme)
    assert once == again


@pytest.mark.parametrize(("name", "of_theirs"), [("datasketch", "affine32"), ("datasketch_legacy", "legacy")])
@pytest.mark.parametrize("seed", [1, 42])
def test_signatures_are_those_of_datasketch(name: Name, of_theirs: str, seed: int) -> None:
    """Fed the lower halves of the same hashes, datasketch 2 gives every value, in its own scheme and in its old one."""
    scheme = replace(SCHEMES[name], seed=seed)
    found = signed(TEXTS, scheme)
    for hashes, signature in zip(hashes_of(TEXTS, scheme), found.values, strict=True):
        reference = MinHash(num_perm=scheme.slots, seed=seed, hashfunc=lambda value: value, scheme=of_theirs)
        if hashes:
            reference.update_batch([value & M32 for value in hashes])
        assert signature.tolist() == reference.hashvalues.tolist()


@pytest.mark.parametrize("seed", [1, 7])
def test_signatures_are_those_of_datatrove(seed: int) -> None:
    """Its formula (`MinhashDedupSignature.get_signature`, 0.10) in numpy: wraps at 64 bits, then the remainder."""
    scheme = replace(SCHEMES["datatrove"], seed=seed)
    random = np.random.RandomState(seed)
    prime = np.uint64((1 << 61) - 1)
    a = random.randint(1, prime, dtype=np.uint64, size=(1, 112))
    b = random.randint(0, prime, dtype=np.uint64, size=(1, 112))
    found = signed(TEXTS, scheme)
    for hashes, signature in zip(hashes_of(TEXTS, scheme), found.values, strict=True):
        if hashes:
            column = np.array(hashes, np.uint64).reshape(-1, 1)
            assert signature.tolist() == np.min((column * a + b) % prime, axis=0).tolist()


def test_signatures_are_those_of_datatrove_itself() -> None:
    """The same with the package, where this Python has it."""
    minhash = pytest.importorskip("datatrove.pipeline.dedup.minhash", reason="datatrove is not installed")
    block = minhash.MinhashDedupSignature("unused", minhash.MinhashConfig(seed=1))
    scheme = SCHEMES["datatrove"]
    for hashes, signature in zip(hashes_of(TEXTS, scheme), signed(TEXTS, scheme).values, strict=True):
        if hashes:
            theirs = block.get_signature(np.array(hashes, np.uint64).reshape(-1, 1))
            assert [value for band in theirs for value in band] == signature.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_view_has_a_signature_of_ones(name: Name) -> None:
    """It has no shingles, and its count says so."""
    found = signed(["", "a"], SCHEMES[name])
    assert found.counts.tolist() == [0, 1]
    assert (found.values[0] == np.iinfo(found.values.dtype).max).all()
    assert not (found.values[1] == found.values[0]).all()


def test_the_parameters_are_those_of_the_peers() -> None:
    """NeMo Curator 1.3: 24 characters, 20 bands of 13, seed 42; datatrove 0.10: 5 words, 14 of 8, seed 1."""
    nemo, datatrove = SCHEMES["nemo"], SCHEMES["datatrove"]
    assert (nemo.shingling, nemo.bands, nemo.rows, nemo.slots, nemo.seed) == (
        Shingling("characters", 24),
        20,
        13,
        260,
        42,
    )
    assert (datatrove.shingling, datatrove.slots, datatrove.seed) == (Shingling("words", 5), 112, 1)
    a, b = draw(nemo)
    random = np.random.RandomState(42)
    first = [random.randint(low, (1 << 31) - 1, dtype=np.uint32) for low in (1, 0, 1, 0)]
    assert [a[0], b[0], a[1], b[1]] == first


@pytest.mark.parametrize("name", NAMES)
def test_a_signature_estimates_the_similarity(name: Name) -> None:
    """The mean error over planted pairs is near nothing, and the deviation that of theory or less."""
    random = np.random.default_rng(5)
    scheme = SCHEMES[name]
    errors = []
    for similarity in np.linspace(0.1, 0.9, 60):
        pool = random.integers(0, 1 << 64, 1000, np.uint64)
        shared = round(2 * similarity / (1 + similarity) * 500)
        one, other = pool[:500], pool[500 - shared : 1000 - shared]
        signed_one, signed_other = sign_hashes([one.tolist(), other.tolist()], scheme)
        exact = shared / (1000 - shared)
        errors.append(np.mean(np.array(signed_one) == np.array(signed_other)) - exact)
    assert abs(np.mean(errors)) < 0.015
    assert np.std(errors) < 0.05


def test_a_signature_has_slots() -> None:
    """No bands or no rows are refused."""
    with pytest.raises(ValueError, match="one band of one row"):
        replace(SCHEMES["fss"], rows=0)
