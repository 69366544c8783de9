"""The command `headrace what-if`: keys as people type them, exit codes, what is printed, and the key in `explain`."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.what_if.small_runs_asked import made_run, rows

from headrace.pipeline.cli import main
from headrace.pipeline.committed import plan_bytes, read_plan
from headrace.pipeline.report import write_report
from headrace.pipeline.wording import exact
from headrace.stages.clean import Clean


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the run once."""
    return made_run(tmp_path_factory.mktemp("asked"))


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_stage_is_named_or_numbered_and_null_switches_a_rule_off(run: Path) -> None:
    """`clean.x` and `stages.3.x` are the same; the answer as JSON names the run by its identity."""
    named = json.loads(call("what-if", "--json", run, "clean.min_characters=null").stdout)
    numbered = json.loads(call("what-if", "--json", run, "stages.3.min_characters=null").stdout)
    assert named.pop("remedy") == f"headrace rerun {run} --from clean --set clean.min_characters=null"
    assert numbered.pop("remedy") != ""
    assert named == numbered
    assert named["settings"] == [{"option": "clean.min_characters", "was": 30.0, "would": None}]
    assert named["parent"] == read_plan(run)["identity"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("claen.max_symbol_share=0.3", "Did you mean 'clean'?"),
        ("clean.max_simbol_share=0.3", "did you mean 'max_symbol_share'?"),
        ("max_symbol_share=0.3", "Write clean.max_symbol_share=0.3"),
        ("clean.max_symbol_share=3", "argument clean.max_symbol_share=3: stages.3.max_symbol_share: input should be"),
        ("clean.max_symbol_share", "is no override"),
        ("grade.b=0.9", "argument grade.b=0.9: stages.6: grades must fall"),
        ("clean.2.max_symbol_share=0.3", "there is no stage 'clean.2'"),
        ("clean.min_characters=.inf", "input should be a finite number, not inf"),
        ("decode.max_damage=0.5", "`headrace run` with these settings (`headrace rerun` begins behind parse)"),
        ("clean.gram_tokens=5", "clean.gram_tokens changes the text, or asks what the run did not measure"),
        ("words.parted=true", "words.parted changes the text"),
        ("dedup.exact=false", "what dedup does with a text does not follow from stored values"),
        ("seed=3", "seed is not decided by what a run stores"),
        ("stages.3={kind: parse}", "the chain of stages is not decided"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_remedy(run: Path, settings: str, said: str) -> None:
    """Exit code 2, what is wrong, and what to do instead."""
    result = call("what-if", run, settings)
    assert result.exit_code == 2
    assert said in result.stderr


def test_what_needs_the_text_names_the_command_that_has_it(run: Path) -> None:
    """With `record: full` that is a rerun from the stage on."""
    settings = ("clean.gram_tokens=5", "clean.max_digit_share=0.2")
    remedy = f"headrace rerun {run} --from clean --set {settings[0]} --set {settings[1]}"
    assert remedy in call("what-if", run, *settings).stderr


def test_a_run_without_values_says_why_it_cannot_be_asked(run: Path, tmp_path: Path) -> None:
    """`record: reasons` stores nothing measured; a stage of another version measured something else."""
    other = shutil.copytree(run, tmp_path / "run")
    plan = read_plan(other)
    plan["versions"]["clean"] = Clean.version - 1
    (other / "plan.json").write_bytes(plan_bytes(plan))
    result = call("what-if", other, "clean.max_symbol_share=0.3")
    assert (result.exit_code, "version 2 of stage clean, and this release has 3" in result.stderr) == (2, True)
    plan["recipe"]["stages"][-1]["record"] = "reasons"
    (other / "plan.json").write_bytes(plan_bytes(plan))
    result = call("what-if", other, "clean.max_symbol_share=0.3")
    assert (result.exit_code, "`record: reasons`" in result.stderr) == (2, True)


def test_the_list_has_to_say_how_it_is_written(run: Path, tmp_path: Path) -> None:
    """A name with another ending, or in no folder, is refused before anything is counted."""
    for name, said in (("x.txt", "end it with .csv"), ("no/x.csv", "No such file")):
        result = call("what-if", run, "--list", tmp_path / name)
        assert (result.exit_code, said.lower() in result.stderr.lower()) == (2, True)


def test_the_list_is_never_written_into_the_run(run: Path, tmp_path: Path) -> None:
    """Nor by way of another name; the run's own file stays as it is, whatever it is called."""
    (tmp_path / "link").symlink_to(run)
    manifest = (run / "manifest.jsonl").read_bytes()
    names = (run / "manifest.jsonl", tmp_path / "link" / "manifest.jsonl", run / "documents" / ".." / "all.csv")
    for name in names:
        result = call("what-if", run, "clean.max_symbol_share=0.1", "--list", name)
        assert (result.exit_code, "which is never written to. Name a file outside of it" in result.stderr) == (2, True)
    assert (run / "manifest.jsonl").read_bytes() == manifest
    assert not (run / "all.csv").exists()


def test_the_list_is_refused_before_anything_is_read(run: Path, tmp_path: Path) -> None:
    """A damaged run is not even found to be so."""
    broken = shutil.copytree(run, tmp_path / "run")
    for file in (broken / "documents").iterdir():
        file.write_bytes(b"")
    for name, said in (("x.txt", "end it with .csv"), ("run/x.csv", "never written to"), ("no/x.csv", "no such file")):
        result = call("what-if", broken, "clean.max_symbol_share=0.1", "--list", tmp_path / name)
        assert (result.exit_code, said in result.stderr.lower()) == (2, True), result.stderr


def test_people_read_tables_and_examples(run: Path) -> None:
    """What changes, by rule and source, with examples, exact values, and what to run next."""
    told = call("what-if", run, "clean.max_symbol_share=0.1", "clean.min_characters=10", "grade.a=0.6").stdout
    for said in (
        "clean.max_symbol_share: 0.2 -> 0.1",
        "kept now, would be dropped: clean: max_symbol_share",
        "words, dedup, grade never saw them",
        "kept, with another grade: B -> A",
        "by source",
        "to do it  headrace rerun",
    ):
        assert said in told
    assert "nothing would change" in call("what-if", run, "clean.max_symbol_share=0.2").stdout
    regraded = call("what-if", run, "grade.a=0.6").stdout
    assert "difference" not in regraded
    assert "1 rule: as many as now, in --json" in regraded


@pytest.mark.parametrize(
    "setting",
    [
        *("language.keep=[zh]", "language.han_variant=traditional", "language.max_code_share=0"),
        *("clean.min_letter_share=1", "clean.max_digit_share=null"),
        *("words.lists.games.max_distinct=0", "words.lists.games.max_per_thousand=1", "grade.keep=[D]", "grade.c=0.45"),
    ],
)
def test_every_change_can_be_told(run: Path, setting: str) -> None:
    """Also of rules that measure a value and have no threshold, such as the language; all examples are printed."""
    result = call("what-if", run, setting, "--examples", "2")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(call("what-if", "--json", run, setting, "--examples", "2").stdout)
    for example in (each for change in answer["changes"] for each in change["examples"]):
        value = example["would_value"] if example["would_rule"] else example["was_value"]
        assert f"  {example['doc_id']}" in result.stdout
        assert value is None or f"measured {exact(value)}" in result.stdout


def test_explain_names_the_settings_by_which_a_document_would_pass(run: Path) -> None:
    """For every document that a stage dropped by stored values, what-if then says that it would go on."""
    dropped = {doc_id: row for doc_id, row in rows(run).items() if row["verdict"] == "dropped"}
    shown: dict[tuple[object, object], str] = {}
    for doc_id, row in dropped.items():
        shown.setdefault((row["stage"], row["reason"]), doc_id)
    assert {stage for stage, _ in shown} == {"language", "clean", "words", "dedup", "grade"}
    for (stage, _), doc_id in shown.items():
        found = json.loads(call("explain", run, doc_id, "--json").stdout)
        if stage == "dedup":
            assert found["what_if"] is None
            continue
        command = shlex.split(found["what_if"])
        assert command[:3] == ["headrace", "what-if", str(run)]
        assert f"what-if: {found['what_if']}" in call("explain", run, doc_id).stdout
        result = call(*command[1:], "--json", "--examples", "1000")
        changes = [c for c in json.loads(result.stdout)["changes"] if c["change"] == "would_go_on"]
        assert doc_id in [example["doc_id"] for change in changes for example in change["examples"]]


def test_explain_report_and_what_if_show_the_same_digits(run: Path) -> None:
    """The values of the documents file, as JSON and as people read them."""
    answer = json.loads(call("what-if", run, "grade.keep=[A, B, C, D]", "clean.max_symbol_share=null", "--json").stdout)
    examples = [example for change in answer["changes"] for example in change["examples"]]
    stored = rows(run)
    assert len({example["was_rule"] for example in examples}) == 2
    for example in examples:
        row = stored[example["doc_id"]]
        assert (example["was_value"], example["was_threshold"]) == (row["value"], row["threshold"])
        found = json.loads(call("explain", run, example["doc_id"], "--json").stdout)
        assert (found["value"], found["threshold"]) == (row["value"], row["threshold"])
        told = f"measured {exact(found['value'])}, threshold {exact(found['threshold'])}"
        assert told in call("explain", run, example["doc_id"]).stdout
    report = write_report(run)
    page = (run / "report.html").read_text(encoding="utf-8")
    for row in report["examples"]:
        if row["value"] is not None:
            assert (row["value"], row["threshold"]) == tuple(stored[row["doc_id"]][n] for n in ("value", "threshold"))
            assert f">{exact(row['value'])}<" in page
