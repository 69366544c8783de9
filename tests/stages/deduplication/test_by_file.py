"""What is asked of many files comes file by file, and goes back into the order of the questions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from headrace.stages.deduplication.by_file import by_file


def test_each_file_is_asked_once_with_its_places_in_order() -> None:
    """Files ascend, that of the number -1 too, and so do the places within each."""
    asked = by_file(np.array([7, -1, 2, 7, 2, 7]))
    assert [(file, places.tolist()) for file, places in asked.parts] == [(-1, [1]), (2, [2, 4]), (7, [0, 3, 5])]


@pytest.mark.parametrize("count", [0, 1, 500])
def test_answers_stand_where_their_questions_do(count: int) -> None:
    """Whatever the order of the files, and if nothing is asked: arrays and tables alike."""
    files = np.random.default_rng(count).integers(-1, 40, count)
    asked = by_file(files)
    answers = [pa.array([f"{file}:{place}" for place in places], pa.string()) for file, places in asked.parts]
    found = asked.put_back(pa.concat_arrays([pa.array([], pa.string()), *answers]))
    expected = [f"{file}:{place}" for place, file in enumerate(files)]
    assert found.to_pylist() == expected
    table = pa.table({"said": pa.chunked_array(answers, pa.string())})
    assert asked.put_back(table)["said"].to_pylist() == expected
