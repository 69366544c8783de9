"""Listing: patterns become files in a fixed order, and files become splits, on every machine alike."""

from __future__ import annotations

import gzip
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.parts import a_source

from headrace.pipeline.listing import RANGE_UNITS, cut_splits, resolve_source
from headrace.schemas.errors import ConfigError
from headrace.schemas.source import Cursor, InputFile, Source, Split
from headrace.stages.read import read_part
from headrace.stages.reading.file_names import on_disk

UNIT = 10_000


def tree(folder: Path, *names: str) -> None:
    """Write small files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def names(source: Source, base: Path) -> list[str]:
    """Give the relative paths of a source's files."""
    return [file.path for file in resolve_source(source, base)[1]]


def test_folders_globs_and_files(tmp_path: Path) -> None:
    """A folder stands for all below it, hidden files too; ** crosses folders; * does not."""
    tree(tmp_path, "d/b.txt", "d/a.md", "d/x/c.txt", "d/.hid/e.txt", "other/f.txt")
    assert names(a_source("d"), tmp_path) == [".hid/e.txt", "a.md", "b.txt", "x/c.txt"]
    assert names(a_source("d/*.txt"), tmp_path) == ["b.txt"]
    assert names(a_source("d/**/*.txt"), tmp_path) == [".hid/e.txt", "b.txt", "x/c.txt"]
    assert names(a_source("d/x/c.txt"), tmp_path) == ["c.txt"]
    assert names(a_source("d/*.txt", "other"), tmp_path) == ["d/b.txt", "other/f.txt"]


def test_the_root_is_what_the_patterns_share(tmp_path: Path) -> None:
    """Relative paths, which become doc_ids, begin behind the folders that all patterns name literally."""
    tree(tmp_path, "d/e/a.txt", "d/e/f/b.txt")
    for patterns, root in (
        (("d/e",), "d/e"),
        (("d/**/*.txt",), "d"),
        (("d/e/a*.txt",), "d/e"),
        (("d/e/a.txt",), "d/e"),
        (("d/e/f", "d/e/a.txt"), "d/e"),
        ((str(tmp_path / "d" / "e"),), "d/e"),
        ((f"file://{tmp_path}/d/e/*.txt",), "d/e"),
    ):
        assert resolve_source(a_source(*patterns), tmp_path)[0] == str(tmp_path / root), patterns


def at(folder: Path, name: bytes) -> Path:
    return Path(os.fsdecode(os.fsencode(folder) + b"/" + name))


def a_run(folder: Path) -> None:
    """Write what makes a folder one of a run, and what its shards are."""
    tree(folder, "plan.json", "manifest.jsonl", "config.resolved.yaml", "shards/0.parquet", "first-pass/plan.json")


def skipping(source: Source, base: Path, run: Path | None = None) -> tuple[list[str], list[str]]:
    """Give the relative paths of a source's files, and the folders that were left out."""
    left_out: list[str] = []
    files = resolve_source(source, base, run, skip=left_out.append)[1]
    return [file.path for file in files], [os.path.relpath(path, base) for path in left_out]


def test_a_run_that_is_met_on_the_way_is_left_out_and_told_once(tmp_path: Path) -> None:
    """Below a folder, and by **; not where a pattern names its shards, and the run that is planned is not told of."""
    tree(tmp_path, "in/a.txt", "in/sub/b.parquet", "in/plans/plan.json")
    a_run(tmp_path / "in/sub/clean")
    for pattern, files in (
        ("in", ["a.txt", "plans/plan.json", "sub/b.parquet"]),
        ("in/**/*.parquet", ["sub/b.parquet"]),
    ):
        assert skipping(a_source(pattern), tmp_path) == (files, ["in/sub/clean"])
    assert skipping(a_source("in", "in/**"), tmp_path)[1] == ["in/sub/clean"]
    assert skipping(a_source("in"), tmp_path, tmp_path / "in/sub/clean")[1] == []
    for pattern in ("in/sub/clean/shards", "in/sub/clean/shards/*.parquet", "in/*/clean/shards/0.parquet"):
        assert skipping(a_source(pattern), tmp_path)[0][0].endswith("0.parquet"), pattern


@pytest.mark.parametrize(
    ("pattern", "said"),
    [("void", "void holds no file. Check the paths; relative"), ("results", "results holds no file but those of runs")],
)
def test_a_folder_without_input_is_said_to_be_that(tmp_path: Path, pattern: str, said: str) -> None:
    """Nothing in it, or only results; where the path is absolute nothing is said of relative ones."""
    (tmp_path / "void").mkdir()
    a_run(tmp_path / "results/one")
    with pytest.raises(ConfigError) as caught:
        skipping(a_source(pattern), tmp_path)
    assert said in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        skipping(a_source(str(tmp_path / pattern)), tmp_path)
    assert "relative" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["run", "run/in", "run/in/a.txt", "run/in/*.txt", "run/**/*.txt"])
def test_input_in_the_runs_own_folder_is_said_to_be_that(tmp_path: Path, pattern: str) -> None:
    """It is not said to be empty."""
    tree(tmp_path, "run/in/a.txt")
    with pytest.raises(ConfigError) as caught:
        skipping(a_source(pattern), tmp_path, tmp_path / "run")
    assert f"{tmp_path / pattern} belongs to the run's own folder, whose files are no input" in str(caught.value)


def test_order_is_that_of_the_bytes(tmp_path: Path) -> None:
    """The order of files is decided by their paths' bytes, not by the file system or the locale."""
    tree(tmp_path, "b", "a", "B", "é", "清洗", "a.b/c", "a-b")
    assert names(a_source("."), tmp_path) == ["B", "a", "a-b", "a.b/c", "b", "é", "清洗"]


def test_a_file_is_listed_once(tmp_path: Path) -> None:
    """Patterns that overlap do not double documents."""
    tree(tmp_path, "d/a.txt")
    assert names(a_source("d", "d/*.txt", "d/a.txt"), tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("*.md", ["a.txt", "x/b.md", "x/y/c.txt"]),
        ("**/*.md", ["a.txt", "x/y/c.txt"]),
        ("x", ["a.txt", "d.md"]),
        ("x/**", ["a.txt", "d.md"]),
        ("**/y/", ["a.txt", "d.md", "x/b.md"]),
        ("[ab].txt", ["d.md", "x/b.md", "x/y/c.txt"]),
        ("?.md", ["a.txt", "x/b.md", "x/y/c.txt"]),
    ],
)
def test_exclusions(tmp_path: Path, pattern: str, left: list[str]) -> None:
    """Globs relative to the source's folder; a folder's name leaves out all below it."""
    tree(tmp_path, "a.txt", "d.md", "x/b.md", "x/y/c.txt")
    assert names(a_source(".", exclude=(pattern,)), tmp_path) == left


def test_names_with_brackets_are_names(tmp_path: Path) -> None:
    """A path that exists is taken literally."""
    tree(tmp_path, "a[1].txt", "d[x]/b.txt")
    assert names(a_source("a[1].txt"), tmp_path) == ["a[1].txt"]
    assert names(a_source("d[x]"), tmp_path) == ["b.txt"]


def test_places_of_python_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """{stdlib}, {purelib} and ~ stand for folders of this machine and are no part of the relative path."""
    root, files = resolve_source(a_source("{stdlib}/json/*.py"), tmp_path)
    assert Path(root) == Path(sysconfig.get_paths()["stdlib"]) / "json"
    assert "decoder.py" in [file.path for file in files]
    assert Path(resolve_source(a_source("{purelib}/pytest/*.py"), tmp_path)[0]).name == "pytest"
    monkeypatch.setenv("HOME", str(tmp_path))
    tree(tmp_path, "mine/a.txt")
    assert names(a_source("~/mine"), Path("/")) == ["a.txt"]


def test_nothing_found_is_said(tmp_path: Path) -> None:
    """The message names the source, the patterns, and where relative ones begin."""
    tree(tmp_path, "a.txt")
    with pytest.raises(ConfigError, match=r"source s: no input file.*nothing matches b\*, c\?.*begin at") as caught:
        resolve_source(a_source("b*", "c?"), tmp_path)
    assert caught.value.exit_code == 2
    with pytest.raises(ConfigError, match=r"source s: an input is missing.*c is not there.*begin at"):
        resolve_source(a_source("a.txt", "c"), tmp_path)
    with pytest.raises(ConfigError, match="an empty path names nothing"):
        resolve_source(a_source("a.txt", ""), tmp_path)
    with pytest.raises(ConfigError, match="after the exclusions"):
        resolve_source(a_source(".", exclude=("*",)), tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
def test_a_name_that_is_no_utf8_is_escaped(tmp_path: Path) -> None:
    """It becomes part of a doc_id that a person can type: in order of the bytes, excluded and named by its escapes."""
    tree(tmp_path, "a.txt", "é.txt")
    at(tmp_path, b"caf\xe9.txt").write_text("x")
    assert names(a_source("."), tmp_path) == ["a.txt", r"caf\xe9.txt", "é.txt"]
    assert names(a_source(".", exclude=(r"caf\xe9*",)), tmp_path) == ["a.txt", "é.txt"]
    assert names(a_source(r"caf\xe9.txt"), tmp_path) == [r"caf\xe9.txt"]
    assert names(a_source(r"c*\xe9.txt"), tmp_path) == [r"caf\xe9.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
def test_names_never_collide(tmp_path: Path) -> None:
    """A name that looks like an escape is escaped itself; so is the name of the folder above, in the root."""
    folder = at(tmp_path, b"\xb4\xf3")
    folder.mkdir()
    for name in (b"\xe9", rb"\xe9", rb"\x5cxe9", rb"\\xe9", b"\\\xe9", rb"\x", "é".encode()):
        at(folder, name).write_bytes(name)
    source = a_source(".")
    root, files = resolve_source(source, folder)
    assert root == rf"{tmp_path}/\xb4\xf3"
    assert len({file.path for file in files}) == len(files) == 7
    (split,) = cut_splits(source, root, files, unit_bytes=100_000, first_index=0)
    part = read_part(split, source, Cursor(0), 100_000)
    assert part.faults.num_rows == 0
    for path, data in zip(part.documents["path"].to_pylist(), part.documents["data"].to_pylist(), strict=True):
        assert on_disk(path) == os.fsdecode(data)


def test_what_is_no_file_is_listed_and_never_opened(tmp_path: Path) -> None:
    """A pipe would wait for ever and a dead link cannot be opened: both are named in the report."""
    tree(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nowhere")
    source = a_source(".")
    root, files = resolve_source(source, tmp_path)
    (split,) = cut_splits(source, root, files, unit_bytes=UNIT, first_index=0)
    part = read_part(split, source, Cursor(0), UNIT)
    assert part.faults.select(["path", "reason"]).to_pylist() == [
        {"path": "link", "reason": "unreadable_file"},
        {"path": "pipe", "reason": "unreadable_file"},
    ]


def big(folder: Path, name: str, content: bytes) -> None:
    """Write a file that is longer than a byte range."""
    (folder / name).write_bytes(content * (RANGE_UNITS * UNIT * 2 // len(content)))


def spans(source: Source, folder: Path) -> list[tuple[int, int | None]]:
    """Give begin and end of every split."""
    root, files = resolve_source(source, folder)
    return [(s.begin, s.end) for s in cut_splits(source, root, files, unit_bytes=UNIT, first_index=0)]


@pytest.mark.parametrize(
    ("name", "content", "options", "cut"),
    [
        ("f.txt", b"line of text\n", {"records": "lines"}, True),
        ("f.txt", b"line\n\n", {"records": "paragraphs"}, True),
        ("f.jsonl", b'{"text": "x"}\n', {}, True),
        ("f.txt", b"line of text\n", {"records": "file"}, False),
        ("f.csv", b"a,b\n", {}, False),
        ("f.json", b"[[[[\n", {}, False),
        ("f.txt", "line\n".encode("utf-16-le"), {"records": "lines"}, False),
        ("f.html", b"<html>\n", {"records": "lines"}, False),
    ],
)
def test_which_big_files_are_cut(
    tmp_path: Path, name: str, content: bytes, options: dict[str, str], *, cut: bool
) -> None:
    """Only where a record can be found from any byte is a file cut into ranges of 16 units."""
    big(tmp_path, name, content)
    span, size = RANGE_UNITS * UNIT, (tmp_path / name).stat().st_size
    ranges = [(0, span), (span, None)] if size <= 2 * span else [(0, span), (span, 2 * span), (2 * span, None)]
    assert spans(a_source(".", **options), tmp_path) == (ranges if cut else [(0, None)])


def test_a_packed_file_is_one_split(tmp_path: Path) -> None:
    """A gzip file can only be read from its beginning."""
    noise = os.urandom(RANGE_UNITS * UNIT * 2)
    (tmp_path / "f.jsonl.gz").write_bytes(gzip.compress(noise, 1))
    assert spans(a_source("."), tmp_path) == [(0, None)]


@settings(deadline=None)
@given(sizes=st.lists(st.integers(0, 3 * UNIT), min_size=1, max_size=40), tables=st.data())
def test_small_files_are_grouped(sizes: list[int], tables: st.DataObject) -> None:
    """Neighbours share a split while they fit into a unit; order is kept, tables and byte files stay apart."""
    endings = [tables.draw(st.sampled_from(("txt", "parquet"))) for _ in sizes]
    files = [InputFile(f"{n:03}.{e}", size, 0) for n, (size, e) in enumerate(zip(sizes, endings, strict=True))]
    splits: list[Split] = cut_splits(a_source(), "/", files, unit_bytes=UNIT, first_index=7)
    assert [file for split in splits for file in split.files] == files
    assert [split.index for split in splits] == list(range(7, 7 + len(splits)))
    for split in splits:
        assert len(split.files) == 1 or sum(file.bytes for file in split.files) <= UNIT
        assert len({file.path.rpartition(".")[2] for file in split.files}) == 1


def test_links_to_folders_are_followed_but_never_in_circles(tmp_path: Path) -> None:
    """Data often lies behind links; two links back up would else be walked 2 to the power of 40 times."""
    tree(tmp_path, "d/a.txt", "d/x/b.txt", "far/c.txt")
    (tmp_path / "d" / "part").symlink_to(tmp_path / "far")
    (tmp_path / "d" / "loop").symlink_to(".")
    (tmp_path / "d" / "x" / "up").symlink_to("..")
    (tmp_path / "d" / "itself").symlink_to("itself")
    every = ["a.txt", "itself", "part/c.txt", "x/b.txt"]
    assert names(a_source("d"), tmp_path) == every
    assert names(a_source("d/**"), tmp_path) == every
    assert names(a_source("d/**/*.txt"), tmp_path) == ["a.txt", "part/c.txt", "x/b.txt"]


def test_the_runs_own_folder_is_no_input(tmp_path: Path) -> None:
    """A run below its input would else find itself changed when it is started again."""
    tree(tmp_path, "d/a.txt", "d/run/shards/b.txt", "d/runner/c.txt")
    found = resolve_source(a_source("d"), tmp_path, tmp_path / "d" / "run")[1]
    assert [file.path for file in found] == ["a.txt", "runner/c.txt"]


def test_a_folder_that_cannot_be_listed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files would else be left out without a word."""
    tree(tmp_path, "d/a.txt", "d/closed/b.txt")
    listed = os.scandir

    def scandir(folder: Path) -> Any:
        if folder.name == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    for pattern in ("d", "d/**/*.txt"):
        with pytest.raises(ConfigError, match=r"d/closed: a folder cannot be listed: Permission denied"):
            names(a_source(pattern), tmp_path)
