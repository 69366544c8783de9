"""Runs with dedup_lines: the same bytes on Ray and after a stop, balanced, and what was taken out can be seen."""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from tests.pipeline.small_runs import output
from tests.protocol.driver_kills import dying_at
from tests.protocol.fault_executors import DriverKilled

from headrace.pipeline.committed import open_committed
from headrace.pipeline.events import Event
from headrace.pipeline.explain import explain
from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.rule_values import given
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.stages.dedup_lines import DedupLines
from headrace.stages.writing.parsed import STORED, as_parsed

CONFIG = """
run: {run}
sources: [{{name: web, paths: ["{folder}/*.jsonl"]}}]
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: dedup_lines, unit: paragraph, min_letters: 20}}
  - {{kind: dedup_lines, min_letters: 20, min_run_letters: 50}}
  - {{kind: normalize}}
  - {{kind: dedup}}
  - {{kind: write, format: parquet, record: full, shard_bytes: 4000}}
engine: {{executor: inline, unit_bytes: 3000, lanes: 2}}
"""
MENU = ("Home | Mills | Rivers | Bridges", "首页 新闻 关于我们 联系编辑部 网站地图")
NOTICE = "This site keeps what it knows of you in small files.\nRead on and you agree.\n\n"
WORDS = "water mill wheel channel stone river grain 水渠 磨坊 石头 粮食 面粉 河流".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give pages of a few sentences with a menu, most with a notice, some of them nothing but these."""
    chance, folder = random.Random(1), tmp_path_factory.mktemp("pages")
    for number in range(4):
        with (folder / f"{number}.jsonl").open("w", encoding="utf-8") as file:
            for _ in range(25):
                lines = [" ".join(chance.choices(WORDS, k=12)) for _ in range(chance.randrange(5))]
                text = "\r\n".join([*MENU, *lines]) + "\r\n\r\n" + NOTICE * chance.randrange(2)
                file.write(json.dumps({"text": text}) + "\n")
    return folder


def configured(folder: Path, pages: Path, name: str, *overrides: str) -> LoadedConfig:
    path = folder / f"{name}.yaml"
    path.write_text(CONFIG.format(run=name, folder=pages), encoding="utf-8")
    return load_config(path, overrides)


@pytest.fixture(scope="module")
def inline(pages: Path) -> Path:
    """Give a finished inline run."""
    loaded = configured(pages.parent, pages, "inline")
    assert run_pipeline(loaded).state == "done"
    return loaded.run_dir


def test_a_run_balances_and_takes_out_what_is_around_the_texts(inline: Path) -> None:
    """What comes in is kept or dropped; of menu and notice one copy each is left in all shards together."""
    committed = open_committed(inline)
    for ledger in committed.ledgers():
        ledger.check()
    assert not verify(inline).problems
    texts = ds.dataset(inline / "shards").to_table(columns=["text"])["text"].to_pylist()
    whole = "\n".join(texts)
    assert (whole.count(MENU[0]), whole.count(MENU[1]), whole.count("Read on and you agree")) == (1, 1, 1)
    dropped = {reason for ledger in committed.ledgers() for stage in ledger.stages for reason in stage.dropped}
    assert dropped >= {"max_seen_share"}


def test_explain_says_what_a_text_lost_and_whom_it_repeats(inline: Path) -> None:
    """Values of a changed document; of a dropped one share, bound and the document that has its lines."""
    rows = ds.dataset(inline / "documents").to_table().to_pylist()
    changed = next(row for row in rows if row["verdict"] == "kept" and row["values.seen_lines"])
    assert explain(inline, changed["doc_id"])["values"]["seen_lines"] == changed["values.seen_lines"] > 0
    gone = next(row for row in rows if row["reason"] == "max_seen_share")
    said = explain(inline, gone["doc_id"])
    assert (said["stage"], said["threshold"], said["value"]) == (gone["stage"], 0.9, gone["value"])
    assert explain(inline, said["survivor"]["doc_id"])["stage"] not in ("parse", gone["stage"])


def test_what_was_parsed_is_kept_beside_what_is_left(inline: Path, pages: Path) -> None:
    """With `record: full` every document's text comes back as it was, whatever lines it lost."""
    lines = [line for path in sorted(pages.glob("*.jsonl")) for line in path.open(encoding="utf-8")]
    written = [json.loads(line)["text"].replace("\r\n", "\n") for line in lines]
    found: list[str] = []
    for path in sorted((inline / "documents").glob("*.parquet")):
        table = pq.read_table(path)
        if set(STORED) <= set(table.column_names):
            found += as_parsed(table, STORED[1], STORED[2])["text"].to_pylist()
    assert sorted(found) == sorted(written)


@pytest.mark.parametrize("line", [0, 2])
def test_a_run_that_was_stopped_goes_on_with_the_same_lines(
    line: int, inline: Path, pages: Path, tmp_path: Path
) -> None:
    """After a commit the index is read back: the same shards, verdicts and index files as without a stop."""
    loaded = configured(tmp_path, pages, "stopped")

    def interrupt(event: Event) -> None:
        if event.kind == "committed" and event.data["line"] == line:
            os.kill(os.getpid(), signal.SIGINT)

    assert run_pipeline(loaded, watchers=(interrupt,)).state == "stopped"
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(inline)


@pytest.mark.parametrize("step", ["index.temporary.synced", "index.renamed", "index.synced"])
def test_a_run_that_died_while_its_index_was_written_goes_on_with_the_same_lines(
    step: str, inline: Path, pages: Path, tmp_path: Path
) -> None:
    """What was written of lines, and of the documents that have them, and is named by no line is never read."""
    loaded = configured(tmp_path, pages, "died")
    with pytest.raises(DriverKilled), dying_at(step, 2):  # the first file is of lines, the second of documents
        run_pipeline(loaded)
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(inline)


@pytest.mark.parametrize("partitions", [1, 3])
def test_what_does_not_fit_into_memory_is_looked_up_in_files(
    partitions: int, inline: Path, pages: Path, tmp_path: Path
) -> None:
    """With hardly any memory for the index, and in partitions: the same lines go."""
    index = f"engine.index={{memory_bytes: 1, partitions: {partitions}}}"
    loaded = configured(tmp_path, pages, "spilled", index)
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(inline)


@pytest.mark.slow
def test_ray_gives_the_bytes_of_inline(inline: Path, pages: Path, tmp_path: Path, ray_cluster: None) -> None:
    """Lines are decided in order in one process, with partitions as actors, and taken out in the workers."""
    ray = ("engine.executor=ray", "engine.workers=2", "engine.index={memory_bytes: 1, partitions: 2}")
    loaded = configured(tmp_path, pages, "ray", *ray)
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(inline)


@pytest.mark.parametrize("unit", ["line", "paragraph"])
def test_what_the_chain_knows_is_what_is_filled(unit: str) -> None:
    """Rules may ask for the values of lines behind a stage of lines, of paragraphs behind one of those."""
    stage = DedupLines.model_validate({"unit": unit})
    assert given(stage) == {f"values.seen_{unit}s", f"values.seen_{unit}_share"}
