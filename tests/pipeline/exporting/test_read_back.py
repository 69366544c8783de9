"""Exports read back: by readers written from the formats' documentation, and by the formats' own packages."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.pipeline.exporting.readers import read
from tests.pipeline.exporting.token_runs import LENGTH, ids_of, texts_of, token_run

from headrace.loader.shards import Layout
from headrace.pipeline.committed import open_committed
from headrace.pipeline.exporting.export import ORIGINS, RECORD, Exported, Wanted, export
from headrace.pipeline.exporting.formats import FORMATS
from headrace.pipeline.exporting.out_folder import out_folder
from headrace.pipeline.exporting.reading import Grain
from headrace.pipeline.exporting.rows import Rows, files, offsets_of
from headrace.pipeline.exporting.shape import Shape
from headrace.pipeline.shard_rows import read_shard

GRAINS: tuple[Grain, ...] = ("sequences", "documents")
SMALL = 1500  # bytes: every format has several files


@pytest.fixture(scope="module", params=["arrow", "lmdb"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return token_run(tmp_path_factory.mktemp("exported"), request.param)


def documents() -> dict[str, list[int]]:
    return {name: ids_of(text) for unit in range(6) for name, text in texts_of(unit).items()}


def sequences(run: Path) -> list[dict[str, Any]]:
    shards = [line.shard for line in open_committed(run).lines if line.shard]
    return [row for shard in shards for table in read_shard(run, shard) for row in table.to_pylist()]


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("form", FORMATS)
def test_documents_come_back(run: Path, tmp_path: Path, form: str) -> None:
    """Every format gives each document's ids as the tokenizer made them, in the order of the run."""
    export(run, tmp_path / "out", Wanted(form, "documents", SMALL))
    rows = read(form, tmp_path / "out")
    expected = documents()
    assert [row["ids"] for row in rows] == list(expected.values())
    if form in ("mds", "tfrecord"):
        names = [row["doc_id"] if form == "mds" else row["doc_id"][0].decode() for row in rows]
        assert names == list(expected)


@pytest.mark.parametrize("form", FORMATS)
def test_sequences_come_back(run: Path, tmp_path: Path, form: str) -> None:
    """Every format gives the packed sequences as they are in the shards; Megatron gets no padding to train on."""
    export(run, tmp_path / "out", Wanted(form, "sequences", SMALL))
    rows, expected = read(form, tmp_path / "out"), sequences(run)
    assert len(rows) == len(expected) > 30
    for row, sequence in zip(rows, expected, strict=True):
        assert row["ids"] == sequence["tokens"][: sequence["length"] if form == "megatron" else LENGTH]
        if form in ("mds", "tfrecord", "npy"):
            assert np.ravel(row["length"]).tolist() == [sequence["length"]]
            assert row["document_ends"] == sequence["piece_ends"]


def write_wide(folder: Path, form: str, grain: Grain) -> list[list[int]]:
    """Write rows of a vocabulary of 2**31 ids, and give them."""
    rng = np.random.default_rng(7)
    lengths = np.full(9, 6) if grain == "sequences" else rng.integers(1, 700, 9)
    ids = rng.integers(0, 1 << 31, int(lengths.sum())).astype(np.uint32)
    ids[:3] = (0, 65536, (1 << 31) - 1)
    origins = pa.table({"doc_id": [f"a:{n}#0" for n in range(9)]})
    offsets = offsets_of(lengths)
    rows = Rows(ids, offsets, lengths, lengths.astype(np.int32), np.arange(10), origins)
    with out_folder(folder) as out:
        FORMATS[form].write(files(iter([rows]), 100), out, Shape(grain, Layout(6, 1 << 31, 0, ""), 1 << 20))
    return [part.tolist() for part in np.split(ids, offsets[1:-1])]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("grain", GRAINS)
def test_ids_beyond_two_bytes(tmp_path: Path, form: str, grain: Grain) -> None:
    """A vocabulary above 65,536 takes four bytes an id, up to the last id that a vocabulary of 2**31 has."""
    expected = write_wide(tmp_path / "out", form, grain)
    assert [row["ids"] for row in read(form, tmp_path / "out")] == expected


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_bytes_each_time(run: Path, tmp_path: Path, form: str) -> None:
    """Two exports agree in every byte, and `headrace.json` has the SHA-256 and the size of every other file."""
    for name in ("one", "two"):
        export(run, tmp_path / name, Wanted(form, file_bytes=SMALL))
    found = hashes(tmp_path / "one")
    assert found == hashes(tmp_path / "two")
    record = json.loads((tmp_path / "one" / RECORD).read_bytes())
    assert {ref["name"]: ref["sha256"] for ref in record["files"]} == {n: h for n, h in found.items() if n != RECORD}
    for ref in record["files"]:
        assert ref["bytes"] == (tmp_path / "one" / ref["name"]).stat().st_size


@pytest.mark.parametrize("grain", GRAINS)
def test_rows_say_where_they_come_from(run: Path, tmp_path: Path, grain: Grain) -> None:
    """`rows.parquet` has a line for each row: the shard and sequence, or the document, its unit and its row."""
    export(run, tmp_path / "out", Wanted("npy", grain, SMALL))
    origins = pq.read_table(tmp_path / "out" / ORIGINS).to_pylist()
    if grain == "documents":
        assert [row["doc_id"] for row in origins] == list(documents())
        assert [row["unit"] for row in origins] == [unit for unit in range(6) for _ in texts_of(unit)]
        return
    shards = [line.shard for line in open_committed(run).lines if line.shard]
    assert [(row["shard"], row["sequence"]) for row in origins] == [
        (shard.file.name, number) for shard in shards for number in range(shard.sequences)
    ]


def test_what_an_export_counts(run: Path, tmp_path: Path) -> None:
    """Rows, tokens and padding are those of the manifest."""
    found: Exported = export(run, tmp_path / "out", Wanted("npy"))
    shards = [line.shard for line in open_committed(run).lines if line.shard]
    assert (found.count, found.tokens) == (sum(s.sequences for s in shards), sum(s.tokens for s in shards))
    assert found.padding == found.count * LENGTH - found.tokens > 0
    assert (found.left_out, found.left_out_tokens, found.finished) == (0, 0, True)


OWN_PACKAGES = ["megatron", "litdata", "mds", "tfrecord"]


@pytest.mark.parametrize("form", OWN_PACKAGES)
@pytest.mark.parametrize("grain", GRAINS)
def test_their_own_packages_agree(run: Path, tmp_path: Path, form: str, grain: Grain) -> None:
    """megatron-core, litdata, mosaicml-streaming and TensorFlow read the rows that our own readers do."""
    export(run, tmp_path / "out", Wanted(form, grain, SMALL))
    assert by_own_package(form, grain, tmp_path / "out", LENGTH) == [row["ids"] for row in read(form, tmp_path / "out")]


@pytest.mark.parametrize("form", OWN_PACKAGES)
@pytest.mark.parametrize("grain", GRAINS)
def test_their_own_packages_agree_on_four_bytes(tmp_path: Path, form: str, grain: Grain) -> None:
    """The same for ids of four bytes."""
    expected = write_wide(tmp_path / "out", form, grain)
    assert by_own_package(form, grain, tmp_path / "out", 6) == expected


def by_own_package(form: str, grain: Grain, folder: Path, length: int) -> list[list[int]]:
    """Read an export on a Python that has the format's package, or skip."""
    name = f"HEADRACE_EXPORT_PYTHON_{form.upper()}"
    if not (python := os.environ.get(name)):
        pytest.skip(f"set {name} to a Python that has the format's own package")
    program = Path(__file__).with_name("own_packages.py")
    command = [python, str(program), form, grain, str(folder), str(length)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("[")]
