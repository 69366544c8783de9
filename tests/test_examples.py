"""Every configuration in examples/ runs, on a handful of documents and with small shards."""

from __future__ import annotations

import json
import runpy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL: dict[str, list[str]] = {
    "demo": ["trainer=null", "stages.8.train.vocab_size=600", "stages.8.train.sample_bytes=100000", "engine.lanes=2"],
}
AGAINST = {"deduplicate_against": ("deduplicate", "stages.2.against")}  # the run that it needs, and where it is named


def headrace(*arguments: str | Path) -> str:
    """Run the command line; give its stdout."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def run(name: str, folder: Path, *more: str) -> dict[str, Any]:
    arguments = (f"run={folder / name}", "--executor", "inline", "--limit", "30", *SMALL.get(name, []), *more, "--json")
    report: dict[str, Any] = json.loads(headrace("run", EXAMPLES / f"{name}.yaml", *arguments))
    return report


@dataclass
class Runs:
    """The examples' runs, each made when it is first asked for."""

    folder: Path
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)

    def report(self, name: str) -> dict[str, Any]:
        if name not in self.reports:
            earlier, option = AGAINST.get(name, ("", ""))
            if earlier:
                self.report(earlier)
            self.reports[name] = run(name, self.folder, *([f"{option}=[{self.folder / earlier}]"] if earlier else []))
        return self.reports[name]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("examples"))


@pytest.mark.parametrize("name", [path.stem for path in sorted(EXAMPLES.glob("*.yaml"))])
def test_every_example_runs_keeps_documents_and_verifies(name: str, runs: Runs) -> None:
    """Each ends with 0, keeps something, and has no difference afterwards."""
    report = runs.report(name)
    assert report["state"] == "done"
    assert report["totals"]["kept"] > 0
    assert report["totals"]["shards"] > 0
    assert "no difference" in headrace("verify", runs.folder / name)


def test_clean_text_comes_out_as_parquet_with_every_column(runs: Runs) -> None:
    """The kept documents are in the shards, with text, grade, scores and measured values."""
    report = runs.report("clean_text_to_parquet")
    folder = runs.folder / "clean_text_to_parquet"
    tables = [pq.read_table(folder / line.shard.file.name) for line in open_committed(folder).lines if line.shard]
    assert sum(table.num_rows for table in tables) == report["totals"]["kept"]
    assert {"doc_id", "text", "grade", "scores.total", "values.letter_share"} <= set(tables[0].column_names)
    assert all(text for table in tables for text in table["text"].to_pylist())


def test_the_policy_leaves_out_by_address_and_words_and_names_licences(runs: Runs) -> None:
    """One document for each reason; pages that say so have their licence, whoever says it."""
    report = runs.report("policy")
    dropped = {reason: n for row in report["funnel"] for reason, n in row["dropped"].items()}
    assert dropped == {"domain_blocked": 1, "url_blocked": 1, "url_repeated": 1, "words_games": 1}
    (line,) = [line for line in open_committed(runs.folder / "policy").lines if line.shard]
    assert line.shard
    table = pq.read_table(runs.folder / "policy" / line.shard.file.name)
    assert {"CC-BY-4.0", "CC-BY-SA-4.0", None} < set(table["licence"].to_pylist())
    assert sum(table["values.noai"].to_pylist()) == 1


def test_the_filter_drops_by_a_preset_and_by_rules_and_keeps_verse(runs: Runs) -> None:
    """One document for each reason; prose in both languages and the poem stay."""
    report = runs.report("filters")
    dropped = {reason: n for row in report["funnel"] for reason, n in row["dropped"].items()}
    assert dropped == {"call_now": 1, "general.max_repeated_piece_share": 1, "wechat_spam": 1}
    assert report["totals"]["kept"] == 3


def test_the_users_stage_drops_and_measures(runs: Runs) -> None:
    """The plug-in's rule is in the funnel, and its value is kept for every document that passed."""
    report = runs.report("custom_stage")
    row = next(row for row in report["funnel"] if row["stage"] == "min_words")
    assert row["dropped"]["too_few_words"] > 0
    assert row["kept"] > 0
    words = next(spread for spread in report["histograms"] if spread["name"] == "values.words")
    assert sum(words["kept"]) == row["kept"]


@pytest.mark.usefixtures("ray_cluster")
def test_the_users_stage_gives_the_same_bytes_on_ray(runs: Runs, tmp_path: Path) -> None:
    """The plug-in travels to the workers; the manifest, and so every file's hash, is that of the inline run."""
    runs.report("custom_stage")
    run("custom_stage", tmp_path, "engine.workers=2", "--executor", "ray")
    manifests = [(folder / "custom_stage" / "manifest.jsonl").read_bytes() for folder in (runs.folder, tmp_path)]
    assert manifests[0] == manifests[1]


def test_a_trainer_attaches_to_a_finished_run(runs: Runs) -> None:
    """`headrace train` trains on what `headrace run` wrote, and the report shows it."""
    folder = runs.folder / "train_later"
    runs.report("train_later")
    small = ["trainer.steps=3", "trainer.device=cpu", "trainer.threads=1"]
    headrace("train", EXAMPLES / "train_later.yaml", f"run={folder}", *small)
    report = json.loads(headrace("inspect", folder, "--json"))["report"]
    assert report["trainer"]["steps"] == 3


def test_a_loop_of_ones_own_trains_and_goes_on(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example trains over each batch of an epoch once; started again it finds that nothing is left."""
    runs.report("train_later")
    monkeypatch.chdir(tmp_path)
    train = runpy.run_path(str(EXAMPLES / "own_loop.py"))["train"]
    losses = train(runs.folder / "train_later")
    assert losses[-1] < losses[0]
    assert train(runs.folder / "train_later") == []
