"""The commit, step by step: what a manifest line names is durable before it, and a line counts only once it is."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.protocol.power_disk import PowerDisk, PowerLoss, swap
from tests.protocol.small_runs import TRAINED, Case, check_run, differences, outcome, some_files, stages

from headrace.pipeline.manifest_log import ManifestLog
from headrace.schemas.errors import HeadraceError
from headrace.schemas.manifest import MANIFEST, PUBLISHED, ManifestLine, read_manifest

CHAINS = {
    "bytes": stages(),
    "trained": stages(tokenize=TRAINED),
    "lmdb": tuple({**s, "format": "lmdb"} if s["kind"] == "write" else s for s in stages()),
    "text": tuple(
        {"kind": "write", "format": "parquet", "shard_bytes": 2000} if s["kind"] == "write" else s
        for s in stages()
        if s["kind"] != "tokenize"
    ),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_every_file_of_a_line_is_durable_before_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chain: str
) -> None:
    """`index_sync`, `files_sync`, `publish`: content and name of each file are synced first, and of the line too."""
    case = Case(tmp_path, some_files(4), CHAINS[chain]).prepare()
    run = tmp_path / "run"
    disk = PowerDisk(run, tmp_path / "after", random.Random(0))
    lines: list[ManifestLine] = []

    def watch(data: bytes) -> None:
        lines.append(ManifestLine.decode(data.removesuffix(b"\n"), len(lines)))
        for ref in lines[-1].files:
            assert disk.durable(run / ref.name), ref.name

    disk.watch_manifest = watch
    disk.install(monkeypatch)
    case.run()
    disk.close()
    assert disk.complaints == []
    assert len(lines) > 2
    assert any(line.index_runs for line in lines)


@pytest.mark.parametrize("chain", CHAINS)
def test_the_index_runs_of_a_prefix_hold_what_its_units_kept(tmp_path: Path, chain: str) -> None:
    """`index_sync`: a line is written only when the index is durable up to its last unit, and no further than that."""
    case = Case(tmp_path, some_files(4), CHAINS[chain]).prepare()
    case.run()
    indexed: list[str] = []
    kept: list[str] = []
    for line in check_run(tmp_path / "run"):
        for ref in line.index_runs:
            with pa.OSFile(str(tmp_path / "run" / ref.name), "rb") as source:
                indexed += map(str, pa.ipc.open_file(source).read_all()["doc_id"].to_pylist())
        for ref in line.documents:
            rows = pq.read_table(tmp_path / "run" / ref.name).to_pylist()
            kept += [row["doc_id"] for row in rows if row["verdict"] == "kept"]
        assert indexed == kept


def power_is_cut(case: Case, run: Path, rng: random.Random, patch: pytest.MonkeyPatch) -> list[ManifestLine] | None:
    """Run until the power fails at a random step; give what a reader had seen by then, None if it did not fail."""
    after = run.with_name(f"{run.name}-after")
    disk = PowerDisk(run, after, rng, cut=rng.randint(1, 150))
    with patch.context() as inner:
        disk.install(inner)
        try:
            case.run(run.name)
        except PowerLoss:
            seen = read_manifest(run)
        else:
            return None
        finally:
            disk.close()
    swap(run, after)
    return seen


def survives_power_losses(case: Case, seed: int, patch: pytest.MonkeyPatch) -> None:
    """Cut the power again and again; what was seen stays, and the finished run is the clean one."""
    run, rng, seen = case.folder / f"run-{seed}", random.Random(seed), list[ManifestLine]()
    for _ in range(4):
        now = power_is_cut(case, run, rng, patch)
        if now is None:
            break
        assert all(line == other for line, other in zip(seen, now, strict=False))
        seen = max(seen, now, key=len)
    case.run(run.name)
    assert read_manifest(run)[: len(seen)] == seen
    assert differences(case.outcome("clean"), outcome(run)) == []


@pytest.fixture(scope="module", params=["bytes", "trained"])
def powered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Give a case with a clean run in it."""
    case = Case(tmp_path_factory.mktemp("power"), some_files(4, files=6), CHAINS[request.param]).prepare()
    case.run("clean")
    return case


@pytest.mark.parametrize("seed", range(6))
def test_power_losses_change_nothing(powered: Case, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`files_sync`, `publish`, `index_sync`: unsynced names and contents may vanish or tear, the run is the same."""
    survives_power_losses(powered, seed, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 150))
def test_many_power_losses_change_nothing(powered: Case, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from many seeds."""
    survives_power_losses(powered, seed, monkeypatch)


def test_a_restart_syncs_the_lines_it_accepts_before_it_publishes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`publish`: a driver that was killed before its fsync leaves a whole line that a power loss could still take."""
    case = Case(tmp_path, some_files(4, files=3), CHAINS["bytes"]).prepare()
    case.run()
    run = tmp_path / "run"
    disk = PowerDisk(run, tmp_path / "after", random.Random(0))
    disk.install(monkeypatch)
    disk.forget(run / MANIFEST)
    case.run()
    disk.close()
    assert disk.complaints == []
    assert disk.durable(run / MANIFEST)


# The manifest after a crash


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Give a case with a clean run in it."""
    case = Case(tmp_path_factory.mktemp("manifest"), some_files(4, files=6), stages()).prepare()
    case.run("clean")
    return case


def copied(case: Case, name: str, manifest: bytes, published: int) -> Path:
    """Give a copy of the clean run with another manifest and published count."""
    run = case.folder / name
    shutil.copytree(case.folder / "clean", run)
    (run / MANIFEST).write_bytes(manifest)
    (run / PUBLISHED).write_text(json.dumps({"version": 1, "lines": published}))
    return run


def test_a_torn_tail_of_any_length_is_cut_off(finished: Case) -> None:
    """`publish`: a line that was not published may be there in part or with holes; the others are never touched."""
    whole = (finished.folder / "clean" / MANIFEST).read_bytes()
    *head, last = whole.splitlines(keepends=True)
    before = b"".join(head)
    holes = [bytes(len(last) - 1) + b"\n", bytes(100) + last[100:], last[:50] + bytes(len(last) - 51) + b"\n"]
    tails = [*(last[:cut] for cut in range(len(last))), *holes]
    run = copied(finished, "torn", whole, len(head))
    for tail in tails:
        (run / MANIFEST).write_bytes(before + tail)
        (run / PUBLISHED).write_text(json.dumps({"version": 1, "lines": len(head)}))
        log = ManifestLog(run)
        log.close()
        assert (run / MANIFEST).read_bytes() == before
        assert log.count == len(head)
    shutil.rmtree(run)


@pytest.mark.parametrize("kept", [0, 1, 17, 400, 10_000])
def test_a_run_with_a_torn_line_goes_on_behind_it(finished: Case, kept: int) -> None:
    """The units of the torn line are replayed, into the same bytes."""
    lines = (finished.folder / "clean" / MANIFEST).read_bytes().splitlines(keepends=True)
    run = copied(finished, f"tail-{kept}", b"".join(lines[:2]) + lines[2][:kept], 2)
    finished.run(run.name)
    assert differences(finished.outcome("clean"), outcome(run)) == []


@pytest.mark.parametrize("behind", range(5))
def test_published_may_be_older_than_the_manifest(finished: Case, behind: int) -> None:
    """A restart syncs the lines it accepts, and only then tells the readers."""
    whole = (finished.folder / "clean" / MANIFEST).read_bytes()
    count = whole.count(b"\n")
    run = copied(finished, f"behind-{behind}", whole, max(0, count - behind))
    finished.run(run.name)
    assert len(read_manifest(run)) == count
    assert differences(finished.outcome("clean"), outcome(run)) == []


@pytest.mark.parametrize("torn", [0, 40])
def test_published_ahead_of_the_manifest_is_refused(finished: Case, torn: int) -> None:
    """Readers may have used the lines that are gone: the run says so and changes nothing."""
    lines = (finished.folder / "clean" / MANIFEST).read_bytes().splitlines(keepends=True)
    manifest = b"".join(lines[:2]) + lines[2][:torn]
    run = copied(finished, f"ahead-{torn}", manifest, 3)
    with pytest.raises(HeadraceError, match=r"lost lines: 3 lines were published, 2 are there\. .*--fresh"):
        finished.run(run.name)
    assert (run / MANIFEST).read_bytes() == manifest


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_altered_line_is_refused(finished: Case, number: int) -> None:
    """A published line with another checksum is never cut off or built upon."""
    lines = (finished.folder / "clean" / MANIFEST).read_bytes().splitlines(keepends=True)
    lines[number] = lines[number].replace(b'"first":', b'"First":')
    manifest = b"".join(lines)
    run = copied(finished, f"altered-{number}", manifest, len(lines))
    with pytest.raises(HeadraceError, match=f"line {number + 1}: the line was altered"):
        finished.run(run.name)
    assert (run / MANIFEST).read_bytes() == manifest
