"""Components are those of all pairs in plain Python; of each one stays, and what goes is tied to it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.kernels.test_band_index import RULES, SLOTS, entries, values

from headrace.stages.deduplication.components import Components, Dropped, best, components, dropped
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.scratch import Scratch
from headrace.stages.kernels.band_index import EXACT
from headrace.stages.kernels.plain_band_index import Document, likeness, meet
from headrace.stages.kernels.plain_components import kept_in_order, partition, tied
from headrace.stages.kernels.plain_signatures import mix64

Sketch = tuple[int, bool, tuple[int, ...], frozenset[int]]


def documents_of(sketches: Sequence[Sketch], rules: Rules) -> list[Document]:
    """Give documents as views would: those with one key are equal in all."""
    cut = [
        (v, s and rules.bands > 0, sig[: rules.pieces], sets if rules.sets else frozenset())
        for v, s, sig, sets in sketches
    ]
    keys: dict[Any, int] = {}
    return [Document((keys.setdefault(one, len(keys)), 7), *one[1:]) for one in cut]


sketches = st.tuples(
    st.integers(0, 1),
    st.sampled_from([True, True, True, False]),
    st.one_of(st.tuples(*[values] * SLOTS), st.just((1,) * SLOTS)),
    st.frozensets(st.integers(0, 4).map(mix64), min_size=1),
)


def found_in(documents: Sequence[Document], rules: Rules, folder: Path) -> Components:
    return components(entries(documents, rules), rules, Scratch(folder), compare=True)


def parts_of(found: Components) -> list[frozenset[int]]:
    firsts = found.firsts.tolist()
    return [frozenset(n for n, first in enumerate(firsts) if first == number) for number in sorted(set(firsts))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@pytest.mark.parametrize("name", RULES)
@given(batch=st.lists(sketches, max_size=40))
@settings(max_examples=40, deadline=None)
def test_components_are_those_of_all_pairs(name: str, batch: list[Sketch], folder: Path) -> None:
    """Few values, so that most documents meet: the partition and the first-seen count are those of the plain twin."""
    rules = RULES[name]
    documents = documents_of(batch, rules)
    found = found_in(documents, rules, folder)
    assert parts_of(found) == partition(documents, rules.policy)
    assert found.first_seen is not None
    assert np.flatnonzero(found.first_seen).tolist() == kept_in_order(documents, rules.policy)


@pytest.mark.parametrize("name", RULES)
@given(batch=st.lists(sketches, min_size=1, max_size=40), seed=st.integers(0, 9), by=st.sampled_from(["first", "best"]))
@settings(max_examples=40, deadline=None)
def test_what_goes_is_tied_to_its_survivor(name: str, batch: list[Sketch], seed: int, by: str, folder: Path) -> None:
    """The similarity is that to the survivor if it is near enough, else to the next one on a way that ends there."""
    rules = RULES[name]
    documents = documents_of(batch, rules)
    found = found_in(documents, rules, folder)
    grades = np.array(random.Random(seed).choices([0.0, 1.0, 2.0], k=len(documents)))
    stays = best(found.firsts, grades, np.zeros(len(documents))) if by == "best" else found.firsts
    gone = dropped(entries(documents, rules), found, stays, rules)
    assert sorted({*gone.documents.tolist(), *stays.tolist()}) == list(range(len(documents)))
    assert not {*gone.documents.tolist()} & {*stays.tolist()}
    for row in range(len(gone.documents)):
        check_row(documents, gone, row, rules)


def check_row(documents: Sequence[Document], gone: Dropped, row: int, rules: Rules) -> None:
    one, survivor, way = (int(numbers[row]) for numbers in (gone.documents, gone.survivors, gone.ways))
    policy = rules.policy
    equal = policy.exact and documents[one].key == documents[survivor].key
    assert (gone.fates[row] == EXACT) == equal
    to = survivor if way < 0 else way
    similarity = 1.0 if equal else likeness(documents[one], documents[to], policy)
    assert gone.similarities[row] == similarity >= policy.threshold
    if way >= 0:
        assert tied(documents[one], documents[way], policy)
        assert likeness(documents[one], documents[survivor], policy) < policy.threshold
        rows = {int(number): place for place, number in enumerate(gone.documents)}
        seen = {one}
        while way >= 0:  # from each document on the way to the next, until one that is near the survivor itself
            assert way not in seen
            seen.add(way)
            way = int(gone.ways[rows[way]])


@pytest.mark.parametrize("name", RULES)
@given(batch=st.lists(sketches, max_size=40))
@settings(max_examples=40, deadline=None)
def test_a_component_keeps_one_of_what_first_seen_keeps(name: str, batch: list[Sketch], folder: Path) -> None:
    """The first of a component repeats no earlier document, so it stays under first_seen, too: a subset."""
    found = found_in(documents_of(batch, RULES[name]), RULES[name], folder)
    assert found.first_seen is not None
    assert found.first_seen[found.firsts].all()


@given(batch=st.lists(sketches, max_size=40), data=st.data())
@settings(max_examples=80, deadline=None)
def test_the_partition_does_not_depend_on_the_order(batch: list[Sketch], data: st.DataObject, folder: Path) -> None:
    """Shuffled documents have the same components."""
    rules = RULES[data.draw(st.sampled_from(sorted(RULES)))]
    documents = documents_of(batch, rules)
    order = data.draw(st.permutations(range(len(documents))))
    shuffled = found_in([documents[number] for number in order], rules, folder)
    back = {frozenset(order[number] for number in part) for part in parts_of(shuffled)}
    assert back == set(parts_of(found_in(documents, rules, folder)))


def test_a_chain_is_one_component(folder: Path) -> None:
    """A is near B and B near C, and A is not near C: first_seen keeps A and C, components keep A, and C goes by B."""
    rules = Rules(False, 3, 2, 6, threshold=0.6)
    a, b, c = (1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 2, 2), (3, 3, 1, 1, 2, 2)
    documents = [Document((0, n), True, signature, frozenset()) for n, signature in enumerate((a, b, c))]
    assert [meet(documents[0], documents[2], rules.policy), tied(documents[0], documents[2], rules.policy)] == [
        True,
        False,
    ]
    found = found_in(documents, rules, folder)
    assert found.first_seen is not None
    assert (found.firsts.tolist(), found.first_seen.tolist()) == ([0, 0, 0], [True, False, True])
    gone = dropped(entries(documents, rules), found, found.firsts, rules)
    assert gone.documents.tolist() == [1, 2]
    assert gone.ways.tolist() == [-1, 1]
    assert gone.similarities.tolist() == [4 / 6, 4 / 6]


def test_equal_documents_cost_no_square(folder: Path) -> None:
    """100,000 documents of one signature, and as many that share a band with it and are near: one component."""
    rules = Rules(True, 3, 2, 6, threshold=0.6)
    count = 100_000
    near = np.ones((2 * count, 6), np.uint32)
    near[count:, 5] = np.arange(count) + 2
    keys = np.zeros((2 * count, 2), np.uint64)
    keys[count:, 0] = np.arange(count) + 1
    known = entries([], rules)._replace(
        keys=keys, signed=np.ones(2 * count, np.bool_), signatures=near, ends=np.zeros(2 * count + 1, np.int64)
    )
    found = components(known, rules, Scratch(folder), compare=False)
    assert not found.firsts.any()
    gone = dropped(known, found, found.firsts, rules)
    assert np.bincount(gone.fates).tolist() == [0, count - 1, count]


@pytest.mark.parametrize(("changed", "parts"), [(22, 1), (23, 2)])
def test_unlike_documents_in_one_band_are_told_apart_by_a_single_value(changed: int, parts: int, folder: Path) -> None:
    """90 of 112 equal values are the threshold, wherever the others are; 600 more share a band by chance alone."""
    rules, rng = Rules(False, 14, 8, 112, threshold=90 / 112), np.random.default_rng(1)
    signatures = rng.integers(9, 1 << 32, (602, rules.pieces), np.uint64).astype(np.uint32)
    signatures[:, : rules.rows] = 7
    for _ in range(20):
        signatures[1] = signatures[0]
        signatures[1, 8 + rng.permutation(104)[:changed]] += 1
        ends, flags = np.zeros(603, np.int64), np.ones(602, np.bool_)
        known = entries([], rules)._replace(signed=flags, signatures=signatures, ends=ends)
        found = components(known, rules, Scratch(folder), compare=False)
        assert len(set(found.firsts.tolist())) == 600 + parts


def test_the_best_is_that_of_grade_then_authority_then_order() -> None:
    """Of equal grades the higher authority counts, and of equal authorities the first."""
    firsts = np.zeros(5, np.int64)
    assert best(firsts, np.array([1.0, 3.0, 3.0, 3.0, 2.0]), np.array([0.9, 0.2, 0.5, 0.5, 0.9])).tolist() == [2] * 5
