from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.made_run import COPY_ID, KEPT_IDS, make_run

from headrace.pipeline import cli_config
from headrace.pipeline.cli import main
from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.run_folder import RunFolder
from headrace.pipeline.summary import RunSummary
from headrace.stages.base import Stage

COMMANDS = (
    "run",
    "check",
    "read",
    "stages",
    "inspect",
    "report",
    "explain",
    "dedup",
    "dups",
    "rerun",
    "what-if",
    "replay",
    "forget",
    "verify",
    "train",
    "schema",
)


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def config_in(folder: Path, **changes: str) -> Path:
    (folder / "in").mkdir()
    (folder / "in" / "a.txt").write_text("Water turns the wheel.\n")
    lines = {"run": "out", "sources": "[{name: web, paths: [in]}]", **changes}
    stages = "stages:\n- kind: decode\n- kind: parse\n- kind: write\n  format: parquet\n"
    path = folder / "c.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()) + stages)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    """`--help` ends with 0 and says what the command does."""
    result = call(command, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: main {command}")


def test_help_starts_fast_because_nothing_heavy_is_imported() -> None:
    """`headrace --help` loads none of the big packages."""
    heavy = ["ray", "torch", "numba", "numpy", "pyarrow", "pydantic", "spacy", "matplotlib", "rich"]
    code = (
        "import sys; from headrace.pipeline.cli import main; main(['--help'], standalone_mode=False); "
        f"print(sorted(set({heavy}) & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_a_wrong_option_of_the_command_line_ends_with_2() -> None:
    """Usage errors are errors of the arguments."""
    assert call("run", "--limit", "0", "c.yaml").exit_code == 2
    assert call("run", "c.yaml", "--executor", "slurm").exit_code == 2
    assert call("nothing").exit_code == 2


def test_a_wrong_configuration_ends_with_2_on_stderr_and_an_empty_stdout(tmp_path: Path) -> None:
    """Messages go to stderr, so that stdout can be piped."""
    result = call("check", config_in(tmp_path, runs="x"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no option 'runs'; did you mean 'run'?" in result.stderr


def test_check_prints_the_plan_and_touches_nothing(tmp_path: Path) -> None:
    """Sources, lanes, groups and identity are shown; the run folder is not made."""
    path = config_in(tmp_path)
    result = call("check", path)
    assert result.exit_code == 0, result.stderr
    assert "read+decode+parse" in result.stdout
    assert "1 files, 23 B" in result.stdout
    assert "no mistakes found" in result.stdout
    assert not (tmp_path / "out").exists()


def test_check_names_a_path_without_files_beside_one_that_has_some(tmp_path: Path) -> None:
    """A glob may match nothing, but hardly on purpose."""
    result = call("check", config_in(tmp_path), "sources.0.paths=[in, texst/*]")
    assert result.exit_code == 0
    assert result.stderr == "headrace: source web: nothing matches texst/*; a run goes on without it\n"
    assert "no mistakes found, but see above" in result.stdout


def test_check_gives_the_plan_as_json(tmp_path: Path) -> None:
    """The identity is the same for the same input, and another for another configuration."""
    path = config_in(tmp_path)
    plans = [json.loads(call("check", path, *more, "--json").stdout) for more in ((), (), ("seed=1",))]
    assert plans[0] == plans[1]
    assert plans[0]["identity"]["config"] != plans[2]["identity"]["config"]


def test_run_prints_what_became_of_the_documents_and_where_the_report_is(tmp_path: Path) -> None:
    """And the same command again finds everything done."""
    path = config_in(tmp_path)
    for _ in range(2):
        result = call("run", path, "--executor", "inline")
        assert result.exit_code == 0, result.stderr
        assert "state       done" in result.stdout
        assert "out/report.html" in result.stdout
    report = json.loads(call("run", path, "--executor", "inline", "--fresh", "--json").stdout)
    assert (report["totals"]["kept"], report["times"]["sessions"]) == (1, 1)


def test_run_refuses_a_changed_configuration_and_names_the_change(tmp_path: Path) -> None:
    """Exit code 2, and the remedy."""
    path = config_in(tmp_path)
    assert call("run", path, "--executor", "inline").exit_code == 0
    result = call("run", path, "--executor", "inline", "seed=5")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "seed was 0 and is now 5" in result.stderr


def test_a_run_that_was_stopped_ends_with_1_and_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job system must not take it for done."""
    path = config_in(tmp_path)
    summaries = []

    def stopped(*arguments: Any, **options: Any) -> RunSummary:
        summaries.append(run_pipeline(*arguments, **options))
        return replace(summaries[-1], state="stopped")

    monkeypatch.setattr("headrace.pipeline.run.run_pipeline", stopped)
    result = call("run", path, "--executor", "inline")
    assert result.exit_code == 1
    assert "the same command goes on from here" in result.stderr
    assert summaries[0].state == "done"


def test_an_unexpected_error_of_a_run_is_kept_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The traceback is where the run is."""
    path = config_in(tmp_path)

    def fail(*_: object, **__: object) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "plan.json").touch()  # by then the folder is this run's
        raise ZeroDivisionError("seven")

    monkeypatch.setattr("headrace.pipeline.run.run_pipeline", fail)
    assert call("run", path).exit_code == 1
    assert "ZeroDivisionError: seven" in (tmp_path / "out" / "error.log").read_text()


def test_stages_lists_every_kind_and_describes_one() -> None:
    """One line a kind; one kind with all its options and their defaults."""
    listing = call("stages").stdout
    assert all(f" {kind} " in listing for kind in ("decode", "parse", "clean", "dedup", "grade", "normalize", "write"))
    one = call("stages", "write").stdout
    assert all(name in one for name in Stage.registry["write"].model_fields if name != "kind")
    described = json.loads(call("stages", "write", "--json").stdout)
    assert {"name": "sequence_length", "default": "2048"}.items() <= described["options"][1].items()


def test_stages_shows_one_section_of_a_stage_alone() -> None:
    """Names are never broken, so that they can be copied; a section that is none is answered with those there are."""
    told = call("stages", "filter.gopher").stdout
    assert " gopher.max_repeated_paragraph_character_share " in told
    assert "modern_chinese.min_characters" not in told
    described = json.loads(call("stages", "dedup.minhash", "--json").stdout)
    assert {option["name"].partition(".")[0] for option in described["options"]} == {"minhash"}
    assert "Its sections are minhash" in call("stages", "dedup.minhahs").stderr
    assert "It has no sections" in call("stages", "decode.x").stderr


def test_an_unknown_kind_is_answered_with_the_likely_one() -> None:
    """`headrace stages dedupe` ends with 2."""
    result = call("stages", "dedupe")
    assert result.exit_code == 2
    assert "Did you mean 'dedup'?" in result.stderr


def test_the_schema_accepts_what_the_loader_accepts_and_names_every_stage() -> None:
    """Editors complete with it: each kind is there, with its options closed."""
    schema = json.loads(call("schema").stdout)
    mapping: dict[str, Any] = schema["properties"]["stages"]["items"]["discriminator"]["mapping"]
    assert {"decode", "parse", "write", "tokenize"} <= set(mapping)
    write = schema["$defs"][mapping["write"].rpartition("/")[2]]
    assert (write["additionalProperties"], "kind" in write["required"]) == (False, True)


def test_inspect_prints_shards_documents_and_funnel(tmp_path: Path) -> None:
    """And where the report is."""
    run = make_run(tmp_path)
    result = call("inspect", run)
    assert result.exit_code == 0, result.stderr
    assert all(word in result.stdout for word in ("shards/00000000-", KEPT_IDS[0], "near_duplicate", "report.html"))
    assert json.loads(call("inspect", run, "--json").stdout)["finished"] is True


def test_a_reason_comes_with_a_document_to_ask_about(tmp_path: Path) -> None:
    """`explain` wants a doc_id; the table of reasons names one for each."""
    (line,) = [row for row in call("inspect", make_run(tmp_path)).stdout.splitlines() if "dedup: near_dup" in row]
    assert COPY_ID in line


def test_explain_says_verdict_survivor_and_the_command_for_it(tmp_path: Path) -> None:
    """One can follow the survivor."""
    result = call("explain", make_run(tmp_path), COPY_ID)
    assert "dropped by dedup: near_duplicate, measured 0.97, threshold 0.8" in result.stdout
    assert "its text is not recorded: `record: full`" in result.stdout
    assert f"'{KEPT_IDS[0]}'" in result.stdout


def test_explain_ends_with_2_for_an_unknown_id(tmp_path: Path) -> None:
    """With the nearest ids on stderr."""
    result = call("explain", make_run(tmp_path), "web:a.txt#1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean web:a.txt#0" in result.stderr


def test_verify_ends_with_0_or_1(tmp_path: Path) -> None:
    """One difference is enough for 1, and it is named on stderr."""
    run = make_run(tmp_path)
    assert (call("verify", run).exit_code, "no difference" in call("verify", run).stdout) == (0, True)
    damaged = next((run / "shards").iterdir())
    damaged.write_bytes(damaged.read_bytes() + b"x")
    result = call("verify", run, "--json")
    assert result.exit_code == 1
    assert damaged.name in result.stderr
    assert len(json.loads(result.stdout)["problems"]) == 1


def test_an_unexpected_error_is_one_line_and_keeps_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user sees what and where to look, and the traceback is on disk."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("seven")

    monkeypatch.setattr(cli_config, "print_json", fail)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    result = call("schema")
    assert result.exit_code == 1
    (message,) = result.stderr.splitlines()
    log = Path(message.rpartition(" is in ")[2])
    assert message.startswith("headrace: unexpected ZeroDivisionError: seven. The traceback is in ")
    assert "in fail" in log.read_text()


def test_train_without_trainer_or_run_is_refused(tmp_path: Path) -> None:
    """There must be something to train, and something to train on."""
    path = config_in(tmp_path)
    assert "it has no `trainer:`" in call("train", path).stderr
    result = call("train", path, "trainer.steps=1")
    assert result.exit_code == 2
    assert "there is no run yet" in result.stderr


def test_train_beside_a_run_that_has_its_trainer_is_refused(tmp_path: Path) -> None:
    """Two trainers of one run would push each other out until the restarts are used up."""
    path = config_in(tmp_path)
    run_dir = load_config(path).run_dir
    folder = RunFolder(run_dir)
    (run_dir / "plan.json").write_text("{}")
    result = call("train", path, "trainer.steps=1")
    folder.close()
    assert result.exit_code == 2
    assert "the run has its trainer" in result.stderr
    assert "trainer.mode: none" in result.stderr
