"""What is broken costs itself: one bad line in a thousand, the rest of a cut file, and a verdict that says where."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.read_command import places, rows_of

from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.manifest import read_manifest

CONFIG = """
run: run
sources:
  - {name: web, paths: ["in/*"], records: lines}
stages:
  - {kind: decode}
  - {kind: parse}
  - {kind: repair}
  - {kind: tokenize, train: {vocab_size: 300, sample_bytes: 3000}}
  - {kind: write, sequence_length: 64, shard_tokens: 5000}
engine: {executor: inline, unit_bytes: 20000, lanes: 2}
"""
WORDS = "水轮 石磨 引水渠 磨坊 面粉 闸板 师傅 春天 村口 帐簿"
LINES = 1000


def texts(count: int = LINES, seed: int = 3) -> list[str]:
    """Give texts that are all different and pack badly."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS.split(), k=8)) + f" {rng.random()}" for _ in range(count)]


def as_json(text: str) -> bytes:
    return json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n"


def as_csv(text: str) -> bytes:
    return f"7,{text}\n".encode()


def as_line(text: str) -> bytes:
    return f"{text}\n".encode("gb18030")


# UTF-8 that has lost the last byte of every fourth character.
TORN = b"".join(c.encode()[: 2 if i % 4 == 0 else 3] for i, c in enumerate("清洗数据是训练大模型的第一步，缺一不可。"))
# File: head, how a text becomes a line, the line that is bad, number of the bad line, and why it gives no document.
ONE_BAD: dict[str, tuple[bytes, Callable[[str], bytes], bytes, int, str]] = {
    "json.jsonl": (b"", as_json, b'{"text": "no end\n', 500, "invalid_json"),
    "field.jsonl": (b"", as_json, b'{"txt": "another name"}\n', 1000, "no_text_field"),
    "bytes.jsonl": (b"", as_json, b'{"text": "' + TORN + b'"}\n', 1, "undecodable"),
    "fields.csv": (b"id,text\n", as_csv, b"7,8,9\n", 730, "invalid_csv"),
    "quote.csv": (b"id,text\n", as_csv, b'7,"never closed\n', 400, "invalid_csv"),
    "gbk.txt": (b"", as_line, b"\xff\xfe\xff\xff\x80\xff\x81\x30\xff\n", 612, "undecodable"),
}


def one_bad(folder: Path, name: str) -> tuple[int, list[str]]:
    """Write a file with one bad line; give its byte and the texts of all others."""
    head, line, bad, number, _ = ONE_BAD[name]
    good = texts(seed=len(name))
    at = number - 1 - head.count(b"\n")
    before = head + b"".join(map(line, good[:at]))
    (folder / name).write_bytes(before + bad + b"".join(map(line, good[at + 1 :])))
    return len(before), good[:at] + good[at + 1 :]


@pytest.mark.parametrize("name", ONE_BAD)
def test_one_bad_line_in_a_thousand_costs_itself(tmp_path: Path, name: str) -> None:
    """The 999 others are read as they were written; the fault names line, byte and reason."""
    *_, number, reason = ONE_BAD[name]
    byte, good = one_bad(tmp_path, name)
    rows = rows_of(tmp_path / name, records="lines")
    assert [row["text"] for row in rows if "text" in row] == good
    assert places(rows, "error") == [(reason, byte)]
    (detail,) = [row["error"]["detail"] for row in rows if "error" in row]
    assert f"line {number} (byte {byte})" in detail


@pytest.mark.xfail(reason="lines of noise are called GB18030, CP949, Mac Cyrillic, and with confidence 1", strict=True)
def test_a_line_of_noise_is_no_language(tmp_path: Path) -> None:
    """Random bytes in a file of UTF-8 are lost: that some charset has a character for each of them is no proof."""
    noise = [bytes(random.Random(seed).choices(range(0x80, 0x100), k=40)) for seed in range(6)]
    lines = [b'{"text": "' + line + b'"}\n' for line in noise]
    (tmp_path / "f.jsonl").write_bytes(b"".join(lines) + b"".join(map(as_json, texts())))
    rows = rows_of(tmp_path / "f.jsonl")
    assert [row["error"]["reason"] for row in rows if "error" in row] == ["undecodable"] * len(lines)


def test_the_ledger_names_file_line_and_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run over all of them ends well: 999 documents a file, one quarantined, every record in the balance."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    bytes_of = {name: one_bad(tmp_path / "in", name)[0] for name in ONE_BAD}
    (tmp_path / "c.yaml").write_text(CONFIG)
    assert run_pipeline(load_config(tmp_path / "c.yaml")).state == "done"
    assert not verify(tmp_path / "run").problems
    table = ds.dataset(tmp_path / "run" / "documents").to_table()
    bad = [row for row in table.to_pylist() if row["verdict"] == "quarantined"]
    assert {row["path"]: (row["offset"], row["reason"]) for row in bad} == {
        name: (byte, ONE_BAD[name][4]) for name, byte in bytes_of.items()
    }
    for row in bad:
        assert f"line {ONE_BAD[row['path']][3]} (byte {row['offset']})" in row["detail"]
    assert len(bad) == len(ONE_BAD)
    assert Counter(table["path"].to_pylist()) == dict.fromkeys(ONE_BAD, LINES)
    assert quarantined(tmp_path / "run") == Counter(reason for *_, reason in ONE_BAD.values())


def quarantined(run: Path) -> Counter[str]:
    """Add up what the ledgers of the units count under each reason."""
    ledgers = [json.loads((run / ref.name).read_bytes()) for line in read_manifest(run) for ref in line.ledgers]
    stages = [stage for ledger in ledgers for stage in ledger["stages"]]
    return sum((Counter(stage["quarantined"]) for stage in stages), Counter[str]())


def zstd(data: bytes) -> bytes:
    """Pack into frames of several blocks, as writers that stream do."""
    packer = zstandard.ZstdCompressor().compressobj()
    step = len(data) // 20
    blocks = [
        packer.compress(data[at : at + step]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for at in range(0, len(data), step)
    ]
    return b"".join(blocks) + packer.flush()


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_cut_packed_file_keeps_what_comes_before(tmp_path: Path, ending: str) -> None:
    """The documents before the cut are whole; the fault begins where they end and names the byte of the cut."""
    good = texts(5000)
    content = b"".join(map(as_json, good))
    data = gzip.compress(content) if ending == "gz" else zstd(content)
    cut = len(data) * 3 // 5
    (tmp_path / f"f.jsonl.{ending}").write_bytes(data[:cut])
    rows = rows_of(tmp_path / f"f.jsonl.{ending}")
    kept = [row["text"] for row in rows if "text" in row]
    assert kept == good[: len(kept)]
    assert len(kept) > 2500
    lost = sum(len(as_json(text)) for text in kept)
    assert places(rows, "error") == [("truncated", lost)]
    said = f"line {len(kept) + 1} (byte {lost}): the compressed data ends at its byte {cut}, "
    assert rows[-1]["error"]["detail"].startswith(said)


def warc(text: str, number: int) -> bytes:
    """Give a WARC record of a text."""
    body = text.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://example.org/{number}\r\n"
        f"WARC-Date: 2024-03-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


@pytest.mark.parametrize("packed", [False, True])
def test_a_cut_warc_keeps_the_records_before(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001
    """The records before the cut are read; the one that is cut is reported with its offset in the unpacked file."""
    good = texts(100)
    records = [warc(text, number) for number, text in enumerate(good)]
    members = [gzip.compress(record) if packed else record for record in records]
    name = "f.warc.gz" if packed else "f.warc"
    (tmp_path / name).write_bytes(b"".join(members)[: sum(map(len, members[:70])) + len(members[70]) * 4 // 5])
    rows = rows_of(tmp_path / name)
    assert [row["text"] for row in rows if "text" in row][:70] == good[:70]
    assert places(rows, "error") == [("truncated", sum(map(len, records[:70])))]


def parquet(folder: Path, table: pa.Table) -> Path:
    """Write a Parquet file of ten row groups."""
    pq.write_table(table, folder / "f.parquet", row_group_size=100, use_dictionary=False, compression="zstd")
    return folder / "f.parquet"


def test_a_cut_table_is_named_with_the_byte_and_the_next_file_is_read(tmp_path: Path) -> None:
    """Parquet keeps the places of its columns at its end: without it, nothing can be read, and the fault says so."""
    good = texts()
    path = parquet(tmp_path, pa.table({"text": good}))
    shutil.copy(path, tmp_path / "g.parquet")
    cut = path.stat().st_size * 4 // 5
    path.write_bytes(path.read_bytes()[:cut])
    rows = rows_of(tmp_path)
    assert [row["text"] for row in rows if "text" in row] == good
    assert places(rows, "error") == [("unreadable_parquet", 0)]
    assert rows[0]["error"]["detail"].startswith(f"cut off at byte {cut}: the footer is missing")


def test_a_row_group_that_is_damaged_costs_itself(tmp_path: Path) -> None:
    """The rows of the nine others are read, and those that are lost are named."""
    good = texts()
    path = parquet(tmp_path, pa.table({"text": good}))
    column = pq.read_metadata(path).row_group(4).column(0)
    data = bytearray(path.read_bytes())
    middle = column.data_page_offset + column.total_compressed_size // 2
    data[middle : middle + 30] = bytes(30)
    path.write_bytes(data)
    rows = rows_of(path)
    assert [row["text"] for row in rows if "text" in row] == good[:400] + good[500:]
    assert places(rows, "error") == [("unreadable_parquet", 400)]
    (detail,) = [row["error"]["detail"] for row in rows if "error" in row]
    assert re.match(r"row group 4 \(rows 400 to 499\): ", detail)


def test_a_cut_arrow_file_keeps_the_batches_before(tmp_path: Path) -> None:
    """Of ten batches those in front of the cut are read; the fault begins at the first row that is lost."""
    good = texts()
    table = pa.table({"text": good})
    with pa.ipc.new_file(str(tmp_path / "f.arrow"), table.schema) as out:
        out.write_table(table, 100)
    data = (tmp_path / "f.arrow").read_bytes()
    (tmp_path / "f.arrow").write_bytes(data[: len(data) * 3 // 5])
    rows = rows_of(tmp_path / "f.arrow")
    kept = [row["text"] for row in rows if "text" in row]
    assert kept == good[: len(kept)]
    assert len(kept) in (500, 600)
    ((_, offset),) = places(rows, "error")
    assert offset == len(kept)
