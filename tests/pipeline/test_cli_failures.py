"""Whatever goes wrong on the command line: one message, the right exit code, JSON for programs, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.made_run import make_run

from headrace.pipeline.cli import main

STAGES = "stages: [{kind: decode}, {kind: parse}, {kind: odd, how: HOW}, {kind: write, format: parquet}]\n"
ODD = """
import time
from typing import Literal
from headrace.stages.base import Document, DocumentStage, Drop

print("noise at import")

class Odd(DocumentStage):
    kind: Literal["odd"] = "odd"
    how: str

    def process(self, document: Document) -> Document | Drop:
        print("noise at work")
        if self.how == "exit":
            raise SystemExit(3)
        if self.how == "slow":
            time.sleep(0.2)
        number = float("nan") if self.how == "nan" else 1.0
        return document.but(values={"odd": number})
"""


def config(folder: Path, how: str, *, files: int = 3) -> Path:
    """Write a run with a stage of the user's own that behaves oddly."""
    (folder / "in").mkdir()
    for number in range(files):
        (folder / "in" / f"{number:03}.txt").write_text("Water turns the wheel.\n")
    (folder / "odd.py").write_text(ODD)
    head = "run: out\nplugins: [odd.py]\nsources: [{name: web, paths: [in]}]\n"
    engine = "engine: {executor: inline, unit_bytes: 1000, lanes: 1, window: 1, drain_s: 0.1}\n"
    (folder / "c.yaml").write_text(head + engine + STAGES.replace("HOW", how))
    return folder / "c.yaml"


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def command(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "headrace", *map(str, arguments)]
    environment = {**os.environ, **options.pop("environment", {})}
    return subprocess.run(line, capture_output=True, text=True, env=environment, check=False, **options)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("inspect", "nowhere"), 2),
        (("verify", "nowhere"), 2),
        (("explain", "nowhere", "x"), 2),
        (("run", "nowhere.yaml"), 2),
        (("check", "nowhere.yaml"), 2),
        (("stages", "nosuch"), 2),
        (("run", "c.yaml", "--limit", "0"), 2),
        (("run",), 2),
        (("nosuch",), 2),
    ],
)
def test_every_failure_is_json_for_a_program(arguments: tuple[str, ...], code: int) -> None:
    """With --json the output can be parsed, whatever happened; the message is on stderr as ever."""
    result = call(*arguments, "--json")
    assert result.exit_code == code
    found = json.loads(result.stdout)
    assert found["exit_code"] == code and found["error"]["what"]
    assert result.stderr


@pytest.mark.parametrize("how", ["fine", "nan"])
def test_what_plug_ins_print_and_measure_leaves_the_json_whole(how: str, tmp_path: Path) -> None:
    """Prints go to stderr; a NaN, which JSON has no word for, becomes null."""
    result = call("run", config(tmp_path, how), "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout, parse_constant=pytest.fail)["totals"]["kept"] == 3
    assert "noise at work" in result.stderr
    assert "NaN" not in (tmp_path / "out" / "report.json").read_text()


def test_a_stage_that_ends_the_process_ends_it_with_a_message(tmp_path: Path) -> None:
    """`sys.exit()` deep in somebody's library would else end a run without a word."""
    result = call("run", config(tmp_path, "exit"))
    assert result.exit_code == 1
    assert "ended the process: SystemExit: 3" in result.stderr


def test_a_plug_in_that_exits_at_import_and_one_named_twice_are_refused(tmp_path: Path) -> None:
    """Two files of one name would be one module, and one of them lost."""
    path = config(tmp_path, "fine")
    (tmp_path / "leaves.py").write_text("raise SystemExit(0)")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "odd.py").write_text("x = 1")
    result = call("check", path, "plugins=[odd.py, leaves.py]")
    assert result.exit_code == 2 and "SystemExit: 0" in result.stderr
    result = call("check", path, "plugins=[odd.py, more/odd.py]")
    assert result.exit_code == 2 and "two plug-ins are named odd" in result.stderr


def test_a_terminal_without_chinese_still_shows_everything(tmp_path: Path) -> None:
    """Characters it cannot show become numbers; JSON stays JSON."""
    path = config(tmp_path, "fine")
    (tmp_path / "in" / "名字 😀.txt").write_text("Water turns the wheel.\n")
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert command("run", path, environment=plain).returncode == 0
    found = command("explain", tmp_path / "out", "web:名字 😀.txt#0", "--json", environment=plain)
    assert json.loads(found.stdout)["doc_id"] == "web:名字 😀.txt#0"
    found = command("explain", tmp_path / "out", "web:名字 😀.txt#0", environment=plain)
    assert found.returncode == 0 and "\\u540d" in found.stdout


def test_an_id_that_is_no_unicode_is_only_unknown(tmp_path: Path) -> None:
    """Bytes typed at random reach Python as lone surrogates."""
    result = command("explain", make_run(tmp_path), b"web:\xff".decode(errors="surrogateescape"))
    assert result.returncode == 2 and "no document has the id" in result.stderr


@pytest.mark.parametrize("closed", ["stderr", "the reader of stderr"])
def test_a_run_goes_on_without_anybody_who_reads_its_progress(closed: str, tmp_path: Path) -> None:
    """`2>&-` and `2>&1 | head` must not cost a night's work."""
    path = config(tmp_path, "fine")
    line = f"'{sys.executable}' -m headrace run '{path}'"
    shell = f"{line} 2>&-" if closed == "stderr" else f"{{ {line} 2>&1 >/dev/null; echo $? > '{tmp_path}/rc'; }} | true"
    code = subprocess.run(["bash", "-c", shell], capture_output=True).returncode
    if closed != "stderr":
        code = int((tmp_path / "rc").read_text())
    assert code == 0
    assert (tmp_path / "out" / "report.html").is_file()


def test_an_unexpected_error_writes_into_no_foreign_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a full disk does not hide the first error behind a second one."""
    monkeypatch.setattr("headrace.pipeline.load.load_config", lambda *_: 1 / 0)
    assert "ZeroDivisionError" in call("run", "c.yaml").stderr
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: str(tmp_path / "gone"))
    result = call("run", "c.yaml")
    assert result.exit_code == 1 and "could not be kept anywhere" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_every_signal_to_stop_ends_the_run_in_order(number: signal.Signals, tmp_path: Path) -> None:
    """A closed terminal, Ctrl-C and SIGTERM: exit code 1, whole files, and the same command goes on."""
    path = config(tmp_path, "slow", files=60)
    line = [sys.executable, "-m", "headrace", "run", str(path)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _wait_for(tmp_path / "out" / "events.jsonl", "admitted")
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert "the same command goes on" in said and "Traceback" not in said
    result = call("run", path, "--json")
    assert json.loads(result.stdout)["totals"]["kept"] == 60


def _wait_for(path: Path, word: str) -> None:
    for _ in range(1200):
        if path.exists() and word in path.read_text():
            return
        time.sleep(0.05)
    pytest.fail(f"{word} never came")
