"""Start a trainer on a run that may still grow: a child process with a launch of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

from headrace.schemas.durable import canonical_json, replace_file
from headrace.schemas.pace import LAUNCH, Launch
from headrace.schemas.training import TRAINER_FOLDER, TrainingConfig


def announce(run: Path, world: int) -> Launch:
    """Publish a launch with a fresh id: from now on only its acknowledgements count, and an older trainer leaves."""
    launch = Launch(uuid.uuid4().hex, world)
    (run / "pace" / launch.launch).mkdir(parents=True, exist_ok=True)
    replace_file(run / LAUNCH, launch.encode())
    return launch


def start_trainer(run: Path, training: TrainingConfig, *, foreground: bool = False) -> subprocess.Popen[bytes]:
    """Start the trainer of a run and give its process; it resumes from its newest checkpoint.

    SIGTERM makes it save and exit with 0, and so does the death of the process that started it. Its acknowledgement
    says `ended` only if it has nothing left to train. Its messages go to `trainer/trainer.log`, or with `foreground`
    to the caller's own output.
    """
    folder = run / TRAINER_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.json"
    replace_file(config, canonical_json(training.model_dump(mode="json")))
    launch = announce(run, training.trainer.world_size)
    command = [sys.executable, "-m", "headrace.trainer", str(run), "--config", str(config), "--launch", launch.launch]
    command += ["--rank", "0", "--world", str(launch.world), "--parent", str(os.getpid())]
    if foreground:
        return subprocess.Popen(command)
    with (folder / "trainer.log").open("ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
