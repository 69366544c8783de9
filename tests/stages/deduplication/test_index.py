"""The index stays within the memory that its documentation states."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.rules import Rules
from headrace.stages.kernels.entries import SETS, Entries


def test_memory_per_kept_document_is_bounded() -> None:
    """A kept document costs less than 700 bytes at 14 x 8 with exact keys, ids apart, just after the arrays grew."""
    index = FirstSeenIndex(Rules(exact=True, bands=14, rows=8, slots=112, threshold=0.8))
    chance = np.random.default_rng(0)
    sizes = []
    for _ in range(60):
        keys = chance.integers(0, 1 << 63, (1000, 2), np.uint64)
        signatures = chance.integers(0, 1 << 32, (1000, 112), np.uint32)
        fates = index.settle(
            Entries(keys, np.ones(1000, np.bool_), signatures, np.zeros(0, np.uint64), np.zeros(1001, np.int64))
        )
        assert not fates.fates.any()
        sizes.append(index.nbytes / index.count)
    assert max(sizes[20:]) < 700
    assert min(sizes) > 448 + 24 + 15 * 8


def test_a_band_that_all_share_costs_8_bytes_a_document() -> None:
    """Three thousand documents with one band in common are all kept; their other bands cost what they always do."""
    index = FirstSeenIndex(Rules(exact=False, bands=14, rows=8, slots=112, threshold=0.8))
    signatures = np.random.default_rng(0).integers(0, 1 << 32, (3000, 112), np.uint32)
    no_keys, none = np.zeros((0, 2), np.uint64), np.zeros(0, np.uint64)
    signed, ends = np.ones(3000, np.bool_), np.zeros(3001, np.int64)
    index.settle(Entries(no_keys, signed, signatures, none, ends))
    alone = index.nbytes
    signatures[:, :8] = 7
    index = FirstSeenIndex(Rules(exact=False, bands=14, rows=8, slots=112, threshold=0.8))
    assert not index.settle(Entries(no_keys, signed, signatures, none, ends)).fates.any()
    assert index.nbytes == alone + 2999 * 8


RULES = Rules(exact=True, bands=4, rows=2, slots=8, threshold=0.5, by=SETS)


def documents(seed: int, count: int) -> Entries:
    """Give documents of few values, so that they meet, by key and by band."""
    chance = np.random.default_rng(seed)
    keys = chance.integers(0, 3 * count, (count, 1), np.uint64) * np.ones(2, np.uint64)
    signatures = chance.integers(0, 4, (count, 8), np.uint32)
    sets = [np.unique(chance.integers(0, 9, 6, np.uint64)) for _ in range(count)]
    ends = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Entries(keys, chance.random(count) < 0.9, signatures, np.concatenate(sets), ends)


def same(one: Fates, other: Fates) -> bool:
    """Compare two answers."""
    return all(
        np.array_equal(a, b)
        for a, b in (
            (one.fates, other.fates),
            (one.survivors, other.survivors),
            (one.similarities, other.similarities),
        )
    )


@pytest.mark.parametrize("every", [1, 2, 5])
def test_an_index_that_gives_up_its_first_documents_judges_like_one_that_keeps_them(every: int) -> None:
    """What was given up answers as `prior`: equal before near, the most similar, the earliest; replays too."""
    whole, hot, cold = FirstSeenIndex(RULES), FirstSeenIndex(RULES), FirstSeenIndex(RULES)
    units, reasons = [], set[int]()
    for number in range(20):
        unit, first = documents(number, 40), hot.count
        expected, found = whole.settle(unit), hot.settle(unit, looked_up(cold, unit))
        assert same(expected, found)
        assert hot.count == whole.count
        units.append((unit, first, hot.count, expected))
        for earlier, begin, end, fates in units[-2:]:
            if begin >= hot.base:
                again = hot.settle_again(earlier, begin, end, looked_up(cold, earlier))
                assert again is not None
                assert same(again, fates)
        before_base = expected.survivors[expected.survivors >= 0] < hot.base
        reasons |= {int(before_base.any()), 2 + int((~before_base).any())}
        if number % every == 0:
            cold.extend(hot.entries(hot.base, first))
            hot.forget(first)
            assert (hot.base, cold.count) == (first, first)
    assert reasons >= {1, 3}


def test_what_units_before_say_of_a_unit_is_asked_without_keeping_it() -> None:
    """Each document alone, whatever was kept since, and wherever earlier ones are: nothing is entered by it."""
    whole, hot, cold = FirstSeenIndex(RULES), FirstSeenIndex(RULES), FirstSeenIndex(RULES)
    units: list[tuple[Entries, int]] = []
    for number in range(12):
        unit, first = documents(number, 40), hot.count
        units.append((unit, first))
        for earlier, before in units[-2:]:
            found = hot.ask(earlier, before, looked_up(cold, earlier, min(before, cold.count)))
            assert same(found, looked_up(whole, earlier, before))
            assert (hot.count, whole.count) == (first, first)
            assert before == 0 or (found.fates != 0).any()
        whole.settle(unit)
        hot.settle(unit, looked_up(cold, unit))
        if number % 5 == 4:
            cold.extend(hot.entries(hot.base, first))
            hot.forget(first)


def looked_up(cold: FirstSeenIndex, unit: Entries, before: int | None = None) -> Fates:
    """Ask an index about a unit document by document, so that none meets another one of the unit."""
    count = cold.count if before is None else before
    answers = [cold.settle_again(alone, count, count) or KEPT_ALONE for alone in apart(unit)]
    columns = [[getattr(answer, name)[0] for answer in answers] for name in ("fates", "survivors", "similarities")]
    return Fates(np.array(columns[0], np.uint8), np.array(columns[1], np.int64), np.array(columns[2], np.float64))


KEPT_ALONE = Fates.none(1)


def apart(unit: Entries) -> list[Entries]:
    """Cut a unit into its documents."""
    bounds = [(i, int(unit.ends[i]), int(unit.ends[i + 1])) for i in range(len(unit.ends) - 1)]
    return [
        Entries(
            unit.keys[i : i + 1],
            unit.signed[i : i + 1],
            unit.signatures[i : i + 1],
            unit.sets[begin:end],
            np.array([0, end - begin], np.int64),
        )
        for i, begin, end in bounds
    ]


def test_an_index_that_gave_up_documents_takes_memory_for_the_rest_alone() -> None:
    """Bytes after giving up all but ten documents are those of an index of ten."""
    index, small = FirstSeenIndex(RULES), FirstSeenIndex(RULES)
    index.extend(documents(0, 5000))
    ten = index.entries(4990, 5000)
    small.extend(Entries(*(np.array(part) for part in ten)))  # type: ignore[arg-type]
    index.forget(4990)
    assert index.nbytes == small.nbytes
    assert (index.base, index.count) == (4990, 5000)
