"""Tables that stand for more than they take, that lie, or that end early: bounded, and named by their rows."""

from __future__ import annotations

import io
import struct
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of
from tests.stages.reading.same_parts import read_whole

from headrace.stages.reading.parquet_footer import read_groups
from headrace.stages.reading.thrift import ThriftError, read_struct

SMALL: dict[str, Any] = {"text": ["a" * 100, "b" * 10, "c", "d", "e", "f"], "n": [1, 2, 3, 4, 5, 6]}


def parquet(table: pa.Table, **options: Any) -> bytes:
    """Give a Parquet file."""
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def arrow(table: pa.Table, rows: int, *, stream: bool = False, compression: str | None = None) -> bytes:
    """Give an Arrow file or stream of batches of so many rows."""
    out, options = io.BytesIO(), pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(out, table.schema, options=options) as writer:
        writer.write_table(table, rows)
    return out.getvalue()


@pytest.mark.parametrize("column", ["text", "other"])
def test_two_gigabytes_in_a_few_hundred_bytes(tmp_path: Path, column: str) -> None:
    """A value of 1 MB that a dictionary repeats 2,000 times is given 100 times; the other rows are named."""
    repeated = pa.array(["x" * 1_000_000]).dictionary_encode()
    values = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), 2000), repeated.dictionary)
    table = pa.table({"text": values} if column == "text" else {"text": ["a"] * 2000, "other": values})
    (tmp_path / "t.parquet").write_bytes(parquet(table, compression="zstd"))
    assert (tmp_path / "t.parquet").stat().st_size < 24_000
    before, peak, rows, faults = pa.total_allocated_bytes(), 0, 0, []
    for part in parts_of(a_split(tmp_path, "t.parquet"), a_source(), 4 * UNIT):
        rows += part.documents.num_rows
        faults += faults_of([part])
        peak = max(peak, pa.total_allocated_bytes() - before)
    (fault,) = faults
    assert (rows, fault["reason"], fault["threshold"]) == (fault["offset"], "expansion", 250)
    assert rows in (99, 100)
    assert f"{2000 - rows} rows are not read" in fault["detail"]
    assert peak < 400_000_000  # the parts, which this test keeps


def test_row_groups_that_share_pages(tmp_path: Path) -> None:
    """A footer that lists one group a thousand times is refused from where it takes more than the file has."""
    whole = parquet(pa.table(SMALL), compression="none")
    footer = whole[-8 - struct.unpack("<I", whole[-8:-4])[0] : -8]
    one = bytes(_row_group(footer))
    at, count = footer.index(one) - 1, 12
    rows = footer[:at]
    assert footer[at] == 0x1C  # a list of one struct
    forged = rows + bytes([count << 4 | 0xC]) + one * count + footer[at + 1 + len(one) :]
    file = whole[: -8 - len(footer)] + forged + struct.pack("<I", len(forged)) + b"PAR1"
    (tmp_path / "t.parquet").write_bytes(file)
    found = faults_of(parts_of(a_split(tmp_path, "t.parquet"), a_source(), UNIT))
    assert found
    assert {fault["reason"] for fault in found} == {"overlapping_groups"}
    assert len(read_groups(pa.BufferReader(file), len(file))) == count


def _row_group(footer: bytes) -> memoryview:
    """Give the bytes of the first row group in a footer: the struct that parses up to the next field."""
    for begin in range(len(footer)):
        try:
            fields, end = read_struct(footer, begin)
        except ThriftError:
            continue
        if isinstance(fields.get(1), list) and fields.get(3) == 6 and 2 in fields:
            return memoryview(footer)[begin:end]
    raise AssertionError("no row group")


def test_groups_and_pages_over_their_limits(tmp_path: Path) -> None:
    """A group or page that declares too much is left out by its rows; the groups around it are read."""
    texts = ["a", "b", "c" * 50_000, "d", "e", "f"]
    (tmp_path / "t.parquet").write_bytes(parquet(pa.table({"text": texts}), row_group_size=2, use_dictionary=False))
    for limit, reason in (("max_group_bytes", "row_group_too_large"), ("max_page_bytes", "page_too_large")):
        parts = parts_of(a_split(tmp_path, "t.parquet"), a_source(**{limit: 10_000}))
        assert records_of(parts) == [(0, b"a"), (1, b"b"), (4, b"e"), (5, b"f")]
        (fault,) = faults_of(parts)
        assert (fault["doc_id"], fault["reason"], fault["threshold"]) == ("s:t.parquet#2", reason, 10_000)
        assert fault["value"] > 50_000
        assert fault["detail"].startswith("row group 1 (rows 2 to 3)")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_arrow_files_and_streams(tmp_path: Path, stream: bool, compression: str | None) -> None:  # noqa: FBT001
    """Both are read, in parts of any size; a batch that would unpack to too much ends the file and is named."""
    texts = ["a", "b", "c" * 50_000, "d", "e", "f"]
    (tmp_path / "t.arrow").write_bytes(arrow(pa.table({"text": texts}), 2, stream=stream, compression=compression))
    whole = read_whole(tmp_path, "t.arrow", a_source(), UNIT)
    assert whole == read_whole(tmp_path, "t.arrow", a_source(), 1)
    assert [(row[0], len(row[1])) for row in whole[0]] == [(f"s:t.arrow#{n}", len(t)) for n, t in enumerate(texts)]
    parts = parts_of(a_split(tmp_path, "t.arrow"), a_source(max_page_bytes=10_000))
    assert [row for row, _ in records_of(parts)] == [0, 1]
    (fault,) = faults_of(parts)
    assert (fault["doc_id"], fault["reason"], fault["threshold"]) == ("s:t.arrow#2", "page_too_large", 10_000)


@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_arrow_file_gives_the_batches_before(tmp_path: Path, stream: bool) -> None:  # noqa: FBT001
    """No footer is needed for what is there; the row where it ends is named, also where the cut is between batches."""
    texts = [f"row {n}" * 50 for n in range(60)]
    data = arrow(pa.table({"text": texts}), 10, stream=stream)
    seen = set()
    for cut in range(len(data) * 2 // 3, len(data) - 8, 97):
        (tmp_path / "t.arrow").write_bytes(data[:cut])
        parts = parts_of(a_split(tmp_path, "t.arrow"), a_source())
        rows = records_of(parts)
        assert [data.decode() for _, data in rows] == texts[: len(rows)]
        reasons = [(f["offset"], f["reason"]) for f in faults_of(parts)]
        if reasons or len(rows) < len(texts):
            assert reasons == [(len(rows), "truncated")]
        seen.add(len(rows))
    assert seen >= {40, 50}


def test_text_inside_structs(tmp_path: Path) -> None:
    """`a.b` is field b of column a, in tables as in JSON; what else is in a stays in the metadata."""
    rows = [{"c": {"text": "x", "n": 1}}, {"c": {"text": None, "n": 2}}, {"c": None}]
    (tmp_path / "t.parquet").write_bytes(parquet(pa.table({"c": pa.array([row["c"] for row in rows]), "k": [7, 8, 9]})))
    (tmp_path / "t.arrow").write_bytes(arrow(pa.table({"c": pa.array([row["c"] for row in rows]), "k": [7, 8, 9]}), 2))
    for name in ("t.parquet", "t.arrow"):
        (part,) = parts_of(a_split(tmp_path, name), a_source(text_field="c.text"))
        assert part.documents["data"].to_pylist() == [b"x", None, None]
        assert part.documents["metadata"].to_pylist() == [
            '{"c":{"n":1},"k":7}',
            '{"c":{"n":2},"k":8}',
            '{"c":null,"k":9}',
        ]
    (tmp_path / "t.parquet").write_bytes(parquet(pa.table({"c": pa.array([{"text": "x"}])})))
    (part,) = parts_of(a_split(tmp_path, "t.parquet"), a_source(text_field="c.text"))
    assert (part.documents["data"].to_pylist(), part.documents["metadata"].to_pylist()) == ([b"x"], [None])
    for field in ("c.nothing", "c.text.more", "nothing.text"):
        (fault,) = faults_of(parts_of(a_split(tmp_path, "t.parquet"), a_source(text_field=field)))
        assert fault["reason"] == "no_text_column"


def test_columns_that_change_between_files(tmp_path: Path) -> None:
    """Null, then string, then struct: each file is read by its own schema."""
    tables = ([None, None], ["u", None], [{"x": 1}, None])
    for number, extra in enumerate(tables):
        (tmp_path / f"{number}.parquet").write_bytes(parquet(pa.table({"text": ["a", "b"], "url": extra})))
    (part,) = parts_of(a_split(tmp_path, "0.parquet", "1.parquet", "2.parquet"), a_source())
    assert part.documents["data"].to_pylist() == [b"a", b"b"] * 3
    null = '{"url":null}'
    assert part.documents["metadata"].to_pylist() == [null, null, '{"url":"u"}', null, '{"url":{"x":1}}', null]


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_strings_that_are_not_utf8(tmp_path: Path, name: str) -> None:
    """What a careless writer put into string columns is left to decode, or written as it can be in the metadata."""
    raw = pa.array(["清洗".encode("gbk"), b"ok"])
    loose = pa.StringArray.from_buffers(2, raw.buffers()[1], raw.buffers()[2])
    table = pa.table({"text": loose, "other": loose, "inside": pa.StructArray.from_arrays([loose], ["x"])})
    (tmp_path / name).write_bytes(parquet(table) if name == "t.parquet" else arrow(table, 2))
    (part,) = parts_of(a_split(tmp_path, name), a_source())
    assert part.documents["data"].to_pylist() == ["清洗".encode("gbk"), b"ok"]
    assert part.documents["metadata"].to_pylist() == [
        '{"inside":{"x":"x+XPtA=="},"other":"x+XPtA=="}',
        '{"inside":{"x":"ok"},"other":"ok"}',
    ]


def test_checksums_of_pages_are_checked(tmp_path: Path) -> None:
    """One wrong bit in a page that has a checksum costs its row group."""
    texts = [f"text number {n}" for n in range(300)]
    data = bytearray(
        parquet(
            pa.table({"text": texts}),
            row_group_size=100,
            write_page_checksum=True,
            compression="none",
            use_dictionary=False,
        )
    )
    data[data.index(b"text number 150")] ^= 1
    (tmp_path / "t.parquet").write_bytes(data)
    parts = parts_of(a_split(tmp_path, "t.parquet"), a_source())
    assert len(records_of(parts)) == 200
    assert [(f["offset"], f["reason"]) for f in faults_of(parts)] == [(100, "unreadable_parquet")]


def test_thrift_structs_are_read_or_refused() -> None:
    """Any bytes give a struct or a ThriftError, whatever they claim."""
    assert read_struct(bytes([0x15, 0x04, 0x16, 0x03, 0x18, 0x01, 0x41, 0x11, 0x29, 0x25, 2, 4, 0x00])) == (
        {1: 2, 2: -2, 3: None, 4: 1, 6: [1, 2]},
        13,
    )
    deep = bytes([0x1C]) * (sys.getrecursionlimit() + 100)
    for data in (b"", b"\x15", b"\x15\xff" + b"\xff" * 20, b"\x19\xfc\xff\xff\xff\x7f", b"\x18\x7f", deep, b"\x1b\x00"):
        with pytest.raises(ThriftError):
            read_struct(data)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_every_encoding_of_strings(tmp_path: Path, encoding: str) -> None:
    """Those that no dictionary can be kept of are read too, and values that share their bytes are bounded as well."""
    encodings = {"text": encoding, "more": encoding}
    table = pa.table({"text": [f"清洗 {n}" for n in range(300)], "more": [f"x{n}" for n in range(300)]})
    data = parquet(table, use_dictionary=False, column_encoding=encodings, row_group_size=100)
    (tmp_path / "t.parquet").write_bytes(data)
    rows = records_of(parts_of(a_split(tmp_path, "t.parquet"), a_source(), 700))
    assert [text.decode() for _, text in rows] == table["text"].to_pylist()
    same = pa.table({"text": ["x" * 1_000_000] * 200, "more": ["y"] * 200})
    data = parquet(same, use_dictionary=False, column_encoding=encodings, compression="zstd")
    (tmp_path / "t.parquet").write_bytes(data)
    (fault,) = faults_of(parts_of(a_split(tmp_path, "t.parquet"), a_source(), 4 * UNIT))
    assert (fault["offset"], fault["reason"]) == (99, "expansion")
