from __future__ import annotations

import pyarrow as pa
import pytest
from tests.stages.token_units import short_documents, tokenized, unit

from headrace.schemas.document import DOCUMENT_SCHEMA, SETTLED_FIELDS
from headrace.stages.writing.documents import Record, documents_table, in_sample, parquet_bytes, quarantine_table

UNIT = tokenized(3, ["kept 一", "kept 二"], ["x", "yy"], broken=True)


def test_kept_documents_come_first_and_settled_ones_in_chain_order() -> None:
    """Row i is the i-th kept document; then come the rows that stages took out, in the order of the chain."""
    rows = documents_table(UNIT, "values", with_text=True)
    assert rows["doc_id"].to_pylist() == [f"s:3.txt#{i}" for i in ("0", "1", "bad", "1000", "1001")]
    assert rows["verdict"].to_pylist() == ["kept", "kept", "quarantined", "dropped", "dropped"]
    assert rows["stage"].to_pylist() == [None, None, "decode", "clean", "clean"]
    assert rows["reason"].to_pylist() == [None, None, "undecodable", "too_short", "too_short"]


def test_columns_stand_in_one_order_and_private_ones_are_left_out() -> None:
    """The document's columns, then scores and values by name, then the verdict; nothing that begins with `_`."""
    names = documents_table(UNIT, "values", with_text=True).column_names
    measured = ["scores.total", "values.length", "values.tokens"]
    assert names == [*DOCUMENT_SCHEMA.names, *measured, *(f.name for f in SETTLED_FIELDS)]


@pytest.mark.parametrize(
    ("record", "texts", "measured"),
    [
        ("full", ["x", "yy"], {"values.length"}),
        ("values", [None, None], {"values.length"}),
        ("sample", [None, None], {"values.length"}),
        ("reasons", [None, None], set()),
    ],
)
def test_record_says_how_much_is_stored(record: Record, texts: list[str | None], measured: set[str]) -> None:
    """Text of dropped documents only under `full`; measured values not under `reasons`; kept text always."""
    rows = documents_table(UNIT, record, with_text=True)
    assert rows["text"].to_pylist() == ["kept 一", "kept 二", None, *texts]
    assert {"values.length"} & {*rows.column_names} == measured


def test_a_sample_keeps_the_text_of_one_in_64() -> None:
    """Under `sample` the text stays where the id says so, and nowhere else."""
    texts = [f"dropped {i}" for i in range(1000)]
    rows = documents_table(unit(0, [], texts), "sample", with_text=True)
    shown = [text is not None for text in rows["text"].to_pylist()]
    assert shown == [in_sample(doc_id) for doc_id in rows["doc_id"].to_pylist()]
    assert 5 <= sum(shown) <= 30


def test_text_that_is_in_the_shard_is_not_stored_twice() -> None:
    """With text shards the documents file has no text of kept documents."""
    assert documents_table(UNIT, "values", with_text=False)["text"].null_count == 5


def test_a_units_file_does_not_depend_on_how_the_unit_was_cut() -> None:
    """Chunks, slices and the order in which columns were added change no byte."""
    whole = UNIT.documents
    half = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    shuffled = half.select(sorted(half.column_names, reverse=True))
    settled = tuple(pa.concat_tables([table.slice(0, 1), table.slice(1)]) for table in UNIT.settled)
    other = UNIT.but(documents=shuffled, settled=settled)
    expected = bytes(parquet_bytes(documents_table(UNIT, "full", with_text=True)))
    assert bytes(parquet_bytes(documents_table(other, "full", with_text=True))) == expected


def test_quarantine_holds_everything_of_the_quarantined_rows() -> None:
    """The raw bytes of a record that could not be decoded are there; dropped documents are not."""
    rows = quarantine_table(UNIT)
    assert rows is not None
    assert rows.select(["doc_id", "data", "reason", "stage"]).to_pylist() == [
        {"doc_id": "s:3.txt#bad", "data": b"\xff\xfe", "reason": "undecodable", "stage": "decode"}
    ]


def test_without_quarantined_rows_there_is_no_quarantine() -> None:
    """A unit whose documents were only dropped has no quarantine file."""
    assert quarantine_table(unit(0, ["a"], ["b"])) is None


def test_a_stages_own_column_is_kept() -> None:
    """A column that a user's stage adds is stored, also when only some rows have it."""
    batch = unit(0, ["a"], ["b"])
    batch = batch.but(documents=batch.documents.append_column("topic", pa.array(["law"])))
    rows = documents_table(batch, "values", with_text=True)
    assert rows["topic"].to_pylist() == ["law", None]
    assert rows.column_names.index("topic") == len(DOCUMENT_SCHEMA.names)
    assert short_documents(0, ["b"]).num_rows == 1
