"""A unit travels between processes whole, and without a copy where it arrives."""

from __future__ import annotations

import pickle

import pyarrow as pa

from headrace.schemas.ledger import FileCount, StageCounts
from headrace.schemas.unit import UnitBatch


def table(start: int, rows: int) -> pa.Table:
    """Give a table with a chunked text column, a nested private column, nulls, and metadata on a field."""
    texts = pa.chunked_array(
        [
            pa.array([f"text {i}" for i in range(start, start + rows)], pa.string()),
            pa.array(["水渠", None], pa.string()),
        ]
    )
    tokens = pa.array([[1, 2], None, *[[i] for i in range(rows)]], pa.list_(pa.uint16()))
    field = pa.field("_tokens", tokens.type, metadata={b"vocabulary": b"300"})
    return pa.table({"text": texts}).append_column(field, tokens)


def test_a_pickled_unit_is_the_same_unit() -> None:
    """Tables, their schemas with metadata, settled tables in order, counts and files."""
    batch = UnitBatch(
        7,
        table(0, 5).slice(2, 4),
        (table(0, 1), table(9, 0)),
        (StageCounts("read", 9, 0, 8, {}, {"corrupt": 1}),),
        (FileCount("s:a.txt", 9),),
    )
    again = pickle.loads(pickle.dumps(batch, protocol=5))
    assert (again.unit, again.counts, again.files) == (batch.unit, batch.counts, batch.files)
    assert again.documents.equals(batch.documents, check_metadata=True)
    assert [t.to_pylist() for t in again.settled] == [t.to_pylist() for t in batch.settled]
    assert again.documents.schema.field("_tokens").metadata == {b"vocabulary": b"300"}


def test_the_data_travels_beside_the_pickle() -> None:
    """Out of band, so that an object store maps it instead of copying it."""
    text = "a long line of text " * 2000
    batch = UnitBatch(0, pa.table({"text": [text] * 20}))
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    assert len(stream) < 2000
    restored = pickle.loads(stream, buffers=buffers)
    assert restored.documents.equals(batch.documents)
