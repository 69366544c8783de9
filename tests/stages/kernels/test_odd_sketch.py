"""Odd sketches beside their plain twin, and beside the sets that they stand for."""

from __future__ import annotations

import random
from collections.abc import Set

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.schemas.arrays import Hashes
from headrace.schemas.compiled import kernel
from headrace.stages.deduplication.shingles import Shingles
from headrace.stages.deduplication.sketches import sketches_of
from headrace.stages.kernels import plain_odd_sketch as plain
from headrace.stages.kernels.odd_sketch import LEAST, MANY, sketched_similarity

sizes = st.integers(0, 300) | st.sampled_from([LEAST - 1, LEAST, LEAST + 1, 3 * LEAST, 2 * MANY + 1])


@kernel
def similarity_of(one: Hashes, two: Hashes, least: float) -> float:
    return sketched_similarity(one, two, least)


def sketch(hashes: Set[int], repeats: int = 0) -> Hashes:
    """Give the sketch of a set whose first members come several times."""
    listed = list(hashes)
    values = np.array([*listed, *listed[:repeats], *listed[: repeats // 2]], np.uint64)
    return sketches_of(Shingles(values, np.array([0, len(values)]))).values


def numbers(chance: random.Random, count: int) -> set[int]:
    found: set[int] = set()
    while len(found) < count:
        found.add(chance.getrandbits(64))
    return found


@given(counts=st.lists(st.tuples(sizes, st.integers(0, 40)), max_size=6), seed=st.integers(0, 1 << 32))
def test_sketches_are_those_of_the_plain_twin(counts: list[tuple[int, int]], seed: int) -> None:
    """Of texts of any size, whose shingles come once or several times, one behind the other."""
    chance = random.Random(seed)
    texts = []
    for count, repeats in counts:
        members = list(numbers(chance, count))
        texts.append([*members, *members[:repeats], *members[: repeats // 2]])
        chance.shuffle(texts[-1])
    ends = np.cumsum([0, *map(len, texts)])
    found = sketches_of(Shingles(np.array([v for text in texts for v in text], np.uint64), ends))
    assert [found.of(number).tolist() for number in range(len(texts))] == [plain.sketch_of(set(t)) for t in texts]


@given(shared=sizes, one=sizes, two=sizes, seed=st.integers(0, 1 << 32), least=st.floats(0, 1))
def test_similarities_are_those_of_the_plain_twin(shared: int, one: int, two: int, seed: int, least: float) -> None:
    """Of sketches of equal and of different sizes; what is less than asked for is -1, whoever comes first."""
    chance = random.Random(seed)
    both = numbers(chance, shared)
    ones, twos = both | numbers(chance, one + 1), both | numbers(chance, two + 1)
    wanted = plain.sketched_similarity(ones, twos)
    for first, second in ((sketch(ones), sketch(twos)), (sketch(twos), sketch(ones))):
        assert similarity_of(first, second, 0.0) == wanted
        assert similarity_of(first, second, least) == (wanted if wanted >= least else -1.0)
        assert similarity_of(first, second, wanted) == wanted


@pytest.mark.parametrize("size", [1, 5, 100, LEAST, 20_000, 3 * MANY])
def test_equal_sets_are_equal_and_repeats_do_not_count(size: int) -> None:
    """Similarity is 1 exactly, however often a member comes."""
    members = numbers(random.Random(size), size)
    assert sketch(members).tolist() == sketch(members, min(size, 7)).tolist()
    assert similarity_of(sketch(members), sketch(members), 1.0) == 1.0


@pytest.mark.parametrize("size", [20, 350, 1200, 5000, 40_000])
@pytest.mark.parametrize("similarity", [0.5, 0.8, 0.95])
def test_errors_are_as_small_as_said(similarity: float, size: int) -> None:
    """The mean error of 60 pairs is at most 1.5 times what theory says, and there is none on one side alone.

    A difference of d members of b bits in all has a standard error of about d * sqrt(2 / b) (Mitzenmacher et al.).
    """
    chance, errors = random.Random(size), []
    differing = round(size * (1 - similarity) / (1 + similarity))  # of each set
    exact = (size - differing) / (size + differing)
    for _ in range(60):
        both = numbers(chance, size - differing)
        one, two = both | numbers(chance, differing), both | numbers(chance, differing)
        errors.append(similarity_of(sketch(one), sketch(two), 0.0) - exact)
    bits, total = plain.bits_of(size), 2 * size
    error = 2 * total / (total + 2 * differing) ** 2 * 2 * differing * (2 / bits) ** 0.5
    load = 1 + 2 * differing / bits  # bits that are hit more than once say less
    assert np.std(errors) <= 1.5 * load * error + 1e-12
    assert abs(np.mean(errors)) <= 4 * load * error / len(errors) ** 0.5 + 1e-12


def test_unlike_sets_are_unlike() -> None:
    """Sets without a common member, or of very different sizes, are near nothing."""
    chance = random.Random(1)
    small, large = numbers(chance, 10), numbers(chance, 100_000)
    assert similarity_of(sketch(small), sketch(large), 0.01) == -1.0
    assert 0.0 <= similarity_of(sketch(small), sketch(small | large), 0.0) <= 10 / 100_010
    one, two = numbers(chance, 30_000), numbers(chance, 30_000)
    assert 0.0 <= similarity_of(sketch(one), sketch(two), 0.0) < 0.1
