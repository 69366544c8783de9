"""The tables: the same from every build, kept on disk, and built again whenever what is kept is no good."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headrace.stages.decoding import model_cache
from headrace.stages.decoding.logarithm import log_ratio
from headrace.stages.decoding.model import built_model
from headrace.stages.decoding.model_cache import charset_model, packed, unpacked
from headrace.stages.kernels.charset_model import Model


@pytest.fixture(scope="module")
def model() -> Model:
    """Build the tables once."""
    return built_model()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model) -> Path:
    """Give an empty cache folder and a build that takes no time."""
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path))
    monkeypatch.setattr(model_cache, "built_model", lambda: model)
    return tmp_path


def read_again() -> Model:
    """Read the tables as the next process does."""
    return charset_model.__wrapped__()


def same(one: Model, other: Model) -> bool:
    return all(
        a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all()) for a, b in zip(one, other, strict=True)
    )


def test_a_second_build_gives_the_same_bytes(model: Model) -> None:
    """Nothing in the tables depends on an order of sets, a clock or a float."""
    assert packed(built_model()) == packed(model)
    assert not any(np.issubdtype(table.dtype, np.floating) for table in model)


def test_tables_survive_packing(model: Model) -> None:
    """What is unpacked is what was packed, and it cannot be written."""
    assert same(unpacked(packed(model)), model)


def test_tables_are_kept_and_read(folder: Path, monkeypatch: pytest.MonkeyPatch, model: Model) -> None:
    """The second process does not build."""
    assert same(read_again(), model)
    assert [path.suffix for path in folder.iterdir()] == [".bin"]
    monkeypatch.setattr(model_cache, "built_model", lambda: pytest.fail("built again"))
    again = read_again()
    assert same(again, model)
    assert not any(table.flags.writeable for table in again)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text"])
def test_damaged_files_are_replaced(folder: Path, damage: str, model: Model) -> None:
    """Without a word: the tables can be made again."""
    read_again()
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    flipped = whole[:5000] + bytes((whole[5000] ^ 1,)) + whole[5001:]
    path.write_bytes({"cut": whole[:-9], "flipped": flipped, "empty": b"", "text": b"headrace"}[damage])
    assert same(read_again(), model)
    assert path.read_bytes() == whole


def test_another_release_has_another_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was built from other packages, or by other code, is left alone."""
    read_again()
    monkeypatch.setattr(model_cache, "VERSION", model_cache.VERSION + 1)
    read_again()
    monkeypatch.setattr(model_cache.importlib.metadata, "version", lambda name: "0")
    read_again()
    assert len(list(folder.iterdir())) == 3


def test_no_folder_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model) -> None:
    """Where nothing can be written, every process builds."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(model_cache, "built_model", lambda: model)
    assert same(read_again(), model)


def test_the_folder_follows_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG_CACHE_HOME is heard, HEADRACE_CACHE is stronger."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    monkeypatch.delenv("HEADRACE_CACHE", raising=False)
    assert model_cache.cache_folder() == Path("/caches/headrace")
    monkeypatch.setenv("HEADRACE_CACHE", "/mine")
    assert model_cache.cache_folder() == Path("/mine")


def test_logarithms_are_right_to_a_centinat() -> None:
    """Integer arithmetic gives what the C library gives, rounded."""
    rng = np.random.default_rng(7)
    part, whole = rng.integers(1, 1 << 40, 10_000), rng.integers(1, 1 << 60, 10_000)
    assert np.abs(log_ratio(part, whole) - 100 * np.log(part / whole)).max() < 0.51
