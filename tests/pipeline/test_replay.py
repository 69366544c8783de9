"""Quarantined records once more, by a charset that a person names: only those, under their own ids, as a run."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest
from click.testing import CliRunner, Result
from tests.pipeline.small_runs import output

from headrace.pipeline.cli import main
from headrace.pipeline.committed import read_plan
from headrace.pipeline.explain import explain
from headrace.pipeline.inspect_run import inspect_run
from headrace.pipeline.load import load_config
from headrace.pipeline.replay import make_replay
from headrace.pipeline.replay_choice import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError
from headrace.schemas.source import Cursor, InputFile, Source, Split
from headrace.stages.read import Part, read_part

WORDS = "磨坊 引水渠 水轮 面粉 闸板 师傅 石磨 春天 村口 帐簿".split()  # noqa: SIM905
CONFIG = """
run: run
plugins: [check.py]
sources:
  - {name: web, paths: ["in/**"], records: lines}
  - {name: old, paths: ["dump"]}
stages:
  - {kind: decode, max_damage: 0.01}
  - {kind: parse}
  - {kind: check}
  - {kind: tokenize, train: {vocab_size: 300, sample_bytes: 3000}}
  - {kind: write, sequence_length: 32, shard_tokens: 500}
engine: {executor: inline, unit_bytes: 1500, lanes: 2}
"""
CHECK = """
from typing import Literal
from headrace.stages.base import Document, DocumentStage

class Check(DocumentStage):
    kind: Literal["check"] = "check"

    def process(self, document: Document) -> Document:
        if any(word in document.text for word in WORDS):
            return document
        raise ValueError("this is no text about mills")

WORDS = "the old mill,磨坊,引水渠,水轮,面粉,闸板,师傅,石磨,春天,村口,帐簿".split(",")
"""
ODD = {"a.txt": (3, 40), "deep/b.txt": (0, 1, 59), "c.txt": ()}
ODD_LINES = 5


def line(rng: random.Random) -> bytes:
    return "".join(rng.choice(WORDS) for _ in range(12)).encode() + b"\n"


def odd(number: int) -> bytes:
    """Give a line of a mainframe: EBCDIC, which nobody takes it for unless a person says so."""
    return f"the old mill had {number} wheels, all of them of oak".encode("cp037") + b"\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a finished run that quarantined lines of two files, and two for another reason."""
    folder = tmp_path_factory.mktemp("replay")
    rng = random.Random(5)
    (folder / "check.py").write_text(CHECK, encoding="utf-8")
    for name, numbers in ODD.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(odd(i) if i in numbers else line(rng) for i in range(60)))
    (folder / "dump").mkdir()
    (folder / "dump" / "x.jsonl").write_bytes('{"text": "磨坊"}\n{no json}\n{"text": 5}\n'.encode())
    (folder / "c.yaml").write_text(CONFIG)
    assert run_pipeline(load_config(folder / "c.yaml")).state == "done"
    return folder


def documents(run: Path) -> list[dict[str, Any]]:
    return ds.dataset(run / "documents").to_table().sort_by("doc_id").to_pylist()


def quarantined(run: Path, source: str) -> list[str]:
    rows = documents(run)
    return [row["doc_id"] for row in rows if (row["verdict"], row["source"]) == ("quarantined", source)]


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, arguments)])


def replayed(run: Path, folder: Path, encoding: str = "cp037", **more: Any) -> Path:
    made = make_replay(run, Wanted(encoding), folder, **more)
    assert run_pipeline(made.loaded, plan=made.plan).state == "done"
    return folder


def test_only_quarantined_records_come_again_and_under_their_own_ids(made: Path, tmp_path: Path) -> None:
    """Five lines of two files of sixty: decoded by force, kept, with the ids and offsets that they had."""
    wanted = quarantined(made / "run", "web")
    assert len(wanted) == ODD_LINES
    result = call(made / "run", "--encoding", "cp037", "--path", "**/*.txt", "--run", tmp_path / "new")
    assert result.exit_code == 0, result.stderr
    assert f"{ODD_LINES} records of 2 files" in result.stderr
    rows = documents(tmp_path / "new")
    assert [row["doc_id"] for row in rows] == wanted
    assert {(row["verdict"], row["encoding_method"]) for row in rows} == {("kept", "forced")}
    found = explain(tmp_path / "new", wanted[0])
    assert found["verdict"] == "kept" and found["shard"]["pieces"]
    report = inspect_run(tmp_path / "new")["report"]
    assert (report["replay"]["encoding"], report["replay"]["records"]) == ("cp037", ODD_LINES)
    assert (report["totals"]["documents"], report["totals"]["files"]) == (ODD_LINES, 2)
    assert verify(tmp_path / "new").problems == ()


def test_what_another_charset_does_not_mend_is_quarantined_again(made: Path, tmp_path: Path) -> None:
    """All of RUN's quarantined records by default; the ledger balances, the reasons are the new run's."""
    run = replayed(made / "run", tmp_path / "new", "utf-8")
    assert [row["doc_id"] for row in documents(run)] == sorted(
        quarantined(made / "run", "web") + quarantined(made / "run", "old")
    )
    assert {row["verdict"] for row in documents(run)} == {"quarantined"}


def test_the_parents_tokenizer_is_used_and_named_in_the_plan(made: Path, tmp_path: Path) -> None:
    """Ids of both runs mean the same; nothing is trained on the few records; the plan names parent and identity."""
    run = replayed(made / "run", tmp_path / "new")
    models = [sorted(p.name for p in (folder / "tokenizer").iterdir()) for folder in (made / "run", run)]
    assert [Path(name).stem.rpartition("-")[2] for name in models[1] if name.endswith(".model")] == [
        Path(name).stem.rpartition("-")[2] for name in models[0] if name.endswith(".model")
    ]
    plan, parent = read_plan(run), read_plan(made / "run")
    assert plan["places"]["parent"] == str(made / "run")
    assert plan["recipe"]["replay"]["of"] == parent["identity"]
    assert (plan["recipe"]["replay"]["encoding"], plan["recipe"]["replay"]["records"]) == ("cp037", ODD_LINES + 2)
    assert sum(len(split[4]) for split in plan["splits"]) == ODD_LINES + 2


def test_the_same_replay_twice_resumes_and_another_is_refused(made: Path, tmp_path: Path) -> None:
    """The second finds all done; another charset in the same folder is another run, unless it is started afresh."""
    command = (made / "run", "--encoding", "cp037", "--run", tmp_path / "new", "--executor", "inline")
    assert call(*command).exit_code == 0
    before = output(tmp_path / "new")
    assert call(*command).exit_code == 0
    assert output(tmp_path / "new") == before
    other = (made / "run", "--encoding", "latin-1", "--run", tmp_path / "new")
    result = call(*other)
    assert result.exit_code == 2
    assert "not the run that was started here" in result.stderr and "'cp037' and is now 'latin-1'" in result.stderr
    assert call(*other, "--fresh").exit_code == 0


def test_a_replay_that_was_stopped_goes_on(made: Path, tmp_path: Path) -> None:
    """Killed after its first commit, it gives the bytes of one that was not."""
    whole = output(replayed(made / "run", tmp_path / "whole"))
    again = make_replay(made / "run", Wanted("cp037"), tmp_path / "cut")

    class Stop(Exception): ...

    def stop(event: Any) -> None:
        if event.kind == "committed":
            raise Stop

    with pytest.raises(Stop):
        run_pipeline(again.loaded, plan=again.plan, watchers=(stop,))
    assert run_pipeline(again.loaded, plan=again.plan).state == "done"
    assert output(tmp_path / "cut") == whole


def test_the_new_folder_lies_beside_the_run(made: Path) -> None:
    """Named after the run and the charset."""
    assert make_replay(made / "run", Wanted("CP037")).loaded.run_dir == made / "run-replay-cp037"
    assert not (made / "run-replay-cp037").exists()


def test_a_replay_can_be_replayed(made: Path, tmp_path: Path) -> None:
    """What it quarantined again is taken up like that of any run."""
    first = replayed(made / "run", tmp_path / "first", "utf-8")
    second = replayed(first, tmp_path / "second", "cp037")
    kept = [row["doc_id"] for row in documents(second) if row["verdict"] == "kept"]
    assert kept == quarantined(made / "run", "web")


@pytest.mark.slow
def test_both_executors_give_the_same_bytes(made: Path, tmp_path: Path, ray_cluster: None) -> None:
    """Splits travel to the workers with what is taken of them."""
    inline = output(replayed(made / "run", tmp_path / "inline"))
    assert output(replayed(made / "run", tmp_path / "ray", executor="ray")) == inline


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--encoding", "gbk18030"), "there is no charset 'gbk18030'. Did you mean 'gb18030'?"),
        (("--encoding", "big5", "--path", "nowhere/*"), "no record matches; quarantined are"),
        (("--encoding", "big5", "--reason", "invalid_jsn"), "no record matches; quarantined are"),
    ],
)
def test_a_replay_of_nothing_is_refused(arguments: tuple[str, ...], said: str, made: Path, tmp_path: Path) -> None:
    """One message that says what there is, exit code 2, no folder."""
    result = call(made / "run", *arguments, "--run", tmp_path / "new")
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_the_run_itself_is_no_place_for_its_replay(made: Path, tmp_path: Path) -> None:
    """Nor is what is in it: `--fresh` would remove the records that are to be replayed."""
    run = shutil.copytree(made / "run", tmp_path / "run")
    before = sorted(run.rglob("*"))
    for name in ("run", "run/again"):
        result = call(run, "--encoding", "cp037", "--run", tmp_path / name, "--fresh")
        assert result.exit_code == 2
        assert "the new run would be in the folder of the run that it begins with" in result.stderr
    assert sorted(run.rglob("*")) == before


def test_a_run_that_is_not_finished_is_refused(made: Path, tmp_path: Path) -> None:
    """Its quarantine is not all there."""
    shutil.copytree(made / "run", tmp_path / "run")
    lines = (tmp_path / "run" / "manifest.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "manifest.jsonl").write_bytes(b"".join(lines[:-1]))
    published = tmp_path / "run" / "published.json"
    published.write_text(json.dumps({**json.loads(published.read_text()), "lines": len(lines) - 1}))
    with pytest.raises(ConfigError, match=r"the run is not finished: units from \d+ on are not committed. Finish it"):
        make_replay(tmp_path / "run", Wanted("cp037"))


def test_an_input_that_changed_is_refused_by_name(made: Path, tmp_path: Path) -> None:
    """At the quarantined places there may be something else now; files that are not taken may change."""
    changed, other = made / "in" / "a.txt", made / "in" / "c.txt"
    times = changed.stat()
    try:
        os.utime(other, ns=(1, 1))
        os.utime(changed, ns=(1, 1))
        with pytest.raises(ConfigError, match=r"source web: an input changed since the run: a\.txt \(.*\)\. Restore"):
            make_replay(made / "run", Wanted("cp037"))
        assert make_replay(made / "run", Wanted("cp037", path="deep")).records == 3
    finally:
        os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_plug_in_that_changed_is_refused(made: Path) -> None:
    """Its verdicts would be others."""
    try:
        (made / "check.py").write_text(CHECK + "# changed\n", encoding="utf-8")
        with pytest.raises(ConfigError, match=r"check\.py: a plug-in was changed: it is not the one"):
            make_replay(made / "run", Wanted("cp037"))
    finally:
        (made / "check.py").write_text(CHECK, encoding="utf-8")


def part_of(folder: Path, name: str, *only: str, **options: Any) -> Part:
    state = (folder / name).stat()
    split = Split(0, "s", str(folder), (InputFile(name, state.st_size, state.st_mtime_ns),), only=frozenset(only))
    return read_part(split, Source(name="s", paths=(name,), **options), Cursor(0), 1_000_000)


def test_a_part_has_only_the_records_that_are_wanted(tmp_path: Path) -> None:
    """Lines by their offset; of a JSON array the whole file, which is one record; counts are of what is taken."""
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}\n' * 4)
    part = part_of(tmp_path, "a.jsonl", "s:a.jsonl#14", "s:b.jsonl#0")
    assert part.documents["offset"].to_pylist() == [14]
    assert [(f.path, f.records) for f in part.files] == [("s:a.jsonl", 1)]
    (tmp_path / "b.json").write_bytes(b'[{"text": "a"}, {"text": "b"}]')
    assert part_of(tmp_path, "b.json", "s:b.json#16").documents["offset"].to_pylist() == [0]
    assert part_of(tmp_path, "b.json", "s:c.json#16").documents.num_rows == 0
