"""The bundled trainer as a child of the run: started first, restarted when it dies, waited for at the end."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from headrace.loader.launch import start_trainer
from headrace.pipeline.events import EventLog
from headrace.pipeline.pace import Pace
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.pace import rank_file, read_acknowledgement, read_launch
from headrace.schemas.training import TRAINER_FOLDER, TrainingConfig

_TERMINATE_S = 20.0


class TrainerProcess:
    """Keeps one trainer running until it has trained its steps; `poll` notices its end or its death."""

    def __init__(self, run: Path, training: TrainingConfig, restarts: int, pace: Pace, log: EventLog) -> None:
        self._run, self._training, self._restarts, self._pace, self._log = run, training, restarts, pace, log
        self._process: subprocess.Popen[bytes] | None = None
        self.ended = False
        self.deaths = 0

    def start(self) -> None:
        """Start the process under a new launch."""
        self._process = start_trainer(self._run, self._training)
        self._log.emit("trainer", state="started", pid=self._process.pid)

    def poll(self) -> None:
        """Notice an end (nothing is waited for any more) or a death (start it again, so often)."""
        code = self._process.poll() if self._process else None
        if self._process is None or code is None:
            return
        self._process = None
        if code == 0 and self._trained_out():
            self.ended = True
            self._pace.release()
            self._log.emit("trainer", state="ended")
            return
        self.deaths += 1  # exit code 0 too: somebody asked it to save and leave, and the pipeline needs its trainer
        self._log.emit("trainer", state="died", code=code)
        if self.deaths > self._restarts or code == ConfigError.exit_code:  # a mistake does not mend itself
            log = self._run / TRAINER_FOLDER / "trainer.log"
            why = f"exit code {code}, the last of {self.deaths} times{_last_words(log)}"
            remedy = f"see {log}; the shards are safe, run the same command again to go on"
            raise HeadraceError("the trainer keeps dying", where=str(self._run), why=why, remedy=remedy)
        self.start()

    def _trained_out(self) -> bool:
        launch = read_launch(self._run)
        if launch is None:
            return False
        ranks = [read_acknowledgement(rank_file(self._run, launch.launch, rank)) for rank in range(launch.world)]
        return all(rank is not None and rank.ended for rank in ranks)

    def stop(self) -> None:
        """Ask the trainer to save and end; kill it if it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_TERMINATE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


def _last_words(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        return f": {lines[-1]}" if lines else ""
    return ""
