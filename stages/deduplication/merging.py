"""When runs are merged: in the background, as many of a size as make one of the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event, Thread

from headrace.stages.deduplication.sorted_run import SortedRun

FAN = 4  # runs of one size that become one: at most 3 of each size stay, and a posting is written once a size
_MOST = 1 << 32  # rows that 32 bits number


class StoppedError(Exception):
    """The index was closed while something was merged."""


def due(runs: Sequence[SortedRun]) -> list[SortedRun]:
    """Give the runs to be merged next: all of the smallest size of which there are enough; none if all is well.

    A size is a power of 4: from 4**n to below 4**(n + 1) documents. So there are at most 3 log4(documents) runs.
    """
    sizes: dict[int, list[SortedRun]] = {}
    for run in runs:
        sizes.setdefault(max(0, run.documents.bit_length() - 1) // 2, []).append(run)
    for _, some in sorted(sizes.items()):
        if len(some) >= FAN and sum(run.documents for run in some) < _MOST:
            return some
    return []


class Background:
    """One job at a time, in a thread; what it raises is raised where the next one is asked for."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._failure: Exception | None = None
        self._closed = Event()

    @property
    def busy(self) -> bool:
        """Whether a job is being done."""
        if self._failure:
            raise self._failure
        return self._thread is not None and self._thread.is_alive()

    def start(self, job: Callable[[], None]) -> None:
        """Begin a job; the process does not wait for it when it ends."""
        self._thread = Thread(target=self._run, args=(job,), name="merge of the dedup index", daemon=True)
        self._thread.start()

    def step(self) -> None:
        """Called by the job between two steps; StoppedError if nobody waits for it any more."""
        if self._closed.is_set():
            raise StoppedError

    def wait(self) -> None:
        """Wait until the job is done."""
        if self._thread:
            self._thread.join()

    def close(self) -> None:
        """Let the job end at its next step."""
        self._closed.set()
        self.wait()

    def _run(self, job: Callable[[], None]) -> None:
        try:
            job()
        except StoppedError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever it is, it would go unseen in a thread
            self._failure = error
