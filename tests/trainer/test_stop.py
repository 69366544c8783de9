from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from headrace.loader.launch import announce
from headrace.trainer.stop import Stop, StoppedError


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_noticed_at_the_next_check(tmp_path: Path, number: signal.Signals) -> None:
    """It interrupts nothing by itself, so a step is never cut in half."""
    stop = Stop(tmp_path, announce(tmp_path, 1).launch, None)
    stop.on_signals()
    stop.check()
    os.kill(os.getpid(), number)
    with pytest.raises(StoppedError, match=number.name):
        stop.check()


def test_a_newer_launch_takes_over(tmp_path: Path) -> None:
    """An older trainer leaves as soon as it sees that another was started."""
    old = Stop(tmp_path, announce(tmp_path, 1).launch, None)
    announce(tmp_path, 1)
    with pytest.raises(StoppedError, match="newer trainer"):
        old.check()


def test_a_trainer_does_not_outlive_the_process_that_started_it(tmp_path: Path) -> None:
    """Another parent than the one it was told means that that one is dead."""
    launch = announce(tmp_path, 1).launch
    Stop(tmp_path, launch, os.getppid()).check()
    with pytest.raises(StoppedError, match="is gone"):
        Stop(tmp_path, launch, os.getppid() + 1).check()
