from __future__ import annotations

import pyarrow as pa
import pytest

from headrace.pipeline.committed import survivors_here
from headrace.schemas.index import found_in, run_of, runs_of

NAMES = ["runs/week1", "../crawl, by way of Bonn", "in runs", "周一\n", "a, by way of b, by way of c", " "]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_an_earlier_run_is_read_as_it_was_written(name: str) -> None:
    """Whatever is in it, by all who ask: of one verdict, of a column, of a documents file."""
    details = pa.array([found_in(name), "by way of web:1", None, "within 5", ""], pa.string())
    assert run_of(found_in(name)) == name
    assert [run_of(detail) for detail in details.to_pylist()[1:]] == [None] * 4
    for column in (details, pa.chunked_array([details[:2], details[2:]])):
        assert runs_of(column).to_pylist() == [name, None, None, None, None]
    survivors = survivors_here(pa.table({"survivor": [*"abcde"], "detail": details}))
    assert survivors.to_pylist() == [None, *"bcde"]


def test_a_column_without_details_names_no_run() -> None:
    """Also one of no type at all."""
    assert runs_of(pa.nulls(2)).to_pylist() == [None, None]
