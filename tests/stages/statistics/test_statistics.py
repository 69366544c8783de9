"""Statistics count what is asked, when it is asked, and once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.statistics.test_count import EXTREMES, drawn

from headrace.schemas.arrays import Column
from headrace.stages.statistics.count import NAMES, C4Settings, Settings, counts
from headrace.stages.statistics.shares import SHARES, VALUES, shares
from headrace.stages.statistics.spans import Spans, Words
from headrace.stages.statistics.statistics import Statistics

TEXTS = [*drawn(41, 100), *(text[:3000] for text in EXTREMES.values())]


def statistics(texts: list[str]) -> Statistics:
    column = pa.array(texts, pa.large_string())
    return Statistics(column, Spans().words(column))


def test_every_count_is_that_of_all_at_once() -> None:
    """In whatever order counts are asked, and whatever other settings were asked before."""
    asked = statistics(TEXTS)
    asked.lines(5)
    asked.stops(("x",))
    expected = counts(asked.column, asked.words, Settings())
    for name in reversed(NAMES):
        assert (asked.count(name) == expected[name]).all(), name
    for name, share in shares(expected).items():
        assert (asked[name] == share).all(), name
    assert {*SHARES, "mean_word_length"} == {*shares(expected)}


def test_what_is_asked_twice_is_made_once() -> None:
    """Groups of counts are kept, by their settings."""
    made = []
    asked = statistics(["a b"])
    assert [asked.once("key", lambda: made.append(1) or 7) for _ in range(3)] == [7, 7, 7]  # type: ignore[func-returns-value]
    assert made == [1]
    assert asked.lines(3) is asked.lines(3)
    assert asked.lines(3) is not asked.lines(4)
    assert asked.c4(C4Settings()) is asked.c4(C4Settings())


@pytest.mark.parametrize("characters", [0, 1, 3, 200])
def test_long_lines_are_counted(characters: int) -> None:
    """Lines are parted by line feeds; the kernel counts what plain Python counts."""
    expected = [sum(len(line) >= characters for line in text.split("\n")) for text in TEXTS]
    assert list(statistics(TEXTS).long_lines(characters)) == expected


def test_lines_that_c4_changes_are_cut_by_the_callers_words() -> None:
    """The words of a line without its citation come from the function that the caller gave."""
    seen = []

    def cut(column: Column) -> Words:
        seen.append(column.to_pylist())
        return Spans().words(column)

    column = pa.array(["This is a line [1] of it.\nshort\n"], pa.large_string())
    Statistics(column, Spans().words(column), "headrace", cut).c4(C4Settings())
    assert seen == [["This is a line  of it."]]


def test_a_null_is_an_empty_text() -> None:
    """A column may have nulls, and be chunked."""
    column = pa.chunked_array([pa.array(["a b", None], pa.large_string()), pa.array(["c"], pa.large_string())])
    asked = Statistics(column, Spans().words(column))
    assert list(asked["words"]) == [2, 0, 1]
    assert list(asked["characters"]) == [3, 0, 1]
    assert list(asked.long_lines(1)) == [1, 0, 1]


def test_a_name_that_is_no_value_is_an_error() -> None:
    """Names are those of the table of values, for all formulae."""
    with pytest.raises(KeyError):
        statistics(["a"])["wrods"]
    for formulae in ("headrace", "datatrove", "dclm", "dolma"):
        column = pa.array([], pa.large_string())
        asked = Statistics(column, Spans().words(column), formulae)
        assert all(asked[name].dtype == np.float64 and len(asked[name]) == 0 for name in VALUES)
