from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.stages.token_units import tokenized, unit

from headrace.schemas.unit import UnitBatch
from headrace.stages.tokenizing.batch_file import load_batch, save_batch

UNITS = {
    "raw columns, drops and private columns": unit(3, ["水轮", ""], ["x"], broken=True),
    "tokens": tokenized(4, ["a", "b"]),
    "nothing kept": unit(5, [], ["x"]),
    "nothing at all": unit(6, []),
}


@pytest.mark.parametrize("name", UNITS)
def test_a_batch_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    """Documents, settled tables, schemas with metadata, counts and files survive the file."""
    batch = UNITS[name]
    save_batch(batch, tmp_path / "unit.arrow")
    back = load_batch(tmp_path / "unit.arrow")
    assert (back.unit, back.counts, back.files) == (batch.unit, batch.counts, batch.files)
    tables = list(zip((back.documents, *back.settled), (batch.documents, *batch.settled), strict=True))
    assert all(actual.equals(expected, check_metadata=True) for actual, expected in tables)


def test_chunks_change_no_byte(tmp_path: Path) -> None:
    """The file depends on the rows, not on how they were chunked."""
    batch = unit(0, ["a", "b", "c"])
    chunked = pa.concat_tables([batch.documents.slice(0, 1), batch.documents.slice(1)])
    save_batch(batch, tmp_path / "whole")
    save_batch(batch.but(documents=chunked), tmp_path / "chunks")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "chunks").read_bytes()


def test_a_file_that_is_in_use_may_be_removed(tmp_path: Path) -> None:
    """The tables stay readable after the file is gone."""
    path = tmp_path / "unit.arrow"
    save_batch(unit(0, ["水轮"]), path)
    batch: UnitBatch = load_batch(path)
    path.unlink()
    assert batch.documents["text"].to_pylist() == ["水轮"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """An unwritable place raises and leaves no half file."""
    (tmp_path / "unit.arrow").mkdir()
    with pytest.raises(OSError, match="directory"):
        save_batch(unit(0, ["a"]), tmp_path / "unit.arrow")
    assert [path.name for path in tmp_path.iterdir()] == ["unit.arrow"]
