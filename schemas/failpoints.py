"""Named places at which a test can let the process die as if the machine had failed there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

FAILPOINT = "HEADRACE_FAILPOINT"  # name[:count]: die at the count-th time the place is reached
ONCE = "HEADRACE_FAILPOINT_ONCE"  # a file: die only when it did not exist, so that a restarted process lives


def reach(name: str) -> None:
    """Kill this process with SIGKILL when the environment asks for it at this place; else do nothing.

    The count lives in the environment, which is this process's own: nothing is kept in the module.
    """
    wanted, _, count = os.environ.get(FAILPOINT, "").partition(":")
    if wanted != name:
        return
    left = int(count or 1) - 1
    os.environ[FAILPOINT] = f"{name}:{left}"
    if left == 0 and _first():
        os.kill(os.getpid(), signal.SIGKILL)


def _first() -> bool:
    mark = os.environ.get(ONCE)
    if not mark:
        return True
    try:
        Path(mark).open("x").close()
    except FileExistsError:
        return False
    return True
