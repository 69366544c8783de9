from __future__ import annotations

import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.stages.token_units import tokenized, unit
from tests.tokenizers.samples import small_model

from headrace.schemas.errors import HeadraceError
from headrace.schemas.shard import LMDB_BLOCK_SEQUENCES, shard_schema
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.writing.packing import Packing
from headrace.stages.writing.token_shard import Layout, TokenShard, UnitTokens, shard_table, unit_tokens
from headrace.tokenizers.load import load

TEXTS = {0: ["hello world " * 9, "水轮", ""], 1: [], 2: ["x" * 64, "y" * 5], 3: ["晨" * 30]}
SIZE = 16


def written(path: Path, form: str = "arrow", packing: Packing = "best_fit", size: int = SIZE) -> TokenShard:
    shard = TokenShard(Layout(form, size, packing, 4), target=1)
    for number, texts in TEXTS.items():
        shard.add(tokenized(number, texts))
    shard.write(path)
    return shard


def pieces(table: pa.Table) -> dict[tuple[int, int], dict[int, list[int]]]:
    """Cut every sequence at its piece ends: (unit, row) -> start -> ids."""
    found: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(dict)
    for row in table.to_pylist():
        begins = [0, *row["piece_ends"][:-1]]
        origin = zip(row["piece_units"], row["piece_rows"], row["piece_starts"], begins, row["piece_ends"], strict=True)
        for number, document, start, begin, end in origin:
            found[number, document][start] = row["tokens"][begin:end]
        assert row["length"] == row["piece_ends"][-1]
        assert row["tokens"][row["length"] :] == [256] * (SIZE - row["length"])
    return found


@pytest.mark.parametrize("packing", ["best_fit", "concat"])
def test_every_document_can_be_put_together_again(tmp_path: Path, packing: Packing) -> None:
    """Units, rows and starts name each piece; the pieces of a document are its ids, and the rest is padding."""
    written(tmp_path / "a.arrow", packing=packing)
    with pa.memory_map(str(tmp_path / "a.arrow")) as source:
        table = pa.ipc.open_file(source).read_all()
        found = pieces(table)
    expected = {(u, i): [*t.encode(), 258] for u, texts in TEXTS.items() for i, t in enumerate(texts)}
    actual = {}
    for key, parts in found.items():
        ids = [i for start in sorted(parts) for i in parts[start]]
        assert sorted(parts) == np.cumsum([0, *(len(parts[s]) for s in sorted(parts))])[:-1].tolist()
        actual[key] = ids
    assert actual == expected


def test_the_schema_is_the_formats(tmp_path: Path) -> None:
    """The file has exactly the schema that readers expect, metadata included."""
    written(tmp_path / "a.arrow")
    schema = pa.ipc.open_file(str(tmp_path / "a.arrow")).schema
    assert schema.equals(shard_schema(SIZE, 259, 256, load("bytes").sha256), check_metadata=True)


def test_an_arrow_shard_is_mapped_not_read(tmp_path: Path) -> None:
    """Uncompressed: a mapped file gives its columns without allocating memory for them."""
    written(tmp_path / "a.arrow")
    with pa.memory_map(str(tmp_path / "a.arrow")) as source:
        before = pa.total_allocated_bytes()
        table = pa.ipc.open_file(source).read_all()
        assert table.nbytes > 500
        assert pa.total_allocated_bytes() - before == 0


def blocks(path: Path) -> tuple[list[bytes], pa.Table]:
    with lmdb.open(str(path), subdir=False, lock=False, readonly=True) as store, store.begin() as reading:
        items = list(reading.cursor())
    tables = [pa.ipc.open_stream(value).read_all() for key, value in items if key != b"header"]
    return [key for key, _ in items], pa.concat_tables(tables)


def test_both_formats_hold_the_same_rows(tmp_path: Path) -> None:
    """LMDB holds the table of the Arrow file, in blocks under their numbers, and its metadata under `header`."""
    written(tmp_path / "a.arrow", size=2)
    written(tmp_path / "a.lmdb", "lmdb", size=2)
    expected = pa.ipc.open_file(str(tmp_path / "a.arrow")).read_all()
    keys, table = blocks(tmp_path / "a.lmdb")
    assert expected.num_rows > LMDB_BLOCK_SEQUENCES
    count = -(-expected.num_rows // LMDB_BLOCK_SEQUENCES)
    assert keys == [*(struct.pack(">Q", number) for number in range(count)), b"header"]
    assert table.equals(expected, check_metadata=True)


@pytest.mark.parametrize("form", ["arrow", "lmdb"])
def test_the_same_units_give_the_same_bytes(tmp_path: Path, form: str) -> None:
    """Written twice, into memory that held other things before, a shard is byte-identical, and no lock file is left."""
    written(tmp_path / "a", form)
    dirt = [np.full(1 << 16, 0xAB, np.uint8) for _ in range(200)]
    del dirt
    written(tmp_path / "b", form)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_an_lmdb_shard_is_hardly_larger_than_its_tokens(tmp_path: Path) -> None:
    """Blocks of 64 sequences fill the pages: within 5 % of the Arrow file at 2,048 tokens a sequence."""
    tokens = np.zeros(2048 * 1024, np.uint16)
    units = [UnitTokens(0, tokens, np.arange(1025, dtype=np.int64) * 2048)]
    sizes = {}
    for form in ("arrow", "lmdb"):
        shard = TokenShard(Layout(form, 2048, "concat", 1), 1)
        shard._units, shard._tokenizer = units, tokenizer_metadata()
        shard.write(tmp_path / form)
        sizes[form] = (tmp_path / form).stat().st_size
    assert sizes["lmdb"] < sizes["arrow"] * 1.05


def tokenizer_metadata() -> dict[bytes, bytes]:
    metadata: Any = tokenized(0, ["a"]).documents.schema.field("_tokens").metadata
    return dict(metadata)


def test_more_than_65536_ids_take_four_bytes() -> None:
    """A large vocabulary gives uint32 ids, in the column as in the shard."""
    metadata = {**tokenizer_metadata(), b"headrace.vocabulary_size": b"70000"}
    units = [UnitTokens(0, np.array([69_999, 1], np.uint32), np.array([0, 2]))]
    table = shard_table(units, Layout("arrow", 4, "best_fit", 4), metadata)
    assert table["tokens"].to_pylist() == [[69_999, 1, 256, 256]]
    assert table["tokens"].type == pa.list_(pa.uint32(), 4)


def test_tokens_are_copied_out_of_the_batch() -> None:
    """Nothing of the unit's memory is held; slices of the column are read right."""
    batch = tokenized(0, ["a", "bb", "ccc", "d"])
    batch = batch.but(documents=batch.documents.slice(1, 2))
    tokens = unit_tokens(batch)
    assert tokens is not None
    assert (tokens.ids.tolist(), tokens.offsets.tolist()) == ([98, 98, 258, 99, 99, 99, 258], [0, 3, 7])
    assert tokens.ids.base is None
    assert pc.sum(batch.documents["values.tokens"]).as_py() == len(tokens.ids)


def test_a_chain_without_tokenize_is_refused() -> None:
    """Documents without tokens are an error that says which stage is missing."""
    with pytest.raises(HeadraceError, match="no tokens to write: no tokenize stage ran before it"):
        unit_tokens(unit(0, ["a"]))


def test_two_models_in_one_shard_are_refused(tmp_path: Path) -> None:
    """A unit from another tokenizer is an error, not a shard of two languages of ids."""
    (tmp_path / "a.model").write_bytes(small_model())
    shard = TokenShard(Layout("arrow", SIZE, "best_fit", 4), 100)
    shard.add(tokenized(0, ["a"]))
    other: UnitBatch = apply("tokenize", TokenizeStage(model=str(tmp_path / "a.model")), unit(1, ["a"]))
    with pytest.raises(HeadraceError, match="unit 1 was tokenized with another model"):
        shard.add(other)
