"""Merged postings are derived: they cost no memory, no verdict depends on them, and nothing that is wrong with them."""

from __future__ import annotations

import logging
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.deduplication.test_sorted_runs import (
    BOTH,
    OPTIONS,
    flip,
    merged_files,
    opened,
    random_documents,
)
from tests.stages.deduplication.written_index import in_memory, kept_of, listed, write_files
from tests.stages.kernels.test_band_index import entries

from headrace.schemas.arrays import Signatures
from headrace.schemas.unit import FileRef
from headrace.stages.deduplication import merged, merged_store, sorted_run, sorted_runs
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.merged import Content, Source, open_merged, publish_merged, write_merged
from headrace.stages.deduplication.merging import StoppedError
from headrace.stages.deduplication.open_files import OpenFile
from headrace.stages.kernels.plain_band_index import Document

Made = tuple[list[Document], list[IndexFile]]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Some hundred documents in twelve committed files."""
    kept = kept_of(random_documents(4, 150), BOTH)
    return kept, write_files(tmp_path, BOTH, kept, range(0, len(kept), 1 + len(kept) // 12))


def table_of(count: int) -> tuple[Signatures, Signatures]:
    """Give postings of which each sixth row has none, and each third the same."""
    values = np.random.default_rng(count).integers(2, 1 << 32, count, np.uint32)
    values[::3], values[::6] = 1, 0
    order = np.argsort(values, kind="stable")
    return values[order], order.astype(np.uint32)


def postings(count: int, run: Path) -> Content:
    """Give made postings of two tables, as those of one file."""
    tables = (table_of(count), table_of(count))
    file = IndexFile(run, FileRef("index/made", "0" * 64, 0), 0, count)
    return Content([OpenFile(file, pa.py_buffer(b""), np.zeros((0, 2), np.int64), BOTH)], [Source(tables, 0)])


def test_opening_takes_no_memory_but_that_of_the_directories(tmp_path: Path) -> None:
    """Of eight megabytes less than one is allocated at any time; what comes back is what went in, but for zeros."""
    content = postings(600_000, tmp_path)
    path = publish_merged(tmp_path / "merged", content, ".merged", write_merged, lambda: None)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    found = open_merged(path)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert path.stat().st_size == pytest.approx(8 * 2 * 500_000, abs=1000)
    assert peak < 900_000
    assert found.nbytes < 2 * 0.13 * 600_000
    for (prints, rows), (before_prints, before_rows) in zip(found.tables, content.sources[0].tables, strict=True):
        np.testing.assert_array_equal(prints, before_prints[before_prints > 0])
        np.testing.assert_array_equal(rows, before_rows[before_prints > 0])


@pytest.mark.parametrize("options", OPTIONS)
def test_merged_postings_are_merged_again(
    options: str, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four at a time: the second turn reads what the first one made, and the third session uses what is there."""
    kept, files = made
    monkeypatch.setattr(sorted_runs, "due", lambda runs: list(runs)[:4] if len(runs) > 1 else [])
    for times in range(2):
        runs = opened(tmp_path, BOTH, files, OPTIONS[options])
        assert runs.runs == (1 if times else len(files))
        for _ in range(2):
            assert listed(runs.ask(entries(kept, BOTH), 100)) == in_memory(kept, kept, 100, BOTH)
            runs.wait()
        assert runs.runs == len(merged_files(tmp_path)) == 1
        runs.close()


def test_damage_does_not_pass_from_one_to_the_next(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was merged is flipped while it is in use: it is hashed before it is merged again, and made anew."""
    kept, files = made
    monkeypatch.setattr(sorted_runs, "due", lambda runs: list(runs) if len(runs) > 1 else [])
    runs = opened(tmp_path, BOTH, files[:5])
    runs.wait()
    (path,) = merged_files(tmp_path)
    flip(path, -20)
    runs.adopt(files[5:])
    runs.wait()
    assert [record.message.partition(":")[0] for record in caplog.records] == [str(path)]
    assert runs.runs == 1
    assert listed(runs.ask(entries(kept, BOTH), len(kept))) == in_memory(kept, kept, len(kept), BOTH)
    runs.close()


@pytest.mark.parametrize("failure", [MemoryError("no room"), ZeroDivisionError("a bug"), OSError(12, "no map")])
def test_whatever_fails_in_a_merge_costs_time_alone(
    failure: Exception, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The answers are those of the files; the log has the place of the failure and its words, once."""
    kept, files = made

    def failing(*_: object) -> object:
        raise failure

    monkeypatch.setattr(merged, "merged_pieces", failing)
    runs = opened(tmp_path, BOTH, files)
    for _ in range(2):
        assert listed(runs.ask(entries(kept, BOTH), 90)) == in_memory(kept, kept, 90, BOTH)
        runs.wait()
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[1] is failure
    assert record.message.endswith(f": {failure}")
    assert merged_files(tmp_path) == []


@pytest.mark.parametrize("failure", [OSError(12, "Cannot allocate memory"), FileNotFoundError(2, "gone"), ValueError()])
@pytest.mark.parametrize("options", ["runs", "lmdb"])
def test_merged_postings_that_cannot_be_opened_are_left_alone(
    options: str,
    failure: Exception,
    made: Made,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No map left, removed meanwhile, or something else: files are adopted, and asked one by one."""
    kept, files = made
    runs = opened(tmp_path, BOTH, files, OPTIONS[options])
    runs.wait()
    runs.close()

    def failing(*_: object) -> object:
        raise failure

    monkeypatch.setattr(merged_store.MergedStore, "open", failing)
    runs = opened(tmp_path, BOTH, files, OPTIONS[options])
    assert runs.runs == len(files)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert listed(runs.ask(entries(kept, BOTH), 90)) == in_memory(kept, kept, 90, BOTH)
    runs.close()


def test_what_was_removed_is_forgotten(made: Made, tmp_path: Path) -> None:
    """A merged file that is gone is not offered, and one that comes back is looked at again."""
    _, files = made
    runs = opened(tmp_path, BOTH, files)
    runs.wait()
    (path,) = merged_files(tmp_path)
    store = runs._store
    assert [found for found, _ in store.whole()] == [path]
    content = path.read_bytes()
    path.unlink()
    assert store.whole() == []
    path.write_bytes(content[:-1])
    assert store.whole() == []
    assert not path.exists()
    runs.close()


def test_making_and_looking_are_done_at_the_same_time(made: Made, tmp_path: Path) -> None:
    """A thread that merges and one that adopts see the same store."""
    _, files = made
    runs = opened(tmp_path, BOTH, files)
    store, done, failures = runs._store, threading.Event(), list[Exception]()

    def make() -> None:
        for run in runs._runs * 9:
            store.make(Content(run.files, run.sources(0)), lambda: None)
        done.set()

    thread = threading.Thread(target=make)
    thread.start()
    while not done.is_set():
        try:
            store.whole()
        except RuntimeError as error:
            failures.append(error)
    thread.join()
    assert failures == []
    assert len(store.whole()) == len(files)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_merge_may_be_seen_before_it_is_swapped_in(
    options: str, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Files adopted just after a merge was written take it over; the thread that wrote it finds it open: no harm."""
    kept, files = made
    written, go_on = threading.Event(), threading.Event()
    publish = merged_store.publish_merged

    def slow(*arguments: object) -> object:
        path = publish(*arguments)  # type: ignore[arg-type]
        written.set()
        assert go_on.wait(60)
        return path

    monkeypatch.setattr(merged_store, "publish_merged", slow)
    runs = opened(tmp_path, BOTH, files[:10], OPTIONS[options])
    runs.ask(entries(kept[:1], BOTH), 1)
    assert written.wait(60)
    runs.adopt(files[10:])
    assert runs.runs == 1 + len(files[10:])
    go_on.set()
    runs.wait()
    assert runs.runs < 4
    assert listed(runs.ask(entries(kept, BOTH), len(kept))) == in_memory(kept, kept, len(kept), BOTH)
    assert caplog.records == []
    runs.close()


class Ends:
    """A step that is the last one after a number of them."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self) -> None:
        """Count."""
        self.left -= 1
        if self.left < 0:
            raise StoppedError


@pytest.mark.parametrize("part", ["hash", "bloom"])
def test_closing_ends_hashing_and_filters_too(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of a file is a step, and so is each part of a filter: no minutes pass before the process ends."""
    content = postings(60_000, tmp_path)
    monkeypatch.setattr(merged, "_BLOCK", 100_000)
    monkeypatch.setattr(sorted_run, "_PAIRS", 10_000)
    path = publish_merged(tmp_path / "merged", content, ".merged", write_merged, lambda: None)
    whole: dict[str, Callable[[Ends], object]] = {
        "hash": lambda step: merged.is_whole(path, step),
        "bloom": lambda step: sorted_run.bloom_of([content.sources[0].tables], step),
    }
    with pytest.raises(StoppedError):
        whole[part](Ends(5))
    whole[part](Ends(20))


def test_a_merge_that_is_ended_while_it_is_hashed_leaves_nothing(tmp_path: Path) -> None:
    """Neither a name nor a temporary file."""
    content = postings(60_000, tmp_path)
    with pytest.raises(StoppedError):
        publish_merged(tmp_path / "merged", content, ".merged", write_merged, Ends(2))
    assert list((tmp_path / "merged").iterdir()) == []
