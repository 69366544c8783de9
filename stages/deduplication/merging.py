"""When runs are merged: in the background, as many of a size as make one of the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Protocol, TypeVar

FAN = 4  # runs of one size that become one: a posting is written once a size
_AT_ONCE = 64  # runs that are merged into one at the most: what a merge keeps for each piece is small
_MOST = 1 << 32  # rows that 32 bits number
Step = Callable[[], None]  # called now and then; raises StoppedError where nobody waits any more


class StoppedError(Exception):
    """The index was closed while something was merged."""


class Mergeable(Protocol):
    """A run, as far as its turn to be merged depends on it."""

    @property
    def documents(self) -> int:
        """How many there are."""
        ...

    @property
    def first(self) -> int:
        """The number of the first of them."""
        ...


R = TypeVar("R", bound=Mergeable)


def due(runs: Sequence[R]) -> list[R]:
    """Give the runs to be merged next, by their first numbers; none if all is well.

    A size is a power of 4: from 4**n to below 4**(n + 1) documents. Of the smallest size of which there are four or
    more, those of the fewest documents are taken: up to 64, and no more than 32 bits number. What is left over is due
    after that. So there are at most 3 log4(documents) runs in the end, of up to 2**32 documents each.
    """
    sizes: dict[int, list[R]] = {}
    for run in runs:
        sizes.setdefault(max(0, run.documents.bit_length() - 1) // 2, []).append(run)
    for _, some in sorted(sizes.items()):
        if len(some) >= FAN and len(group := _group(some)) > 1:
            return group
    return []


def _group(runs: Sequence[R]) -> list[R]:
    taken, documents = list[R](), 0
    for run in sorted(runs, key=lambda run: (run.documents, run.first))[:_AT_ONCE]:
        documents += run.documents
        if documents >= _MOST:
            break
        taken.append(run)
    return sorted(taken, key=lambda run: run.first)


class Background:
    """One job at a time, in a thread. A job says itself what went wrong with it: nobody else hears of it."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._closed = Event()

    @property
    def busy(self) -> bool:
        """Whether a job is being done."""
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

    @staticmethod
    def _run(job: Callable[[], None]) -> None:
        with suppress(StoppedError):
            job()
