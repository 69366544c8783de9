"""What-if, a rerun with the same settings, explain and the report agree on a run over the corpus, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pipeline.what_if.small_runs_asked import rows

from headrace.pipeline.explain import explain
from headrace.pipeline.load import load_config
from headrace.pipeline.report_data import report_data
from headrace.pipeline.rerun.make import make_rerun
from headrace.pipeline.rerun.settings import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.what_if.answer import what_if

CHAIN = """
run: {folder}/run
sources:
  - {{name: zh, paths: ["{corpus}/zh/**/*a*", "{corpus}/dup"], authority: 0.7}}
  - {{name: en, paths: ["{corpus}/en/eips", "{corpus}/en/fortunes"], authority: 0.6}}
  - {{name: neg, paths: ["{corpus}/neg/zh-lexicon"], records: lines}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: language}}
  - {{kind: clean}}
  - kind: filter
    profiles: {{zh: [modern_chinese], en: [gopher, c4]}}
    rules: {{long: words > 5000, signs: values.symbol_share > 0.2}}
  - {{kind: dedup}}
  - {{kind: grade, keep: [A, B, C]}}
  - {{kind: write, format: parquet, record: full}}
engine: {{executor: inline}}
"""
CHINESE, LOOSENED = "modern_chinese.max_repeated_phrase_share", "gopher.min_alphabetic_word_share"
SETTINGS = (
    "language.keep=[zh, en]",
    "clean.max_symbol_share=0.03",
    "clean.min_characters=5",
    "clean.max_punctuation_share=null",
    "filter.rules.long=words > 2500 and not language == 'en'",
    f"filter.{CHINESE}=0.2",
    f"filter.{LOOSENED}=0.75",
    "filter.c4.min_sentences=20",
    "grade.keep=[A, B]",
    "grade.a=0.8",
)
ORDER = ("read", "decode", "parse", "language", "clean", "filter", "dedup", "grade", "write")


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a part of the corpus once."""
    folder = tmp_path_factory.mktemp("agreement")
    (folder / "c.yaml").write_text(CHAIN.format(folder=folder, corpus=corpus), encoding="utf-8")
    assert run_pipeline(load_config(folder / "c.yaml")).state == "done"
    return folder / "run"


def test_what_is_stored_gives_every_verdict_of_the_run(run: Path) -> None:
    """Values, thresholds and reasons of every document; counts are those of the report."""
    answer, report = what_if(run, ()), report_data(run)
    assert (answer["contradicted"], answer["changes"]) == (0, [])
    assert answer["documents"] == len(rows(run)) > 400
    counted = {(row["stage"], row["rule"]): row["now"] for row in answer["rules"]}
    dropped = {(r["stage"], why): n for r in report["funnel"] for why, n in r["dropped"].items()}
    assert counted == {key: n for key, n in dropped.items() if key[0] in ("language", "clean", "filter", "grade")}
    for example in {(row["stage"], row["reason"]): row for row in report["examples"]}.values():
        found = explain(run, example["doc_id"])
        assert [found[name] for name in ("stage", "reason", "value", "threshold")] == [
            example[name] for name in ("stage", "reason", "value", "threshold")
        ]


def test_a_rerun_decides_what_was_said_of_every_document(run: Path, tmp_path: Path) -> None:
    """Stage, rule, value, threshold and grade of all that what-if decides; the others are as they were."""
    answer = what_if(run, SETTINGS, 1, tmp_path / "all.jsonl")
    said = {row["doc_id"]: row for row in map(json.loads, (tmp_path / "all.jsonl").read_text("utf-8").splitlines())}
    made = make_rerun(run, Wanted(SETTINGS), tmp_path / "again")
    assert run_pipeline(made.loaded, plan=made.plan).state == "done"
    before, after = rows(run), rows(tmp_path / "again")
    assert {row["change"] for row in said.values()} >= {"would_be_dropped", "would_go_on", "other_grade"}
    assert {row["would_rule"] for row in said.values()} > {CHINESE, "c4.min_sentences"}
    assert LOOSENED in {row["was_rule"] for row in said.values() if row["would_rule"] != row["was_rule"]}
    assert before.keys() == after.keys()
    for doc_id, row in after.items():
        change = said.get(doc_id)
        fate = [row[name] for name in ("stage", "reason", "value", "threshold")]
        if change is None:
            if "dedup" not in (row["stage"], before[doc_id]["stage"]):  # what it repeats may be gone
                assert fate[:3] == [before[doc_id][name] for name in ("stage", "reason", "value")]
        elif change["would_rule"]:
            assert fate == [change[f"would_{name}"] for name in ("stage", "rule", "value", "threshold")]
        elif change["change"] == "would_go_on":
            assert row["verdict"] == "kept" or ORDER.index(row["stage"]) > ORDER.index(change["would_stage"])
        elif row["stage"] != "dedup":
            assert (row["verdict"], row["grade"]) == ("kept", change["would_grade"])
    kept = sum(row["verdict"] == "kept" for row in after.values())
    assert answer["kept"]["would"] <= kept + sum(n["documents"] for n in answer["repeats"])
