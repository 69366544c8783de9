"""What `headrace dedup` says: of its input, of what left for other reasons than repeating, and where to go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.dups.repeating_runs import english
from tests.pipeline.test_cli_dedup import call, told


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
