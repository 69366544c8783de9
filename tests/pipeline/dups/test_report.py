from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from tests.pipeline.dups.repeating_runs import chinese, doc_id, english, make_run
from tests.pipeline.made_run import make_run as made_run

from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed
from headrace.pipeline.dups.clusters import clusters_of
from headrace.pipeline.dups.repetitions import Collector, Repetitions
from headrace.pipeline.dups.report import duplicates_report
from headrace.pipeline.load import load_config
from headrace.pipeline.report import write_report
from headrace.pipeline.run import run_pipeline


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("report"), "full")


def test_the_report_counts_repetitions_by_stage_size_and_similarity(run: Path) -> None:
    """One cluster of 5, one of 3, one by address; two near duplicates stand where they belong."""
    found = write_report(run)["duplicates"]
    assert list(found) == ["urls", "dedup"] or list(found) == ["dedup", "urls"]
    dedup = found["dedup"]
    assert dedup["dropped"] == {"exact_duplicate": 4, "near_duplicate": 2}
    assert (dedup["clusters"], dedup["largest"], dedup["in_earlier_runs"]) == (2, 5, 0)
    assert dedup["sizes"] == [
        {"from": 2, "to": 3, "clusters": 1, "dropped": 2},
        {"from": 4, "to": 7, "clusters": 1, "dropped": 4},
    ]
    assert sum(dedup["similarity"]["documents"]) == 2
    assert sum(dedup["similarity"]["documents"][40:]) == 2
    assert found["urls"]["dropped"] == {"url_repeated": 1}
    assert found["urls"]["similarity"] is None


def test_examples_are_the_largest_clusters_with_a_difference_where_texts_are_stored(run: Path) -> None:
    """The least similar member of each is shown, beside the text that stays."""
    dedup, urls = (write_report(run)["duplicates"][stage]["examples"] for stage in ("dedup", "urls"))
    assert [(e["documents"], e["survivor"], e["doc_id"]) for e in dedup] == [
        (5, doc_id(0), doc_id(4)),
        (3, doc_id(2), doc_id(7)),
    ]
    assert "wheel {+and axle +}" in dedup[0]["difference"]
    assert dedup[0]["excerpt"] == english(1)[:120]
    assert dedup[1]["excerpt"] == chinese(2)[:120]
    assert (urls[0]["left_at"], urls[0]["similarity"]) == ("dedup", 1.0)


def test_the_page_shows_them(run: Path) -> None:
    """A table by stage, two charts, examples; nothing of it in a run without repetitions."""
    write_report(run)
    page = (run / "report.html").read_text(encoding="utf-8")
    for part in (
        "<h2>Repetitions</h2>",
        "dedup: clusters by their documents",
        "2 to 3",
        "4 to 7",
        "the largest clusters",
    ):
        assert part in page
    assert "dedup: how similar near duplicates are" in page
    assert "urls: how similar near duplicates are" not in page


def test_what_is_forgotten_is_not_quoted(tmp_path: Path) -> None:
    """Neither as an excerpt nor in a difference."""
    run = make_run(tmp_path, "full")
    assert CliRunner().invoke(main, ["forget", str(run), "--doc", doc_id(2)]).exit_code == 0
    write_report(run)
    example = json.loads((run / "report.json").read_bytes())["duplicates"]["dedup"]["examples"][1]
    assert (example["survivor"], example["excerpt"], example["difference"]) == (doc_id(2), None, None)
    assert chinese(2)[:20] not in (run / "report.html").read_text(encoding="utf-8")


def test_a_damaged_shard_costs_no_report(tmp_path: Path) -> None:
    """`verify` says what is wrong with it; the example goes without a text."""
    run = make_run(tmp_path)
    for shard in (run / "shards").iterdir():
        shard.write_bytes(b"x" * shard.stat().st_size)
    examples = write_report(run)["duplicates"]["dedup"]["examples"]
    assert [example["excerpt"] for example in examples] == [None, None]


def test_repetitions_are_found_in_token_shards_too(tmp_path: Path) -> None:
    """Texts of kept documents are in documents/ there."""
    (found,) = write_report(made_run(tmp_path))["duplicates"].values()
    assert (found["clusters"], found["examples"][0]["survivor"]) == (1, "web:a.txt#0")
    assert found["examples"][0]["excerpt"].startswith("The mill wheel turns")


def repeating(survivors: Sequence[str | None], stage: str = "dedup", details: list[str] | None = None) -> pa.Table:
    size = len(survivors)
    return pa.table(
        {
            "verdict": ["dropped"] * size,
            "stage": [stage] * size,
            "reason": ["near_duplicate"] * size,
            "value": pa.array([0.8] * size, pa.float64()),
            "survivor": pa.array(survivors, pa.string()),
            "detail": pa.array(details or [None] * size, pa.string()),
        }
    )


def repetitions(survivors: list[str | None], stage: str = "dedup", details: list[str] | None = None) -> Repetitions:
    table = repeating(survivors, stage, details)
    collector = Collector()
    for number, first in enumerate(range(0, table.num_rows, 3)):
        collector.add(number, table.slice(first, 3))
    return collector.found()


def test_clusters_are_those_of_a_plain_grouping() -> None:
    """Any number of repetitions of any survivors, in any order."""
    rng = np.random.default_rng(1)
    survivors = [f"web:{number}" for number in rng.integers(0, 40, 300).tolist()]
    clusters = clusters_of(repetitions([*survivors]))
    plain: dict[str, list[int]] = {}
    for place, name in enumerate(survivors):
        plain.setdefault(name, []).append(place)
    found = [
        clusters.order[first:last].tolist() for first, last in zip(clusters.begins, clusters.begins[1:], strict=False)
    ]
    assert found == sorted(plain.values(), key=lambda places: (-len(places), places[0]))


def test_memory_for_each_repetition_is_bounded() -> None:
    """25 bytes are held, never twice; clusters of two, the most there can be, take 85 more at most."""
    size, collector = 20_000, Collector()
    tracemalloc.start()
    try:
        for number in range(10):
            collector.add(number, repeating([f"web:{number * size + place}" for place in range(size)]))
        found = collector.found()
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        assert len(clusters_of(found).take(np.arange(len(found)))) == len(found) == 10 * size
        assert tracemalloc.get_traced_memory()[1] - held < 85 * len(found)
    finally:
        tracemalloc.stop()
    assert held < 26 * len(found)
    assert found.only(np.ones(len(found), np.bool_)) is found


def test_documents_of_the_same_name_in_an_earlier_run_are_another_cluster() -> None:
    """The run that a verdict names counts, whatever its name looks like."""
    details = ["in runs/a, b", "in runs/a, b, by way of Bonn", "in runs/a, b", "by way of web:9"]
    found = repetitions(["web:1", "web:1", "web:1", "web:1", None], details=[*details, ""])
    assert len(found) == 4
    assert clusters_of(found).sizes.tolist() == [3, 2, 2]
    assert found.elsewhere.tolist() == [True, True, True, False]


def test_a_run_without_repetitions_has_an_empty_part(tmp_path: Path) -> None:
    """And nothing on its page."""
    run = made_run(tmp_path)
    assert duplicates_report(open_committed(run), repetitions([])) == {}


def test_lines_that_were_taken_out_are_summed_up(tmp_path: Path) -> None:
    """Two of three pages lose their menu; the copy of a page is dropped, and loses no line."""
    menu, folder = english(9, 20), tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{menu}\n{english(number)}\n", encoding="utf-8")
    (folder / "3.txt").write_text(f"{menu}\n{english(0)}\n", encoding="utf-8")
    path = tmp_path / "lines.yaml"
    stages = "[{kind: decode}, {kind: parse}, {kind: dedup_lines}, {kind: write, format: parquet}]"
    source = f"[{{name: web, paths: [{folder}]}}]"
    path.write_text(f"run: {tmp_path / 'run'}\nsources: {source}\nstages: {stages}\nengine: {{executor: inline}}\n")
    run_pipeline(load_config(path))
    assert write_report(tmp_path / "run")["repeated_lines"] == {"lines": {"taken": 2, "documents": 2}}
    assert "Repeated lines: 2 taken out of 2 documents." in (tmp_path / "run/report.html").read_text(encoding="utf-8")
    said = CliRunner().invoke(main, ["inspect", str(tmp_path / "run")]).stdout
    assert "repeated    lines: 2 taken out of 2 documents" in said
