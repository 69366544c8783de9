from __future__ import annotations

import errno
import hashlib
from pathlib import Path

import pytest

from headrace.schemas.errors import HeadraceError
from headrace.stages.writing import files
from headrace.stages.writing.files import commit_staged, discard, make_folders, stage_bytes, storage_error, writing


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_staged_files_get_their_names_on_commit(tmp_path: Path) -> None:
    """Until the commit a file has a temporary name; then it has the one its reference says, with its hash in it."""
    make_folders(tmp_path, ["a"])
    staged = stage_bytes(tmp_path, "a", "00000007", ".json", b"{}")
    digest = hashlib.sha256(b"{}").hexdigest()
    assert (staged.ref.name, staged.ref.sha256, staged.ref.bytes) == (f"a/00000007-{digest[:12]}.json", digest, 2)
    assert not (tmp_path / staged.ref.name).exists()
    commit_staged(tmp_path, [staged])
    assert names(tmp_path / "a") == [Path(staged.ref.name).name]


def test_content_is_durable_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is synced under its temporary name; the folder is synced after the renames."""
    steps: list[tuple[str, bool]] = []
    make_folders(tmp_path, ["a"])
    staged = [stage_bytes(tmp_path, "a", str(i), ".json", b"%d" % i) for i in range(3)]

    def renamed() -> bool:
        return any((tmp_path / file.ref.name).exists() for file in staged)

    monkeypatch.setattr(files, "sync_file", lambda path: steps.append((path.suffix, renamed())))
    monkeypatch.setattr(files, "sync_folder", lambda path: steps.append((path.name, renamed())))
    commit_staged(tmp_path, staged)
    assert steps == [*[(".tmp", False)] * 3, ("a", True)]


def fail(final: Path, error: Exception) -> None:
    with writing(final) as temporary:
        temporary.write_bytes(b"half")
        raise error


def test_a_failing_writer_leaves_nothing_behind(tmp_path: Path) -> None:
    """Whatever goes wrong while a file is written, its temporary file is gone; a storage error gets a remedy."""
    with pytest.raises(ZeroDivisionError):
        fail(tmp_path / "shard.arrow", ZeroDivisionError())
    with pytest.raises(HeadraceError, match=r"shard\.arrow: cannot write: No space left on device\. Free space"):
        fail(tmp_path / "shard.arrow", OSError(errno.ENOSPC, "No space left on device"))
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file where the run folder should be is an error that names it."""
    (tmp_path / "run").write_text("a file")
    with pytest.raises(HeadraceError, match=r"run/shards: cannot write"):
        make_folders(tmp_path / "run", ["shards"])


@pytest.mark.parametrize(
    ("code", "remedy"),
    [(errno.EACCES, "make the folder writable"), (errno.EROFS, "read-only"), (errno.EIO, "check the disk")],
)
def test_every_cause_has_a_remedy(code: int, remedy: str) -> None:
    """What to do depends on the cause."""
    assert remedy in storage_error(Path("x"), OSError(code, "why")).remedy


def test_a_writer_that_is_opened_late_removes_nothing(tmp_path: Path) -> None:
    """Two writers may be there for a moment, one of a dead session: its start takes no file from the other."""
    make_folders(tmp_path, ["a"])
    staged = stage_bytes(tmp_path, "a", "2", ".json", b"2")
    make_folders(tmp_path, ["a"])
    commit_staged(tmp_path, [staged])
    assert names(tmp_path / "a") == [Path(staged.ref.name).name]


def test_a_failed_commit_removes_what_has_no_name_yet(tmp_path: Path) -> None:
    """When one file of a commit is lost, the others' temporary files go too, and the message names the lost one."""
    make_folders(tmp_path, ["a"])
    staged = [stage_bytes(tmp_path, "a", str(i), ".json", b"%d" % i) for i in range(3)]
    staged[1].temporary.unlink()
    with pytest.raises(HeadraceError, match="No such file"):
        commit_staged(tmp_path, staged)
    assert names(tmp_path / "a") == []


def test_discarded_files_are_gone(tmp_path: Path) -> None:
    """Staged files that are not wanted any more leave nothing."""
    make_folders(tmp_path, ["a"])
    discard([stage_bytes(tmp_path, "a", "1", ".json", b"1")])
    assert names(tmp_path / "a") == []
