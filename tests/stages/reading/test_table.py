"""Tables: the text column is the record, everything else is metadata, damage costs what follows it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of
from tests.stages.small_files import packed_lines

TABLE = {
    "text": ["a" * 100, None, "", "b" * 100, "c"],
    "n": [1, 2, 3, 4, 5],
    "nested": [{"x": [1.5, float("nan")]}, None, None, None, {"x": []}],
    "raw": [b"\xff", b"ok", None, b"", b"x"],
}


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_rows_of_tables(tmp_path: Path, name: str) -> None:
    """The text column is the record; other columns are strict JSON; rows are counted from 0."""
    table = pa.table(TABLE)
    if name == "t.parquet":
        pq.write_table(table, tmp_path / name, row_group_size=2)
    else:
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write_table(table, 2)
    for unit_bytes, many in ((1, 5), (150, 3), (UNIT, 1)):
        parts = parts_of(a_split(tmp_path, name), a_source(), unit_bytes)
        assert len(parts) == many
        texts = TABLE["text"]
        assert [data for _, data in records_of(parts)] == [t if t is None else str(t).encode() for t in texts]
        assert [place for place, _ in records_of(parts)] == [0, 1, 2, 3, 4]
    assert parts[0].documents["metadata"][0].as_py() == '{"n":1,"nested":{"x":[1.5,null]},"raw":"/w=="}'


def test_text_columns_of_every_kind(tmp_path: Path) -> None:
    """Dictionaries, views, large strings and bytes are text; numbers are not, and a missing column is named."""
    plain = pa.array(["x", None, "y"])
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.binary()):
        with pa.ipc.new_file(tmp_path / "t.arrow", pa.schema([("text", kind)])) as writer:
            writer.write_table(pa.table({"text": plain.cast(kind)}))
        parts = parts_of(a_split(tmp_path, "t.arrow"), a_source())
        assert [data for _, data in records_of(parts)] == [b"x", None, b"y"], kind
    pq.write_table(pa.table({"text": [1, 2], "body": ["a", "b"]}), tmp_path / "t.parquet")
    for field, said in (("text", "holds int64"), ("nothing", "the columns are: text, body")):
        (fault,) = faults_of(parts_of(a_split(tmp_path, "t.parquet"), a_source(text_field=field)))
        assert fault["reason"] == "no_text_column"
        assert said in fault["detail"]


def test_a_damaged_row_group_costs_only_itself(tmp_path: Path) -> None:
    """The groups before and behind it are read; the fault names its rows, and numbers of later rows stay right."""
    noise = packed_lines(3000).decode().splitlines()
    pq.write_table(pa.table({"text": noise}), tmp_path / "t.parquet", row_group_size=1000, compression="zstd")
    group = pq.read_metadata(tmp_path / "t.parquet").row_group(1).column(0)
    data = bytearray((tmp_path / "t.parquet").read_bytes())
    middle = (group.dictionary_page_offset or group.data_page_offset) + group.total_compressed_size // 2
    data[middle : middle + 64] = bytes(64)
    (tmp_path / "t.parquet").write_bytes(data)
    for unit_bytes in (20_000, UNIT):
        parts = parts_of(a_split(tmp_path, "t.parquet"), a_source(), unit_bytes)
        (fault,) = faults_of(parts)
        assert (fault["reason"], fault["offset"]) == ("unreadable_parquet", 1000)
        assert "row group 1 (rows 1000 to 1999): " in fault["detail"]
        wanted = [(row, noise[row]) for row in (*range(1000), *range(2000, 3000))]
        assert [(row, data.decode()) for row, data in records_of(parts)] == wanted
