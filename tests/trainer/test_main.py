from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.loader.token_runs import make_run
from tests.trainer.conftest import SHARDS, curve, metrics, run_training, same, training, weights

from headrace.loader.launch import start_trainer
from headrace.schemas.durable import canonical_json
from headrace.schemas.pace import rank_file, read_acknowledgement, read_launch
from headrace.schemas.training import TrainingConfig
from headrace.trainer.__main__ import main

pytestmark = pytest.mark.usefixtures("signals")
SLOW = training(steps=24, checkpoint_every=5, pause_s=0.03)


def until(condition: Callable[[], bool]) -> None:
    for _ in range(2500):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it never came")


def written(path: Path, config: TrainingConfig | str) -> Path:
    data = config.encode() if isinstance(config, str) else canonical_json(config.model_dump(mode="json"))
    path.write_bytes(data)
    return path


def test_a_trainer_that_is_killed_goes_on_where_it_was(run: Path, tmp_path: Path) -> None:
    """`kill -9` between two checkpoints and a new start give the curve and the weights of an undisturbed training."""
    child = start_trainer(run, SLOW)
    until(lambda: len(metrics(run)) >= 12)
    child.kill()
    assert child.wait() == -9
    first = read_launch(run)
    assert start_trainer(run, SLOW).wait(50) == 0
    assert read_launch(run) != first
    other = tmp_path / "other"
    make_run(other, SHARDS)
    run_training(other, SLOW.model_copy(update={"trainer": SLOW.trainer.model_copy(update={"pause_s": 0.0})}))
    assert len(curve(run)) == 24
    assert curve(run) == curve(other)
    assert same(weights(run), weights(other))


def test_sigterm_saves_and_exits_with_0(run: Path) -> None:
    """The step that runs is finished, saved, and acknowledged without saying that training has ended."""
    child = start_trainer(run, SLOW)
    until(lambda: len(metrics(run)) >= 2)
    child.terminate()
    assert child.wait(50) == 0
    launch = read_launch(run)
    assert launch is not None
    found = read_acknowledgement(rank_file(run, launch.launch, 0))
    assert found is not None
    steps = len(metrics(run))
    assert (found.step, found.ended) == (steps, False)
    assert (run / "trainer" / "checkpoints" / f"step-{steps:08d}.pt").is_file()
    assert f"stopped after step {steps}: SIGTERM" in (run / "trainer" / "trainer.log").read_text()


def test_no_trainer_is_left_when_its_starter_is_killed(tmp_path: Path) -> None:
    """A trainer that waits for shards sees that its parent is gone, and leaves."""
    make_run(tmp_path, [4], end=False)
    config = written(tmp_path / "config.json", SLOW)
    program = (
        "import os, pathlib, sys; from headrace.loader.launch import start_trainer;"
        "from headrace.schemas.training import TrainingConfig;"
        "start_trainer(pathlib.Path(sys.argv[1]), TrainingConfig.model_validate_json(open(sys.argv[2]).read()));"
        "os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path), str(config)], check=False).returncode == 9
    log = tmp_path / "trainer" / "trainer.log"
    until(lambda: "the process that started it is gone" in log.read_text())


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{}", "trainer: the configuration is not valid: Field required"),
        ('{"trainer": {"steps": 1, "stepps": 2}}', r"trainer\.stepps: the configuration is not valid: Extra inputs"),
        ('{"trainer": {"world_size": 1}}', "training would never end"),
        ('{"trainer": {"steps": 1, "model": {"heads": 3}}}', "width 256 is not a multiple of 2 x heads = 6"),
    ],
)
def test_a_wrong_configuration_exits_with_2(
    tmp_path: Path, config: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The message names the file, the option and the cause."""
    path = written(tmp_path / "config.json", config)
    assert main([str(tmp_path), "--config", str(path)]) == 2
    assert caplog.text.count("config.json") == 1
    assert re.search(message, caplog.text)


def test_a_missing_configuration_exits_with_2(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """So does a world that is not the configured one."""
    assert main([str(tmp_path), "--config", str(tmp_path / "none.json")]) == 2
    assert "none.json" in caplog.text
    path = written(tmp_path / "config.json", training(steps=1))
    assert main([str(tmp_path), "--config", str(path), "--world", "2"]) == 2
    assert "--world is 2" in caplog.text


def test_a_failed_training_exits_with_1(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A run without tokens is no configuration error."""
    make_run(tmp_path, [])
    path = written(tmp_path / "config.json", training(steps=1))
    assert main([str(tmp_path), "--config", str(path)]) == 1
    assert "no token shards" in caplog.text
