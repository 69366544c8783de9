from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.pipeline.made_run import lines_of, make_run, publish_lines

from headrace.pipeline.committed import plan_bytes, read_plan
from headrace.pipeline.verify import verify
from headrace.schemas.durable import canonical_json, sha256_file
from headrace.schemas.errors import ConfigError
from headrace.schemas.manifest import MANIFEST, PUBLISHED
from headrace.schemas.unit import FileRef


def files_in(run: Path, folder: str) -> list[Path]:
    return sorted((run / folder).iterdir())


def recommit(run: Path, index: int, name: str, data: bytes) -> None:
    """Put other content under a new name into the manifest, as if it had been committed like that."""
    lines = lines_of(run)
    (run / name).write_bytes(data)
    folder = name.partition("/")[0]
    attribute = {"ledger": "ledgers"}.get(folder, folder)
    refs = list(getattr(lines[index], attribute))
    refs[0] = FileRef(name, sha256_file(run / name), len(data))
    lines[index] = replace(lines[index], **{attribute: tuple(refs)})
    publish_lines(run, lines)


@pytest.mark.parametrize("form", ["arrow", "lmdb", "parquet"])
def test_a_run_as_it_was_committed_has_no_difference(tmp_path: Path, form: str) -> None:
    """Every format passes: hashes, counts of documents, and what the shards hold."""
    found = verify(make_run(tmp_path, form))
    assert (found.problems, found.leftovers) == ((), ())
    assert (found.lines, found.units, found.documents, found.ended) == (3, 3, 8, True)
    assert found.files == 2 + 3 + 3 + 1  # shards, documents, ledgers, quarantine


@pytest.mark.parametrize("folder", ["shards", "documents", "ledger", "quarantine"])
def test_one_flipped_bit_in_any_file_is_found_and_named(tmp_path: Path, folder: str) -> None:
    """The difference names the file, and nothing else is blamed."""
    run = make_run(tmp_path)
    path = files_in(run, folder)[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    (problem,) = verify(run).problems
    assert problem.startswith(f"{folder}/{path.name}: its content changed")


def test_a_missing_and_a_cut_file_are_named(tmp_path: Path) -> None:
    """A file that is gone and a file of another size are two differences."""
    run = make_run(tmp_path)
    gone, cut = files_in(run, "documents")[0], files_in(run, "shards")[0]
    gone.unlink()
    cut.write_bytes(cut.read_bytes()[:-1])
    problems = verify(run).problems
    assert any(p.startswith(f"documents/{gone.name}: No such file") for p in problems)
    assert any(p.startswith(f"shards/{cut.name}: ") and "were committed" in p for p in problems)
    assert len(problems) == 2


def test_an_altered_manifest_line_is_named_and_the_others_are_still_checked(tmp_path: Path) -> None:
    """One bad checksum does not hide the rest."""
    run = make_run(tmp_path)
    raw = (run / MANIFEST).read_bytes()
    (run / MANIFEST).write_bytes(raw.replace(b'"turn":0', b'"turn":1', 1))
    files_in(run, "shards")[1].unlink()
    problems = verify(run).problems
    assert f"{MANIFEST}, line 1: the line was altered" in problems[0]
    assert any("begins at unit 2, 0 was due" in p for p in problems)
    assert any(p.startswith("shards/00000001-") for p in problems)


def test_a_manifest_that_lost_a_published_line_is_named(tmp_path: Path) -> None:
    """What readers were promised must be there."""
    run = make_run(tmp_path)
    (run / PUBLISHED).write_bytes(canonical_json({"version": 1, "lines": 5}))
    assert f"{MANIFEST}: 5 lines were published, 3 are there" in verify(run).problems[0]


def test_a_ledger_that_does_not_balance_is_named(tmp_path: Path) -> None:
    """A committed ledger that lost a document is a difference, whatever its hash says."""
    run = make_run(tmp_path)
    path = files_in(run, "ledger")[0]
    value = json.loads(path.read_bytes())
    value["stages"][0]["kept"] -= 1
    recommit(run, 0, "ledger/00000000-altered.json", canonical_json(value))
    problems = verify(run).problems
    assert "the ledger of unit 0 does not balance" in problems[0]


def test_documents_that_disagree_with_the_ledger_are_named_with_stage_and_reason(tmp_path: Path) -> None:
    """A row that is missing from a documents file is found by counting."""
    run = make_run(tmp_path)
    table = pq.read_table(files_in(run, "documents")[0])
    other = tmp_path / "other.parquet"
    pq.write_table(table.slice(0, 1), other)
    recommit(run, 0, "documents/00000000-altered.parquet", other.read_bytes())
    (problem,) = verify(run).problems
    expected = "0 documents dropped as characters by clean, the ledger says 1"
    assert problem == f"documents/00000000-altered.parquet: {expected}"


def test_a_shard_that_holds_another_number_of_tokens_is_named(tmp_path: Path) -> None:
    """The manifest's counts are recounted from the shard itself."""
    run = make_run(tmp_path)
    lines = lines_of(run)
    assert lines[0].shard is not None
    lines[0] = replace(lines[0], shard=replace(lines[0].shard, tokens=lines[0].shard.tokens + 1))
    publish_lines(run, lines)
    (problem,) = verify(run).problems
    assert "10 sequences and 630 tokens, the manifest says 10 and 631" in problem


def test_an_input_file_that_no_ledger_names_is_a_difference_of_a_finished_run(tmp_path: Path) -> None:
    """Every file of the plan must be accounted for; a run that is not finished has not read all."""
    for end, expected in ((True, ("input web:lost.txt is in the plan and in no ledger",)), (False, ())):
        folder = tmp_path / str(end)
        folder.mkdir()
        run = make_run(folder, end=end)
        plan = read_plan(run)
        plan["inputs"].append(["web", "lost.txt", 1, 0])
        (run / "plan.json").write_bytes(plan_bytes(plan))
        assert verify(run).problems == expected


@pytest.mark.parametrize("name", ["shards/.00000009.arrow.1.ab.tmp", "documents/00000007-0123456789ab.parquet"])
def test_files_that_no_line_names_are_listed_and_are_no_difference(tmp_path: Path, name: str) -> None:
    """A killed session leaves such files; they are not part of the run."""
    run = make_run(tmp_path)
    (run / name).write_bytes(b"x")
    found = verify(run)
    assert (found.problems, found.leftovers) == ((), (name,))


def test_merged_postings_are_no_leftovers(tmp_path: Path) -> None:
    """They are derived, and checked when they are used."""
    run = make_run(tmp_path)
    (run / "index/merged/dedup").mkdir(parents=True)
    (run / "index/merged/dedup/postings-0-0.merged").write_bytes(b"x")
    found = verify(run)
    assert (found.problems, found.leftovers) == ((), ())


@pytest.mark.parametrize("make", [lambda path: path / "none", lambda path: path])
def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """A typing mistake is a mistake of the arguments, not a damaged run."""
    with pytest.raises(ConfigError, match="not a run folder"):
        verify(make(tmp_path))
