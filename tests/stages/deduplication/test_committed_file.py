"""A committed file is mapped as it was hashed, or refused by its name, with the cause and what to do."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import FormatError
from headrace.stages.deduplication import committed_file
from headrace.stages.deduplication.committed_file import FileKind

KIND = FileKind("the ferry", 3, b"ferry.version", b"ferry.options", "build another one")


def written(path: Path, numbers: list[int], kind: FileKind = KIND, parameters: object = None) -> str:
    """Write a file and give its hash."""
    table = pa.table({"number": numbers}).replace_schema_metadata(kind.metadata(parameters or {"decks": 2}))
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return sha256_file(path)


def batches(*numbers: int) -> list[pa.RecordBatch]:
    """Give a batch of one row for each number."""
    return [pa.record_batch({"number": pa.array([number], pa.int64())}) for number in numbers]


def test_what_is_written_is_named_by_its_content_and_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is that of the file; the same batches give the same name; each step can be died at, in order."""
    steps = list[str]()
    monkeypatch.setattr(committed_file, "reach", steps.append)
    schema = batches(0)[0].schema
    refs = [KIND.write(tmp_path, "decks", schema, batches(3, 1, 2), {"decks": 2}) for _ in range(2)]
    assert refs[0] == refs[1]
    path = tmp_path / refs[0].name
    assert (path.parent, path.stat().st_size) == (tmp_path / "index", refs[0].bytes)
    assert path.name == f"decks-{sha256_file(path)[:12]}.arrow"
    assert KIND.open(path, refs[0].sha256, {"decks": 2})["number"].to_pylist() == [3, 1, 2]
    assert steps == ["index.temporary.synced", "index.renamed", "index.synced"] * 2
    assert KIND.write(tmp_path, "decks", schema, batches(3, 1, 2), {"decks": 3}) != refs[0]
    replace(KIND, steps="ferry").write(tmp_path, "none", schema, [], {})
    assert steps[-1] == "ferry.synced"


def test_nothing_is_left_of_a_file_whose_batches_end_in_an_error(tmp_path: Path) -> None:
    """What goes wrong while it is made goes on to whoever asked."""

    def failing() -> Iterator[pa.RecordBatch]:
        yield from batches(1)
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        KIND.write(tmp_path, "decks", batches(1)[0].schema, failing(), {})
    assert list((tmp_path / "index").iterdir()) == []


def test_a_file_is_given_as_it_was_committed(tmp_path: Path) -> None:
    """With the options that it was made with, or whatever these are."""
    digest = written(tmp_path / "a.arrow", [3, 1, 2])
    for parameters in ({"decks": 2}, None):
        assert KIND.open(tmp_path / "a.arrow", digest, parameters)["number"].to_pylist() == [3, 1, 2]


def test_what_is_hashed_is_what_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that takes its place in the very moment of the check is not read."""
    path, other = tmp_path / "a.arrow", tmp_path / "b.arrow"
    digest = written(path, [1])
    written(other, [2])

    class Meanwhile:
        """Lets another file take the place of the one that is hashed."""

        @staticmethod
        def sha256(content: pa.Buffer) -> object:
            found = hashlib.sha256(content)
            other.replace(path)
            return found

    monkeypatch.setattr(committed_file, "hashlib", Meanwhile)
    assert KIND.open(path, digest)["number"].to_pylist() == [1]
    assert not other.exists()


def test_a_file_that_is_not_the_committed_one_is_refused(tmp_path: Path) -> None:
    """One flipped bit, no file, nothing in it, and no Arrow in it: each is named with what helps."""
    path = tmp_path / "a.arrow"
    digest = written(path, [1])
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(FormatError, match=r"a.arrow: a file of the ferry is damaged.*Build another one"):
        KIND.open(path, digest)
    path.unlink()
    with pytest.raises(FormatError, match=r"a.arrow: a file of the ferry is missing.*Build another one"):
        KIND.open(path, digest)
    for content in (b"", b"no columns at all"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="a file of the ferry cannot be read"):
            KIND.open(path, sha256_file(path))


def test_a_file_of_another_version_or_of_other_options_is_refused(tmp_path: Path) -> None:
    """It is whole: another release or other options are what helps, not another file."""
    path = tmp_path / "a.arrow"
    digest = written(path, [1], FileKind("the ferry", 2, b"ferry.version", b"ferry.options", ""))
    with pytest.raises(FormatError, match=r"has version 2: this Headrace reads version 3. Use the release"):
        KIND.open(path, digest)
    digest = written(path, [1], parameters={"decks": 1})
    with pytest.raises(FormatError, match=r"was made with other options: it has .*1}, the stage has .*2}"):
        KIND.open(path, digest, {"decks": 2})
