from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.loader import launch
from headrace.schemas.pace import read_launch
from headrace.schemas.training import TrainerConfig, TrainingConfig

TRAINING = TrainingConfig(trainer=TrainerConfig(steps=3))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Start a child that prints its own arguments in place of the trainer."""
    started: list[str] = []
    popen = subprocess.Popen

    def start(arguments: list[str], **options: object) -> subprocess.Popen[bytes]:
        started[:] = arguments
        return popen([sys.executable, "-c", "print('hello')"], **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(subprocess, "Popen", start)
    return started


def test_a_start_publishes_its_launch_before_the_child_runs(tmp_path: Path, command: list[str]) -> None:
    """The child gets the launch that `pace/launch.json` names, and its configuration as a file."""
    assert launch.start_trainer(tmp_path, TRAINING).wait() == 0
    found = read_launch(tmp_path)
    assert found is not None
    assert (found.world, command[command.index("--launch") + 1]) == (1, found.launch)
    config = Path(command[command.index("--config") + 1])
    assert TrainingConfig.model_validate_json(config.read_bytes()) == TRAINING


def test_every_start_is_another_launch(tmp_path: Path) -> None:
    """No two launches share an id, so an old trainer's files never count for a new one."""
    ids = {launch.announce(tmp_path, 2).launch for _ in range(20)}
    assert len(ids) == 20
    assert json.loads((tmp_path / "pace" / "launch.json").read_bytes())["launch"] in ids


@pytest.mark.usefixtures("command")
def test_messages_of_the_child_are_kept(tmp_path: Path) -> None:
    """They are appended to a log in the run, start after start."""
    for _ in range(2):
        launch.start_trainer(tmp_path, TRAINING).wait()
    assert (tmp_path / "trainer" / "trainer.log").read_text() == "hello\nhello\n"
