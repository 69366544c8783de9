"""What `headrace dedup` says: of its input, of what left for other reasons than repeating, and where to go on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.pipeline.dups.repeating_runs import english
from tests.pipeline.test_cli_dedup import call, told

from headrace.pipeline.cli import main
from headrace.pipeline.run_folder import RunFolder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with two texts in `in`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / f"in/{number}.txt").write_text(english(number), encoding="utf-8")
    return tmp_path


def test_a_result_below_the_input_is_no_input_of_the_next_run(folder: Path) -> None:
    """One line names it; the other way round nothing is said."""
    first = told("in", "--out", "in/clean")
    again = call("in", "--out", "other")
    assert f"{folder}/in/clean is left out of the input: it is the folder of a run" in again.stderr
    assert told("in", "--out", "other")["documents"] == first["documents"] == 2
    assert "left out of the input" not in call("in", "--out", "in/clean", "--fresh").stderr
    assert told("in/clean/shards", "--out", "third")["documents"] == 2
    assert call("in", "--out", "fourth", "--compare").stderr.count("left out of the input") == 1


@pytest.mark.parametrize(
    "given", ["d/in", "d/in/1.txt", "d/in/*.txt", "d/**", "d/*/1.txt", "link", "file://{here}/d/in"]
)
@pytest.mark.parametrize("out", ["d", "d/", "d/in/..", "{here}/d"])
def test_a_result_around_what_is_read_is_refused(folder: Path, given: str, out: str) -> None:
    """Whichever way both are written; nothing is touched, and with another folder the input is read."""
    (folder / "d").mkdir()
    (folder / "in").rename(folder / "d/in")
    (folder / "link").symlink_to("d/in")
    named = given.format(here=folder)
    result = call(named, "--out", out.format(here=folder))
    said = f"{named} lies in it, and what lies in the folder of the result is no input. Name another folder by --out"
    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert [path.name for path in (folder / "d").iterdir()] == ["in"]
    if out == "d":
        assert told(named, "--out", "other")["documents"] > 0


@pytest.mark.parametrize(("out", "said"), [("in/1.txt", "is a file"), ("in/1.txt/x", "is a file"), ("x" * 300, "long")])
def test_a_result_that_cannot_be_made_is_refused_in_words_of_this_command(folder: Path, out: str, said: str) -> None:
    """There is no `run:` to change."""
    result = call("in", "--out", out)
    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert result.output.rstrip().endswith("Name another folder by --out") and "run:" not in result.output


@pytest.mark.parametrize("out", ["in", "in/", "../{here}/in", "link"])
def test_a_result_in_the_folder_that_is_read_is_refused(folder: Path, out: str) -> None:
    """Whichever way the folder is written; the message names another one."""
    (folder / "link").symlink_to("in")
    result = call("in", "--out", out.format(here=folder.name))
    assert result.exit_code == 2
    assert "the result would lie among its input: in is INPUT, too. Name another folder" in result.output


def test_paths_are_said_to_begin_nowhere_else_than_here(folder: Path) -> None:
    """A folder without files is told from a pattern without matches; nothing is said of the result's folder."""
    (folder / "void").mkdir()
    for name, said in (("void", "void holds no file"), ("x*.txt", "nothing matches"), ("none", "none is not there")):
        result = call(name, "--out", "out")
        assert (result.exit_code, said in result.output, "begin at" in result.output) == (2, True, False), result.output


def test_files_without_a_byte_are_counted_and_named(folder: Path) -> None:
    """Beside others, and alone, where nothing is kept; `explain` knows the example."""
    (folder / "in/void.txt").write_bytes(b"")
    result = call("in", "--out", "out")
    assert "left out               1  file without a byte, such as input:void.txt" in result.stdout
    assert "headrace explain out input:void.txt" in result.stdout
    (folder / "alone").mkdir()
    (folder / "alone/void.txt").write_bytes(b"")
    found = told("alone", "--out", "other")
    assert (found["documents"], found["empty_files"], found["empty_file"]) == (0, 1, "input:void.txt")


def test_advice_is_given_that_fits_the_result(folder: Path) -> None:
    """No clusters are offered where nothing repeats, and nothing that writes into the result or does nothing."""
    said = call("in", "--out", "out").stdout
    assert "headrace dups" not in said and "headrace run" not in said
    assert "in pictures:     out/report.html" in said
    (folder / "in/3.txt").write_text(english(1), encoding="utf-8")
    assert "headrace dups other --diff" in call("in", "--out", "other").stdout


def test_what_each_policy_keeps_is_shown_by_inspect(folder: Path) -> None:
    """As a table, beside the funnel."""
    (folder / "in/3.txt").write_text(english(1), encoding="utf-8")
    told("in", "--out", "out", "--compare")
    said = CliRunner().invoke(main, ["inspect", "out"]).stdout
    assert "which one stays, at dedup" in said
    assert ["components", "2", "1"] in [line.split() for line in said.splitlines()]


def test_a_signal_that_comes_when_all_is_done_stops_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is whole, so the command says that and ends with 0."""
    sweep = RunFolder.sweep

    def interrupted(run: RunFolder, named: set[str]) -> list[str]:
        os.kill(os.getpid(), signal.SIGINT)
        return sweep(run, named)

    monkeypatch.setattr(RunFolder, "sweep", interrupted)
    result = call("in", "--out", "out")
    assert (result.exit_code, "stopped before the end" in result.stderr) == (0, False), result.output
    assert "nothing was left to do" in call("in", "--out", "out").stderr


def test_messages_name_the_options_of_the_command(folder: Path) -> None:
    """An earlier run that is not there, and a folder that is somebody's."""
    assert "(`against`, --against)" in call("in", "--out", "out", "--against", "in").output
    (folder / "full").mkdir()
    (folder / "full/mine").write_text("")
    assert "(`run:`, --out or --run)" in call("in", "--out", "full").output
    call("in", "--out", "out")
    other = call("in", "--out", "out", "--exact-only").output
    assert "name another folder (`run:`, --out or --run), or start over with --fresh" in other


def test_the_order_of_the_arguments_is_said_to_decide_nothing(folder: Path) -> None:
    """The first by path stays; a line says how another one wins."""
    (folder / "in/3.txt").write_text(english(1), encoding="utf-8")
    result = call("in/3.txt", "in/1.txt", "--out", "out")
    assert "by path, not by the order of INPUT" in result.stderr
    assert told("in/3.txt", "in/1.txt", "--out", "out")["example"] == "input:3.txt#0"
    assert "order of INPUT" not in call("in/1.txt", "in/3.txt", "--out", "other").stderr
