"""What a tree of processes costs: seconds of CPU and bytes of memory, by what each process is for."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Self

import psutil

_ROLES = (  # what a process says in its command line, and what it is; the first that fits
    ("raylet/raylet", "raylet"),
    ("gcs_server", "gcs"),
    ("Agent", "agents"),
    ("log_monitor.py", "agents"),
    ("monitor.py", "agents"),
    ("dashboard.py", "agents"),
    ("ray::IDLE", "idle"),
    ("default_worker.py", "idle"),
    ("ray::Worker", "worker"),
    ("ray::Noop", "worker"),
    ("ray::OrderedHost", "ordered"),
)


class TreeClock:
    """Reads how much CPU a process and all its descendants have used so far, those that ended in between included."""

    def __init__(self, root: int | None = None) -> None:
        self._root = psutil.Process(root)
        self._seen: dict[tuple[int, float], tuple[str, float]] = {}

    def read(self) -> dict[str, float]:
        """Give seconds of CPU by role."""
        for process in tree(self._root):
            try:
                times = process.cpu_times()
                key = (process.pid, process.create_time())
                self._seen[key] = (role(process, self._root.pid), times.user + times.system)
            except psutil.Error:
                continue  # it ended meanwhile; what it had used when it was last seen stays
        spent: defaultdict[str, float] = defaultdict(float)
        for name, seconds in self._seen.values():
            spent[name] += seconds
        return dict(spent)


class PeakMemory:
    """Samples the memory of a process tree in a thread; PSS counts a shared page once, divided among its users."""

    def __init__(self, root: int, every_s: float) -> None:
        self._root, self._every = psutil.Process(root), every_s
        self.peak = 0
        self.at_peak: Mapping[str, int] = {}
        self.samples = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stop.is_set():
            start = time.monotonic()
            used = pss(self._root)
            self.samples += 1
            if (total := sum(used.values())) > self.peak:
                self.peak, self.at_peak = total, used
            self._stop.wait(
                max(self._every, 4 * (time.monotonic() - start))
            )  # sampling costs a fifth of a core at most


def tree(root: psutil.Process) -> list[psutil.Process]:
    """Give a process and all its descendants; those that ended are left out."""
    try:
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def pss(root: psutil.Process) -> dict[str, int]:
    """Give the bytes of a process tree by role."""
    used: defaultdict[str, int] = defaultdict(int)
    for process in tree(root):
        try:
            used[role(process, root.pid)] += process.memory_full_info().pss
        except psutil.Error:
            continue
    return dict(used)


def role(process: psutil.Process, driver: int) -> str:
    """Say what a process of a run is for."""
    if process.pid == driver:
        return "driver"
    line = " ".join(process.cmdline())
    return next((name for mark, name in _ROLES if mark in line), "other")
