"""Where an embedded cluster lives."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from headrace.pipeline import ray_executor
from headrace.pipeline.ray_executor import RayExecutor, new_folder, remove_leftover


@pytest.mark.parametrize(("length", "inside"), [(1, True), (30, False), (200, False)])
def test_a_long_tmpdir_does_not_make_rays_socket_paths_too_long(
    monkeypatch: pytest.MonkeyPatch, length: int, *, inside: bool
) -> None:
    """The folder is made in TMPDIR as long as a path of 103 bytes is enough for its sockets, else in /tmp."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as short:  # a path of known length
        parent = Path(short, "x" * length)
        parent.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(parent))
        folder = Path(new_folder())
        assert folder.is_dir()
        assert folder.parent == (parent if inside else Path("/tmp"))
        socket = folder / "session_2026-12-31_23-59-59_999999_4194304" / "sockets" / "plasma_store"
        assert len(str(socket)) <= 103
        remove_leftover(folder)
        assert not folder.exists()


def test_only_folders_of_clusters_are_removed(tmp_path: Path) -> None:
    """A name that was not given here is left alone, whatever a run folder says."""
    remove_leftover(tmp_path)
    assert tmp_path.is_dir()


def test_a_cluster_that_does_not_start_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray's folder goes when Ray fails at the start, and the error is Ray's."""

    def failing(**_: object) -> None:
        assert len(list(tmp_path.iterdir())) == 1
        raise OSError("no port is free")

    monkeypatch.setattr(ray_executor, "new_folder", lambda: tempfile.mkdtemp(dir=tmp_path))
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.init", failing)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(OSError, match="no port is free"):
        RayExecutor(1, None, dashboard=False)
    assert not list(tmp_path.iterdir())
