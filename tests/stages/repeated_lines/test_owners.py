"""The documents that lines are found in: numbers to doc_ids, whether they are written yet or not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import FormatError
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext
from headrace.stages.deduplication import committed_file
from headrace.stages.deduplication.committed_file import FileKind
from headrace.stages.repeated_lines.owners import Owners
from headrace.stages.repeated_lines.written_ids import WrittenIds

SIZES = (4, 0, 3, 1, 0, 5, 2, 6)
IDS = [f"web:{unit}#{row}" for unit, size in enumerate(SIZES) for row in range(size)]
KIND = FileKind("the ferry", 1, b"ferry.version", b"ferry.options", "build another one")


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the bytes of each file that is hashed to be checked."""
    sizes, sha256 = list[int](), committed_file.hashlib.sha256

    def counting(content: pa.Buffer) -> object:
        sizes.append(content.size)
        return sha256(content)

    monkeypatch.setattr(committed_file, "hashlib", SimpleNamespace(sha256=counting))
    return sizes


def settled(owners: Owners, first: int = 0, last: int = len(SIZES) - 1) -> None:
    """Name the documents of units first to last."""
    for unit in range(first, last + 1):
        begin = sum(SIZES[:unit])
        owners.settle(unit, pa.array(IDS[begin : begin + SIZES[unit]], pa.string()))


def test_numbers_in_any_order_are_found_in_files_and_before_these(tmp_path: Path) -> None:
    """At each step of a session that writes now and then, and in one that goes on behind its files."""
    numbers = np.random.default_rng(1).permutation(np.append(np.arange(len(IDS)), [-1, -1, 0, 9]))
    context = RunContext(tmp_path, "dedup_lines.documents")
    expected = [IDS[number] if number >= 0 else None for number in numbers]
    owners, refs = Owners(context, {}), tuple[FileRef, ...]()
    settled(owners)
    for through in (1, 4, 5):
        assert owners.doc_ids(numbers).to_pylist() == expected
        refs += owners.flush(through)
    assert owners.doc_ids(numbers).to_pylist() == expected
    later = Owners(RunContext(tmp_path, "dedup_lines.documents", refs, 6), {})
    settled(later, 6)
    assert later.doc_ids(numbers).to_pylist() == expected
    assert [later.first_of(unit) for unit in (6, 7, 8)] == [13, 15, 21]
    assert later.doc_ids(np.zeros(0, np.int64)).to_pylist() == []


def test_a_file_is_hashed_once_in_a_session(tmp_path: Path, hashed: list[int]) -> None:
    """However many units have survivors in it; those of sessions before this one at its start."""
    owners = Owners(RunContext(tmp_path, "dedup_lines.documents"), {})
    settled(owners)
    refs = tuple(ref for through in (2, 5) for ref in owners.flush(through))
    assert hashed == []
    for numbers in [np.arange(13)] * 3:
        owners.doc_ids(numbers)
    assert hashed == [ref.bytes for ref in refs]
    later = Owners(RunContext(tmp_path, "dedup_lines.documents", refs, 6), {})
    for _ in range(3):
        later.doc_ids(np.arange(13))
    assert hashed == [ref.bytes for ref in refs] * 2


def written(run: Path, count: int) -> list[FileRef]:
    """Write files of two doc_ids each."""
    refs = []
    for number in range(count):
        batch = pa.record_batch({"doc_id": pa.array([f"{number}a", f"{number}b"])})
        refs.append(KIND.write(run, f"part-{number}", batch.schema, [batch], {}))
    return refs


def maps_of(run: Path) -> set[str]:
    """Give the names of the files of a folder that this process has mapped."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {Path(line.split()[-1]).name for line in lines if str(run) in line}


def test_few_files_are_mapped_at_a_time_and_none_is_hashed_again(tmp_path: Path, hashed: list[int]) -> None:
    """Those that were asked for last stay; the others are mapped again when they are asked for."""
    refs = written(tmp_path, 6)
    ids = WrittenIds(tmp_path, KIND, {}, most=2)
    handles = len([*Path("/proc/self/fd").iterdir()])
    for number in (0, 1, 2, 3, 4, 5, 0, 3, 3, 5, 3, 1, 3):
        assert ids.of(refs[number]).to_pylist() == [f"{number}a", f"{number}b"]
    assert len(hashed) == 6
    assert maps_of(tmp_path) == {Path(refs[number].name).name for number in (1, 3)}
    assert len([*Path("/proc/self/fd").iterdir()]) == handles


def test_another_file_in_the_place_of_one_that_was_hashed_is_refused(tmp_path: Path) -> None:
    """Written over, replaced or gone while it was not mapped: it is hashed again, and named."""
    refs = written(tmp_path, 4)
    ids = WrittenIds(tmp_path, KIND, {}, most=1)
    for ref in refs:
        ids.of(ref)
    paths = [tmp_path / ref.name for ref in refs]
    paths[0].write_bytes(paths[0].read_bytes()[:-1] + b"?")
    (tmp_path / "other").write_bytes(paths[3].read_bytes())
    (tmp_path / "other").replace(paths[1])
    paths[2].unlink()
    for ref, what in zip(refs[:3], ("damaged", "damaged", "missing"), strict=True):
        with pytest.raises(FormatError, match=f"{ref.name}: a file of the ferry is {what}"):
            ids.of(ref)
    copy = paths[3].read_bytes()
    (tmp_path / "copy").write_bytes(copy)
    (tmp_path / "copy").replace(paths[3])
    assert sha256_file(paths[3]) == refs[3].sha256
    assert ids.of(refs[3]).to_pylist() == ["3a", "3b"]
