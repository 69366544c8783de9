"""Compressed files: members, frames, cuts, flipped bits and bombs."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of
from tests.stages.small_files import PROPERTY, packed_lines, texts, write


@PROPERTY
@given(content=texts("utf-8"), unit_bytes=st.integers(1, 60))
def test_packed_files_read_like_plain_ones(tmp_path: Path, content: bytes, unit_bytes: int) -> None:
    """Compression changes neither records nor offsets nor where parts end."""
    names = ("f.txt", "f.txt.gz", "f.txt.zst")
    source = a_source(records="lines")
    found = []
    for name in names:
        write(tmp_path / name, content)
        found.append([records_of([p]) for p in parts_of(a_split(tmp_path, name), source, unit_bytes)])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_record_over_the_limit_is_named_not_cut(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """It is quarantined with its size; its neighbours are read, in the same unit or behind it."""
    long = b"x" * 200_000
    (tmp_path / "f.txt").write_bytes(pack(b"before\n" + long + b"\nafter\n"))
    source = a_source(records="lines", max_record_bytes=1000)
    for unit_bytes in (50, 150_000, UNIT):
        parts = parts_of(a_split(tmp_path, "f.txt"), source, unit_bytes)
        assert [data for _, data in records_of(parts)] == [b"before\n", b"after\n"]
        (fault,) = faults_of(parts)
        assert (fault["reason"], fault["value"], fault["threshold"]) == ("record_too_large", 200_001, 1000)
        assert (fault["doc_id"], fault["verdict"], fault["stage"]) == ("s:f.txt#7", "quarantined", "read")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("records", ["file", "lines", "paragraphs"])
def test_a_bomb_stays_outside_memory(tmp_path: Path, records: str, pack: Callable[[bytes], bytes]) -> None:
    """64 MiB without a line end, packed into a few kB, are measured and named, and never held."""
    (tmp_path / "bomb.txt.gz").write_bytes(pack(b"\0" * 16 + b"a" * (64 << 20)))
    tracemalloc.start()
    parts = parts_of(a_split(tmp_path, "bomb.txt.gz"), a_source(records=records, max_record_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (fault,) = faults_of(parts)
    assert fault["reason"] == "record_too_large"
    assert fault["value"] >= 16 << 20
    assert peak < 40 << 20  # two pieces of zstd output


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("zst", zstandard.compress)])
def test_a_cut_file_gives_what_comes_before_the_cut(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    """Whole lines before the cut are kept, the torn one is not, and the file is reported as truncated."""
    content = packed_lines(20_000)
    data = pack(content)
    (tmp_path / f"f.jsonl.{ending}").write_bytes(data[: len(data) * 3 // 4])
    for unit_bytes in (100_000, UNIT, 8 * UNIT):
        parts = parts_of(a_split(tmp_path, f"f.jsonl.{ending}"), a_source(), unit_bytes)
        found = b"".join(record for _, record in records_of(parts))
        assert content.startswith(found)
        assert found.endswith(b"\n")
        assert len(found) > len(content) // 2
        assert [f["reason"] for f in faults_of(parts)] == ["truncated"]
        assert parts[-1].files[-1].note == "truncated"


def test_a_flipped_bit_ends_a_gzip_file(tmp_path: Path) -> None:
    """Damage in the middle is reported with the offset up to which lines are good, in parts of any size alike."""
    content = packed_lines(5000)
    data = bytearray(gzip.compress(content))
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "f.txt.gz").write_bytes(data)
    outcomes = set()
    for unit_bytes in (10_000, UNIT):
        parts = parts_of(a_split(tmp_path, "f.txt.gz"), a_source(records="lines"), unit_bytes)
        (fault,) = faults_of(parts)
        assert fault["reason"] == "corrupt"
        outcomes.add((fault["offset"], b"".join(record for _, record in records_of(parts))))
    assert len(outcomes) == 1


def test_garbage_behind_a_gzip_member_is_reported(tmp_path: Path) -> None:
    """What was unpacked is kept; the rest is no gzip and is said to be none."""
    (tmp_path / "f.txt.gz").write_bytes(gzip.compress(b"good\n") + b"garbage")
    parts = parts_of(a_split(tmp_path, "f.txt.gz"), a_source(records="lines"))
    assert [data for _, data in records_of(parts)] == [b"good\n"]
    assert [f["reason"] for f in faults_of(parts)] == ["corrupt"]


def test_gzip_inside_gzip_is_unpacked_twice(tmp_path: Path) -> None:
    """It happens when servers pack what is packed already."""
    (tmp_path / "f.txt.gz").write_bytes(gzip.compress(gzip.compress(b"inside")))
    assert records_of(parts_of(a_split(tmp_path, "f.txt.gz"), a_source())) == [(0, b"inside")]
