"""Reasons to stop before training has ended, asked for between two steps."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from types import FrameType

from headrace.schemas.pace import read_launch

_LOOK_EVERY_S = 0.5


class StoppedError(Exception):
    """Training is to stop here; everything up to the last whole step is valid and can be saved."""


class Stop:
    """Whether to stop: a signal came, the process that started this one is gone, or a newer trainer was started."""

    def __init__(self, run: Path, launch: str, parent: int | None) -> None:
        self.launch = launch
        self._run, self._parent = run, parent
        self._reason = ""
        self._looked = 0.0

    def on_signals(self) -> None:
        """Stop at SIGTERM and SIGINT from now on."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._received)

    def check(self, _: object = None) -> None:
        """Raise StoppedError if there is a reason to stop."""
        if not self._reason and (now := time.monotonic()) - self._looked >= _LOOK_EVERY_S:
            self._looked = now
            self._reason = self._look()
        if self._reason:
            raise StoppedError(self._reason)

    def _received(self, number: int, frame: FrameType | None) -> None:
        self._reason = signal.Signals(number).name

    def _look(self) -> str:
        if self._parent is not None and os.getppid() != self._parent:
            return "the process that started it is gone"
        newest = read_launch(self._run)
        return "a newer trainer was started" if newest and newest.launch != self.launch else ""
