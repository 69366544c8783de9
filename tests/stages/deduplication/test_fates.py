"""Answers of parts of an index join to the answer of the whole."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headrace.stages.deduplication.fates import Fates, better
from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR

Answer = tuple[int, int, float]
_ANSWERS = st.one_of(
    st.just((KEPT, -1, 0.0)),
    st.tuples(st.just(EXACT), st.integers(0, 9), st.just(1.0)),
    st.tuples(st.just(NEAR), st.integers(0, 9), st.sampled_from([0.8, 0.9, 1.0])),
)


def _rank(answer: Answer) -> tuple[int, float, int]:
    fate, survivor, similarity = answer
    return {EXACT: 0, NEAR: 1, KEPT: 2}[fate], -similarity, survivor


def _fates(answers: list[Answer]) -> Fates:
    columns = zip(*answers, strict=True)
    return Fates(*(np.array(column, kind) for column, kind in zip(columns, (np.uint8, np.int64, float), strict=True)))


@given(st.lists(st.tuples(_ANSWERS, _ANSWERS, _ANSWERS), min_size=1))
def test_the_best_of_three_answers_wins_however_they_are_joined(rows: list[tuple[Answer, Answer, Answer]]) -> None:
    """Equal before near, then the more similar, then the earlier one; in any order of joining."""
    one, two, three = (_fates(list(column)) for column in zip(*rows, strict=True))
    expected = _fates([min(row, key=_rank) for row in rows])
    for joined in (better(better(one, two), three), better(three, better(two, one)), better(two, better(three, one))):
        np.testing.assert_array_equal(joined.fates, expected.fates)
        np.testing.assert_array_equal(joined.survivors, expected.survivors)
        np.testing.assert_array_equal(joined.similarities, expected.similarities)


def test_nothing_known_changes_nothing() -> None:
    """An index without documents answers that all may stay, and gives way to any other answer."""
    answer = _fates([(EXACT, 4, 1.0), (NEAR, 2, 0.9), (KEPT, -1, 0.0)])
    joined = better(Fates.none(3), answer)
    np.testing.assert_array_equal(joined.fates, answer.fates)
    np.testing.assert_array_equal(joined.survivors, answer.survivors)
