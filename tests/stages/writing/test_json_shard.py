from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from tests.stages.token_units import unit

from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.arrays import with_column
from headrace.schemas.durable import sha256_file
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.writing.json_shard import JsonShard
from headrace.stages.writing.text_shard import TextShard

METADATA = '{"stars":5,"by":{"name":"河"},"big":123456789012345678901234567890,"share":0.1}'


def batch(texts: list[str]) -> UnitBatch:
    made = unit(0, texts, [])
    table = with_column(made.documents, "metadata", pa.array([METADATA, *[None] * (len(texts) - 1)], pa.string()))
    values = pa.array([float("nan"), *[1.5] * (len(texts) - 1)], pa.float64())
    return made.but(documents=with_column(table, "values.own", values))


def written(shard: TextShard, path: Path, units: list[UnitBatch]) -> ShardInfo:
    for each in units:
        shard.add(each)
    rows, tokens = shard.write(path)
    return ShardInfo(FileRef(path.name, sha256_file(path), path.stat().st_size), shard.format, rows, tokens)


def test_each_document_is_an_object_of_what_is_known_of_it(tmp_path: Path) -> None:
    """Text first, metadata as the object that it is, numbers that are none left out; any Zstandard reader opens it."""
    texts = ["水轮\n转", 'a "quoted" \u2028 text', ""]
    info = written(JsonShard(1), tmp_path / "a.jsonl.zst", [batch(texts)])
    assert (info.sequences, info.tokens) == (3, 0)
    with zstandard.ZstdDecompressor().stream_reader((tmp_path / "a.jsonl.zst").open("rb")) as stream:
        rows = [json.loads(line) for line in io.TextIOWrapper(stream, encoding="utf-8", newline="\n")]
    assert [row["text"] for row in rows] == texts
    assert next(iter(rows[0])) == "text"
    assert rows[0]["metadata"] == json.loads(METADATA)
    assert "metadata" not in rows[1]
    assert [row.get("values.own") for row in rows] == [None, 1.5, 1.5]
    assert not [name for name in rows[0] if name.startswith("_")]


def test_the_rows_of_a_shard_are_those_of_a_parquet_shard(tmp_path: Path) -> None:
    """Read back, also over many units, whose columns differ, and in portions."""
    units = [batch([f"text {number} {place}" for place in range(700)]) for number in range(3)]
    units.append(unit(3, ["another"], []))
    json_lines = written(JsonShard(1), tmp_path / "a.jsonl.zst", units)
    parquet = written(TextShard(1), tmp_path / "a.parquet", units)
    found = pa.concat_tables(read_shard(tmp_path, json_lines), promote_options="permissive")
    known = pq.read_table(tmp_path / parquet.file.name)
    names = [name for name in known.column_names if name not in ("metadata", "values.own")]
    assert found.select(names).to_pylist() == known.select(names).to_pylist()
    assert json.loads(found["metadata"][0].as_py()) == json.loads(METADATA)
    assert [t.column_names for t in read_shard(tmp_path, json_lines, ["doc_id"])] == [["doc_id"]] * 3
