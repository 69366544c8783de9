"""Index runs are immutable, reproducible, and refused by name when they are not what was committed."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import OrderedState, RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.dedup_lines import DedupLines
from headrace.stages.deduplication.options import MinHash, SimHash

LOOSE = Dedup(minhash=MinHash(bands=8, rows=2, threshold=0.5, shingle_size=2))
OTHERS = {
    "default": Dedup(),
    "verified exactly": LOOSE.model_copy(update={"verify": "exact"}),
    "near alone": LOOSE.model_copy(update={"exact": False}),
    "exact alone": Dedup(minhash=None),
    "another scheme": LOOSE.model_copy(update={"minhash": MinHash(scheme="fss", bands=8, rows=2, threshold=0.5)}),
    "fingerprints": Dedup(simhash=SimHash()),
}


def opened(stage: Dedup, run: Path, committed: tuple[FileRef, ...] = (), first_unit: int = 0) -> OrderedState:
    return stage.open(RunContext(run, "dedup", committed, first_unit))


def accept(stage: Dedup, state: OrderedState, unit: int, texts: list[str]) -> None:
    ids = pa.array([f"d{unit}.{i}" for i in range(len(texts))], pa.string())
    table = pa.table({"doc_id": ids, "text": pa.array(texts, pa.large_string())})
    state.accept(UnitBatch(unit, stage.prepare(table)))


@contextmanager
def files_of(most: int) -> Iterator[None]:
    """Let the system refuse larger files, as `ulimit -f` does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("stage", [LOOSE, DedupLines()], ids=["dedup", "dedup_lines"])
def test_a_file_that_the_system_refuses_is_named(stage: Dedup | DedupLines, tmp_path: Path) -> None:
    """Arrow's own error names no file; nothing of it is left."""
    state = stage.open(RunContext(tmp_path, stage.kind, (), 0))
    texts = pa.array([f"text {i}" if stage.kind == "dedup" else "" for i in range(900)], pa.large_string())
    table = pa.table({"doc_id": [f"d0.{i}" for i in range(900)], "text": texts})
    state.accept(UnitBatch(0, stage.prepare(table)))
    with files_of(5000), pytest.raises(HeadraceError, match=r"index/dedup.*: cannot write: File too large\. Raise the"):
        state.flush(0)
    assert not list((tmp_path / "index").iterdir())


def test_runs_are_immutable_and_reproducible(tmp_path: Path) -> None:
    """Names carry stage, units and content; the same units give the same bytes; nothing new gives no file."""
    units = [[f"unit {i} has text {j}" for j in range(0, 9, i + 1)] for i in range(4)]

    def files(run: Path) -> tuple[FileRef, ...]:
        state = opened(LOOSE, run)
        found: tuple[FileRef, ...] = ()
        for unit, texts in enumerate(units):
            accept(LOOSE, state, unit, texts)
            found += state.flush(unit - 1) if unit % 2 else ()
        return (*found, *state.flush(3), *state.flush(3))

    first, second = files(tmp_path / "a"), files(tmp_path / "b")
    assert first == second
    assert [ref.name.rpartition("-")[0] for ref in first] == [
        f"index/dedup-0000000{a}-0000000{b}" for a, b in ["00", "12", "33"]
    ]
    assert sorted(p.name for p in (tmp_path / "a/index").iterdir()) == sorted(ref.name[6:] for ref in first)
    table = pa.ipc.open_file(tmp_path / "a" / first[1].name).read_all()
    assert set(table["unit"].to_pylist()) == {1, 2}
    postings = [f"{name}_{table:02d}" for table in range(9) for name in ("print", "row")]
    assert table.column_names == ["unit", "doc_id", "_exact", "_signed", "_signature", "_sets", *postings]


def committed_run(run: Path, stage: Dedup = LOOSE) -> FileRef:
    state = opened(stage, run)
    accept(stage, state, 0, ["the wheel turns", "渠道不干"])
    (ref,) = state.flush(0)
    return ref


def test_a_damaged_run_is_refused_by_name(tmp_path: Path) -> None:
    """A flipped byte or a missing file is a FormatError that names the file."""
    ref = committed_run(tmp_path)
    path = tmp_path / ref.name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(FormatError, match=f"{ref.name}: a file of the dedup index is damaged"):
        opened(LOOSE, tmp_path, (ref,), 1)
    path.unlink()
    with pytest.raises(FormatError, match=f"{ref.name}: a file of the dedup index is missing"):
        opened(LOOSE, tmp_path, (ref,), 1)


def rewritten(run: Path, ref: FileRef, metadata: dict[bytes, bytes]) -> FileRef:
    table = pa.ipc.open_file(run / ref.name).read_all()
    with pa.ipc.new_file(run / ref.name, table.schema.with_metadata({**table.schema.metadata, **metadata})) as writer:
        writer.write_table(table)
    return FileRef(ref.name, sha256_file(run / ref.name), (run / ref.name).stat().st_size)


def test_a_run_of_another_version_is_refused(tmp_path: Path) -> None:
    """Files of earlier releases, without postings, are not read."""
    ref = rewritten(tmp_path, committed_run(tmp_path), {b"headrace.index.version": b"1"})
    with pytest.raises(FormatError, match="a file of the dedup index has version 1"):
        opened(LOOSE, tmp_path, (ref,), 1)


@pytest.mark.parametrize("name", OTHERS)
def test_a_run_of_other_options_is_refused(name: str, tmp_path: Path) -> None:
    """Signatures of other options cannot be compared, so they are not read."""
    ref = committed_run(tmp_path)
    with pytest.raises(FormatError, match="a file of the dedup index was made with other options"):
        opened(OTHERS[name], tmp_path, (ref,), 1)


def test_a_run_beyond_the_commit_is_refused(tmp_path: Path) -> None:
    """Entries of units that are going to be replayed must not be there already."""
    ref = committed_run(tmp_path)
    with pytest.raises(FormatError, match="units that are not committed"):
        opened(LOOSE, tmp_path, (ref,), 0)


def test_something_that_is_no_index_is_refused(tmp_path: Path) -> None:
    """A file with the right hash but other content is named and refused."""
    (tmp_path / "index").mkdir()
    path = tmp_path / "index/x.arrow"
    path.write_bytes(b"not arrow at all")
    with pytest.raises(FormatError, match="a file of the dedup index cannot be read"):
        opened(LOOSE, tmp_path, (FileRef("index/x.arrow", sha256_file(path), 16),), 1)
