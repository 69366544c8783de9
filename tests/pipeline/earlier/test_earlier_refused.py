"""An earlier run that cannot be compared with is refused: with what is wrong, where, why, and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.earlier.weeks import Weeks

from headrace.pipeline.committed import read_plan
from headrace.pipeline.earlier_runs import frozen_in
from headrace.pipeline.load import load_config
from headrace.pipeline.plan import make_plan
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import ConfigError, FormatError, HeadraceError
from headrace.schemas.manifest import MANIFEST
from headrace.stages.dedup import Dedup


def remove(run: Path) -> None:
    shutil.rmtree(run)


def empty(run: Path) -> None:
    shutil.rmtree(run)
    run.mkdir()


def edit_line(run: Path) -> None:
    lines = (run / MANIFEST).read_bytes().splitlines(keepends=True)
    (run / MANIFEST).write_bytes(b"".join([lines[0].replace(b'"first":0', b'"first":1'), *lines[1:]]))


def cut_manifest(run: Path) -> None:
    lines = (run / MANIFEST).read_bytes().splitlines(keepends=True)
    (run / MANIFEST).write_bytes(b"".join(lines[:-1]))


def edit_plan(run: Path) -> None:
    (run / "plan.json").write_bytes((run / "plan.json").read_bytes().replace(b"0.8", b"0.7"))


def index_file(run: Path) -> Path:
    return min((run / "index").glob("dedup-*.arrow"))


def remove_index(run: Path) -> None:
    index_file(run).unlink()


def cut_index(run: Path) -> None:
    index_file(run).write_bytes(index_file(run).read_bytes()[:-100])


def flip_index(run: Path) -> None:
    data = bytearray(index_file(run).read_bytes())
    data[len(data) // 2] ^= 1
    index_file(run).write_bytes(data)


DAMAGE: list[tuple[Callable[[Path], None], type[HeadraceError], str]] = [
    (remove, ConfigError, "an earlier run is not there: .*week0: no such folder"),
    (empty, ConfigError, "an earlier run is not there: .*week0: it holds no plan.json"),
    (edit_line, FormatError, "an earlier run is damaged: .*week0/manifest.jsonl, line 1: the line was altered"),
    (cut_manifest, FormatError, "an earlier run lost what it had: .*week0/manifest.jsonl"),
    (edit_plan, FormatError, "week0/plan.json: the plan was altered"),
    (remove_index, FormatError, "an index file of an earlier run is missing: .*week0/index/dedup-"),
    (cut_index, FormatError, "an index file of an earlier run is damaged: .*week0/index/dedup-"),
    (
        flip_index,
        FormatError,
        "week0/index/dedup-.*: an index file of the earlier run runs/week0 cannot be used: .*SHA",
    ),
]


@pytest.mark.parametrize(("damage", "kind", "message"), DAMAGE, ids=[d[0].__name__ for d in DAMAGE])
@pytest.mark.parametrize("begun", [False, True], ids=["at the start", "when it is resumed"])
def test_a_changed_earlier_run_is_refused(
    two: Weeks, damage: Callable[[Path], None], kind: type[HeadraceError], message: str, *, begun: bool
) -> None:
    """Gone, edited, cut or damaged: what, where, why and what to do; nothing is compared with less than was said."""
    if begun:
        assert two.run("week1", ["week1"], ["week0"], commits=1) is None
    damage(two.folder / "runs/week0")
    with pytest.raises(kind, match=message) as error:
        two.run("week1", ["week1"], ["week0"])
    assert error.value.remedy
    assert kind.exit_code == (2 if kind is ConfigError else 1)


def test_an_earlier_run_that_was_made_anew_is_another(two: Weeks) -> None:
    """`--fresh` over other input gives lines that are whole, and not those that the run was begun with."""
    two.run("week1", ["week1"], ["week0"], commits=1)
    two.run("week0", ["week1"], fresh=True)
    with pytest.raises(FormatError, match=r"not what it was when this run began: .*another SHA-256") as error:
        two.run("week1", ["week1"], ["week0"])
    assert "start over with --fresh" in str(error.value)
    two.run("week1", ["week1"], ["week0"], fresh=True)
    assert {row["verdict"] for row in two.rows("week1")} == {"dropped"}


@pytest.mark.parametrize(
    ("stage", "why"),
    [
        ({"minhash": {"threshold": 0.7}}, "minhash.threshold is 0.8 there and 0.7 here"),
        ({"simhash": {}}, "minhash is given there and null here"),
        ({"minhash": None}, "it finds near duplicates there, only exact ones here"),
        ({"verify": "exact"}, "verify is sketch there and exact here"),
    ],
)
def test_an_index_of_other_options_cannot_be_asked(two: Weeks, stage: dict[str, Any], why: str) -> None:
    """The message names the options that differ."""
    with pytest.raises(ConfigError, match=f"stage dedup, against: runs/week0: .*other options: {why}"):
        two.run("week1", ["week1"], ["week0"], **stage)


def test_a_run_without_the_stage_has_nothing_to_compare_with(two: Weeks) -> None:
    """A run whose chain has another stage is named with its chain."""
    urls = Weeks(two.folder, {"kind": "urls"})
    urls.run("addresses", ["week0"])
    with pytest.raises(ConfigError, match="no index to compare with: its stages are decode, parse, urls, tokenize"):
        two.run("week1", ["week1"], ["addresses"])


def test_a_release_with_another_version_of_the_stage(two: Weeks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures of another version of the stage are not compared."""
    monkeypatch.setattr(Dedup, "version", 99)
    with pytest.raises(ConfigError, match=r"version \d+ of dedup, and this release has version 99"):
        two.run("week1", ["week1"], ["week0"])


@pytest.mark.parametrize(
    ("against", "why"),
    [
        (["week0", "../runs/week0"], "named as runs/week0 before"),
        (["week1"], "it is the folder of this run"),
        (["week0", "../in"], "in: it holds no plan.json"),
        (["week0", "we\0ek"], "null byte"),
    ],
)
def test_runs_that_cannot_be_named(two: Weeks, against: list[str], why: str) -> None:
    """A run that is named twice, in whatever words, the run itself, a folder that is no run, and no name."""
    with pytest.raises(ConfigError, match=why):
        two.run("week1", ["week1"], against)


def test_one_of_several_stages_is_the_one_with_the_same_options(two: Weeks) -> None:
    """Of two dedup stages of the earlier run that one is asked whose options agree, wherever it stood."""
    path = two.config("both", ["week0"], minhash=None)
    second = "- kind: dedup\n- kind: tokenize"
    path.write_text(path.read_text().replace("- kind: tokenize", second))
    run_pipeline(load_config(path))
    two.run("week1", ["week1"], ["both"])
    assert [run.stage for run in frozen_in(read_plan(two.folder / "runs/week1"), "dedup")] == ["dedup.2"]
    with_both = [(r["doc_id"], r["verdict"], r["survivor"]) for r in two.rows("week1")]
    two.run("again", ["week1"], ["week0"])
    assert with_both == [(r["doc_id"], r["verdict"], r["survivor"]) for r in two.rows("again")]


def test_more_index_files_than_a_process_may_map_are_refused_at_the_start(
    two: Weeks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how many partitions would do; on Ray these are processes, inline they are not."""
    limit = two.folder / "max_map_count"
    monkeypatch.setattr("headrace.pipeline.earlier_index._MAPS", limit)
    files = len(list((two.folder / "runs/week0/index").glob("dedup-*.arrow")))
    path = two.config("week1", ["week1"], ["week0"])
    for text, executor, partitions, refused in (
        ("1", "ray", files, True),
        ("1", "ray", 2 * files, False),
        ("1", "inline", 2 * files, True),
        ("100", "inline", 1, False),
        ("none", "inline", 1, False),
    ):
        limit.write_text(text)
        loaded = load_config(path, [f"engine.executor={executor}", f"engine.index.partitions={partitions}"])
        if refused:
            with pytest.raises(ConfigError, match=r"max_map_count is 1 here. Set engine"):
                make_plan(loaded)
        else:
            make_plan(loaded)
