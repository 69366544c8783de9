from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.schemas.failpoints import FAILPOINT, ONCE, reach

PROGRAM = """
from headrace.schemas.failpoints import reach
for turn in range(3):
    reach("a")
    print(turn, flush=True)
    reach("b")
"""


def run(**environment: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.split()


@pytest.mark.parametrize(("place", "printed"), [("a", []), ("b", ["0"]), ("a:2", ["0"]), ("b:3", ["0", "1", "2"])])
def test_the_process_dies_at_the_count_th_time_a_place_is_reached(place: str, printed: list[str]) -> None:
    """The process is killed at the named place, at the time asked for, and not before."""
    assert run(**{FAILPOINT: place}) == (-signal.SIGKILL, printed)


@pytest.mark.parametrize("place", ["", "c", "a:4"])
def test_other_places_do_nothing(place: str) -> None:
    """A place that is not named, or not reached often enough, changes nothing."""
    assert run(**{FAILPOINT: place}) == (0, ["0", "1", "2"])


def test_a_restarted_process_lives(tmp_path: Path) -> None:
    """With a mark file the place kills one process only."""
    mark = str(tmp_path / "mark")
    assert run(**{FAILPOINT: "b", ONCE: mark})[0] == -signal.SIGKILL
    assert run(**{FAILPOINT: "b", ONCE: mark})[0] == 0


def test_without_the_variable_reach_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    """In production `reach` is a lookup in the environment."""
    monkeypatch.delenv(FAILPOINT, raising=False)
    reach("a")
    assert FAILPOINT not in os.environ
