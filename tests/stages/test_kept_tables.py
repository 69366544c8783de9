"""Tables that are kept between processes are those that would be built, whatever happened to the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headrace.stages.kept_tables import Tables, kept_tables
from headrace.stages.repairing.suspicion import signals

TABLES: Tables = {"points": np.arange(5, dtype=np.int32), "flags": np.eye(3, dtype=np.bool_)}


class Builder:
    """Counts how often it builds."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Tables:
        self.times += 1
        return TABLES


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def asked(build: Builder, *modules: str) -> Tables:
    return kept_tables("x", build, modules, ("numpy",))


def same(tables: Tables) -> bool:
    return list(tables) == list(TABLES) and all(
        np.array_equal(tables[name], TABLES[name]) and tables[name].dtype == TABLES[name].dtype for name in TABLES
    )


def test_they_are_built_once(cache: Path) -> None:
    """The second process reads what the first kept, and no temporary file is left."""
    build = Builder()
    assert same(asked(build)) and same(asked(build))
    assert build.times == 1
    assert [path.suffix for path in cache.iterdir()] == [".npz"]


def test_another_source_has_tables_of_its_own(cache: Path) -> None:
    """Tables are as old as the code and the packages that they come from."""
    build = Builder()
    asked(build)
    asked(build, "headrace.stages.repairing.suspicion")
    assert build.times == len(list(cache.iterdir())) == 2


def test_a_damaged_file_is_built_again(cache: Path) -> None:
    """Cut, changed inside, or no such format: the tables are built, and kept anew."""
    build = Builder()
    asked(build)
    [path] = cache.iterdir()
    whole = path.read_bytes()
    damaged = [b"", b"no zip", whole[: len(whole) // 2], whole.replace(TABLES["points"].tobytes(), bytes(20))]
    for times, content in enumerate(damaged, 2):
        path.write_bytes(content)
        assert same(asked(build))
        assert build.times == times
        assert path.read_bytes() != content


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    """The tables are built each time."""
    cache.write_text("a file where the folder should be")
    build = Builder()
    assert same(asked(build)) and same(asked(build))
    assert build.times == 2


def test_the_signals_of_repair_come_back_as_they_were_built(cache: Path) -> None:
    """Built, kept, read: the same tables, frozen."""
    signals.cache_clear()
    built = signals()
    signals.cache_clear()
    read = signals()
    assert all(np.array_equal(a, b) and not b.flags.writeable for a, b in zip(built, read, strict=True))
    assert len(list(cache.iterdir())) == 1
