"""Every compression: several members, endings in capitals, layers, damage with its place, and what grows too much."""

from __future__ import annotations

import gzip
import lzma
import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of, records_of
from tests.stages.reading.made_archives import PACKERS, SEVERAL
from tests.stages.small_files import PROPERTY, packed_lines, texts

UNITS = {"gz": "member", "zst": "frame", "lz4": "frame", "bz2": "stream", "xz": "stream", "lzma": "stream"}


@pytest.mark.parametrize("ending", PACKERS)
@PROPERTY
@given(content=texts("utf-8"), unit_bytes=st.integers(1, 60))
def test_compression_changes_nothing(tmp_path: Path, ending: str, content: bytes, unit_bytes: int) -> None:
    """Records, their offsets and the ends of parts are those of the plain file."""
    pack, half = PACKERS[ending], len(content) // 2
    packed = pack(content[:half]) + pack(content[half:]) if ending in SEVERAL else pack(content)
    source, found = a_source(records="lines"), []
    for name, data in (("f.txt", content), (f"f.txt.{ending}", packed)):
        (tmp_path / name).write_bytes(data)
        found.append([records_of([part]) for part in parts_of(a_split(tmp_path, name), source, unit_bytes)])
    assert found[0] == found[1]


@pytest.mark.parametrize("ending", PACKERS)
def test_the_magic_counts_not_the_name(tmp_path: Path, ending: str) -> None:
    """Endings in capitals, of another compression or none at all: what is inside is read in its own format."""
    packed = PACKERS[ending](b'{"text": "x"}\n')
    for name in (f"F.JSONL.{ending.upper()}", "f.jsonl", "f.jsonl.gz", "f.ndjson.bz2"):
        (tmp_path / name).write_bytes(packed)
        (part,) = parts_of(a_split(tmp_path, name), a_source())
        assert records_of([part]) == [(0, b'{"text": "x"}\n')]
        assert part.documents["format"].to_pylist() == ["jsonl"]


@pytest.mark.parametrize("ending", PACKERS)
def test_a_cut_file_gives_what_comes_before_the_cut(tmp_path: Path, ending: str) -> None:
    """Lines in front of the cut are kept, the same ones in parts of any size; the byte of the cut is named."""
    content = packed_lines(10_000)
    data = PACKERS[ending](content)
    cut = len(data) * 9 // 10
    (tmp_path / f"f.txt.{ending}").write_bytes(data[:cut])
    found = set()
    for unit_bytes in (50_000, UNIT):
        parts = parts_of(a_split(tmp_path, f"f.txt.{ending}"), a_source(records="lines"), unit_bytes)
        (fault,) = faults_of(parts)
        assert fault["reason"] == "truncated"
        assert f"the compressed data ends at its byte {cut}, in the middle of a {UNITS[ending]}" in fault["detail"]
        found.add((fault["doc_id"], fault["detail"], b"".join(record for _, record in records_of(parts))))
    ((_, _, kept),) = found
    assert content.startswith(kept)
    assert len(kept) > len(content) // 3


@pytest.mark.parametrize("ending", [e for e in PACKERS if e != "lzma"])
def test_damage_is_named_with_its_place(tmp_path: Path, ending: str) -> None:
    """What is good in front of wrong bytes is kept, alike in parts of any size; line, byte and packed byte are said."""
    content = packed_lines(10_000)
    data = bytearray(PACKERS[ending](content))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(40)
    (tmp_path / f"f.txt.{ending}").write_bytes(data)
    found = set()
    for unit_bytes in (50_000, UNIT):
        parts = parts_of(a_split(tmp_path, f"f.txt.{ending}"), a_source(records="lines"), unit_bytes)
        (fault,) = faults_of(parts)
        records = records_of(parts)
        assert fault["reason"] == "corrupt"
        assert re.match(
            rf"line \d+ \(byte {fault['offset']}\): .* behind byte \d+ of the compressed data", fault["detail"]
        )
        found.add((fault["doc_id"], fault["detail"], b"".join(record for _, record in records)))
    assert len(found) == 1


def test_an_lzma_file_without_magic_is_known_by_its_header(tmp_path: Path) -> None:
    """Every preset's header is one; text that begins like it is text."""
    for preset in range(10):
        (tmp_path / "f.txt").write_bytes(lzma.compress(b"inside", format=lzma.FORMAT_ALONE, preset=preset))
        assert records_of(parts_of(a_split(tmp_path, "f.txt"), a_source())) == [(0, b"inside")]
    (tmp_path / "f.txt").write_bytes(b"]]] a line of text, long enough")
    assert records_of(parts_of(a_split(tmp_path, "f.txt"), a_source())) == [(0, b"]]] a line of text, long enough")]


@pytest.mark.parametrize("pair", [("gz", "gz"), ("xz", "bz2"), ("zst", "lz4")])
def test_layers_are_unpacked_up_to_a_bound(tmp_path: Path, pair: tuple[str, str]) -> None:
    """Two layers are read, whatever they are; a fourth is refused by name and number."""
    once, twice = PACKERS[pair[0]], PACKERS[pair[1]]
    (tmp_path / "f.txt.x").write_bytes(twice(once(b"inside")))
    assert records_of(parts_of(a_split(tmp_path, "f.txt.x"), a_source())) == [(0, b"inside")]
    (tmp_path / "f.txt.x").write_bytes(twice(once(twice(once(b"inside")))))
    (fault,) = faults_of(parts_of(a_split(tmp_path, "f.txt.x"), a_source()))
    assert (fault["reason"], fault["value"], fault["threshold"]) == ("too_many_layers", 4, 3)


@pytest.mark.parametrize("ending", [e for e in PACKERS if e != "lzma"])
def test_what_grows_too_much_ends_early(tmp_path: Path, ending: str) -> None:
    """300 MB out of a few kilobytes are read to 100 MB, without ever being held; the ratio is the verdict's value."""
    line = b"0" * 999 + b"\n"
    piece = PACKERS[ending](line * 20_000)
    (tmp_path / f"bomb.txt.{ending}").write_bytes(piece * 15)
    tracemalloc.start()
    parts = parts_of(a_split(tmp_path, f"bomb.txt.{ending}"), a_source(records="lines", max_expansion=20), UNIT)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (fault,) = faults_of(parts)
    assert (fault["reason"], fault["offset"], fault["threshold"]) == ("expansion", 100_000_000, 20)
    assert fault["value"] > 20
    assert peak < 170_000_000  # the parts that this test keeps, and pieces of 16 MiB


def test_nested_layers_count_against_the_file(tmp_path: Path) -> None:
    """Each layer of a gzip bomb may look harmless: the bound is for what comes out at the end."""
    inner = gzip.compress(b"a" * 150_000_000)
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(inner))
    parts = parts_of(a_split(tmp_path, "bomb.txt.gz"), a_source(records="lines", max_record_bytes=1000), UNIT)
    assert [fault["reason"] for fault in faults_of(parts)] == ["record_too_large", "expansion"]
