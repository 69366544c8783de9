"""Sorted postings, their merge and their Bloom filter, beside their plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.kernels.test_band_index import RULES, documents, entries

from headrace.schemas.arrays import Signatures, read_only
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.rules import Rules
from headrace.stages.kernels import plain_sorted_postings as plain
from headrace.stages.kernels import sorted_postings
from headrace.stages.kernels.blocked_bloom import BITS_A_KEY, WORDS, empty_filter, enter, may_have
from headrace.stages.kernels.plain_band_index import Document
from headrace.stages.kernels.sorted_postings import (
    STRIDE,
    count_postings,
    directory_of,
    find,
    fingerprints,
    frozen,
    merged_pieces,
    packed,
    unpacked,
    verify,
)

_TOP = 0xFFFFFFFF
_PRINTS = st.one_of(st.integers(0, 3), st.integers(0, _TOP), st.sampled_from([1 << 31, (1 << 31) - 1, _TOP]))


def table_of(prints: list[int]) -> tuple[Signatures, Signatures]:
    ((values),) = packed(np.array(prints, np.uint32).reshape(-1, 1))
    return unpacked(values)


def pairs(table: tuple[Signatures, Signatures]) -> list[plain.Posting]:
    return list(zip(*(column.tolist() for column in table), strict=True))


@given(prints=st.lists(_PRINTS, max_size=60), others=st.lists(_PRINTS, max_size=20), times=st.integers(1, 9))
@settings(deadline=None)
def test_all_rows_with_a_fingerprint_are_found(prints: list[int], others: list[int], times: int) -> None:
    """Small files and files of many equal ones; 0 is found nowhere, and each in the order of its rows."""
    values, rows = table_of(prints * times)
    assert pairs((values, rows)) == plain.postings_of(prints * times)
    wanted = np.array(prints + others, np.uint32)
    begins, ends = find(read_only(values), *directory_of(values), read_only(wanted))
    found = [rows[begin:end].tolist() for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    assert found == [plain.find(pairs((values, rows)), value) for value in wanted.tolist()]


@pytest.mark.parametrize("size", [STRIDE - 1, STRIDE, 2 * STRIDE, 9999])
def test_a_directory_leads_to_all(size: int) -> None:
    """Its parts hold no more than a stride of evenly spread fingerprints on average, and it stays small."""
    values = np.sort(np.random.default_rng(size).integers(1, 1 << 32, size, np.uint32))
    directory, shift = directory_of(values)
    assert len(directory) <= 2 * size / STRIDE + 2
    assert np.diff(directory.astype(np.int64)).mean() <= STRIDE
    begins, ends = find(read_only(values), directory, shift, read_only(values))
    assert (values[begins] == values).all()
    assert (ends > begins).all()


@given(files=st.lists(st.lists(_PRINTS, max_size=30), min_size=1, max_size=6), piece=st.sampled_from([1, 7, 1 << 20]))
@settings(deadline=None)
def test_files_are_merged_as_by_sorting(files: list[list[int]], piece: int) -> None:
    """However small the pieces are; rows are numbered one file behind the other."""
    firsts = np.cumsum([0, *map(len, files)])[:-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_postings, "_PIECE", piece)
        pieces = [pairs(some) for some in merged_pieces([table_of(prints) for prints in files], firsts)]
    expected = plain.merged([plain.postings_of(prints) for prints in files], firsts.tolist())
    assert [posting for some in pieces for posting in some] == expected


def test_a_print_of_all_documents_is_merged_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that all have, beside one that none has: no piece is larger than others, and what is none is left out."""
    monkeypatch.setattr(sorted_postings, "_PIECE", 16)
    files = [[0] * 90 + [7] * 200 + [9] * 5, [7] * 40, [_TOP] * 33, [0] * 50]
    firsts = np.cumsum([0, *map(len, files)])[:-1]
    pieces = [pairs(some) for some in merged_pieces([table_of(prints) for prints in files], firsts)]
    assert max(map(len, pieces)) <= 16
    assert sum(map(len, pieces)) == sum(count_postings(table_of(prints)[0]) for prints in files) == 278
    expected = plain.merged([plain.postings_of(prints) for prints in files], firsts.tolist())
    assert [posting for some in pieces for posting in some] == expected


def verified(asked: list[Document], known: list[Document], first: int, below: int, rules: Rules) -> list[plain.Fate]:
    """Verify all pairs that have a fingerprint in common in some table, twice and in no good order."""
    batch, held = frozen(entries(asked, rules)), frozen(entries(known, rules))
    one, two = (fingerprints(some, rules.policy, rules.masks) for some in (batch, held))
    met = (one[:, None, :] == two[None, :, :]) & (one[:, None, :] != 0)
    found = np.concatenate([np.argwhere(met), np.argwhere(met)[::-1]])
    fates = Fates.none(len(asked))
    columns = (np.ascontiguousarray(found[:, column]) for column in range(3))
    answers = fates.fates, fates.survivors, fates.similarities
    verify(held, first, below, batch, *columns, rules.policy, *answers)
    return list(zip(*(column.tolist() for column in answers), strict=True))


@pytest.mark.parametrize("name", RULES)
@given(
    asked=st.lists(documents, max_size=20),
    known=st.lists(documents, max_size=20),
    first=st.integers(0, 5),
    below=st.integers(0, 25),
)
@settings(max_examples=30, deadline=None)
def test_pairs_are_judged_as_by_the_plain_twin(
    name: str, asked: list[Document], known: list[Document], first: int, below: int
) -> None:
    """Whatever pairs meet, repeated documents among the known ones too: the best of them is the answer."""
    rules = RULES[name]
    one, two = (
        [d._replace(signed=d.signed and rules.bands > 0, signature=d.signature[: rules.pieces]) for d in some]
        for some in (asked, known)
    )
    numbered = [(first + row, document) for row, document in enumerate(two)]
    assert verified(one, two, first, below, rules) == plain.ask(one, numbered, below, rules.policy)


@given(prints=st.lists(_PRINTS, max_size=40), table=st.integers(0, 84), blocks=st.integers(1, 5))
@settings(deadline=None)
def test_a_filter_sets_the_bits_of_its_twin(prints: list[int], table: int, blocks: int) -> None:
    """One block a fingerprint, one bit in each of its words; 0 is no fingerprint."""
    words = np.zeros((blocks, WORDS), np.uint32)
    enter(words, table, np.array(prints, np.uint32))
    expected = np.zeros((blocks, WORDS), np.uint32)
    for value in filter(None, prints):
        block, bits = plain.bloom_bits(table, value, blocks)
        expected[block] |= np.array([1 << bit for bit in bits], np.uint32)
    np.testing.assert_array_equal(words, expected)
    there = may_have(words, table, np.array(prints, np.uint32))
    assert there.tolist() == [value != 0 for value in prints]


def test_a_filter_lets_few_others_pass() -> None:
    """Ten bits a fingerprint: of others, and of the same in another table, fewer than 2 in 100 pass."""
    chance = np.random.default_rng(1)
    prints, others = (chance.integers(1, 1 << 32, 50_000, np.uint32) for _ in range(2))
    words = empty_filter(len(prints))
    assert words.nbytes * 8 <= BITS_A_KEY * len(prints) + 256
    enter(words, 3, prints)
    assert may_have(words, 3, prints).all()
    for table, wanted in ((3, others), (4, prints)):
        assert may_have(words, table, wanted).mean() < 0.02
